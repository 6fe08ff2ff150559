import { type Command, Option } from 'commander';
import type { EventScore, ForecastScore, GroupScore } from '../../evaluation/pure/score/fleet_score.ts';
import { type AlertScore, scoreOrganization, storeScore, USUAL_SCORE } from '../../status/score_organization.ts';
import {
  type CommonOptions,
  formatCell,
  formatTable,
  type OrganizationOption,
  organizationOption,
  parseCount,
  printResult,
  readCommand,
  readOrganization,
} from '../command.ts';
import { Progress } from '../progress.ts';

interface ScoreOptions extends CommonOptions, OrganizationOption {
  tanks: number;
  days: number;
}

export function scoreCommand(): Command {
  return readCommand(
    'score',
    'show how late and how right events and forecasts were',
    'alerts score --organization a0gas',
  )
    .addOption(organizationOption())
    .addOption(
      new Option('--tanks <number>', 'evaluate at most this many tanks, chosen evenly')
        .argParser(parseCount)
        .default(USUAL_SCORE.maxTanks),
    )
    .addOption(
      new Option('--days <number>', 'score the last <number> days').argParser(parseCount).default(USUAL_SCORE.days),
    )
    .addHelpText(
      'after',
      '\nEvaluates the stored readings again and compares events and forecasts with later readings. A forecast is asked for the level' +
        '\nthat the tank really had 7, 14 and 21 days later, without a delivery between. An event is right if the readings of the next' +
        '\ntwo days confirm it. Settings are those of today. The worker does the same every night. The console shows the last result;' +
        '\nnothing else is changed.',
    )
    .action((options: ScoreOptions) =>
      readOrganization(options, async (pool, organization) => {
        const progress = new Progress('tanks');
        const selection = { organizationNo: organization, maxTanks: options.tanks, days: options.days };
        const score = await scoreOrganization(pool, selection, Date.now(), (tanks) => progress.at('evaluated', tanks));
        progress.end();
        await storeScore(pool, organization, score);
        printResult(options, score, scoreText(score));
      }),
    );
}

function scoreText({ since, tanks, scored_tanks, groups }: AlertScore): string {
  const sample = scored_tanks < tanks ? ` (a sample of ${tanks.toLocaleString('en')})` : '';
  const rowsOf = <Line>(
    linesOf: (group: GroupScore) => readonly Line[],
    row: (line: Line) => Record<string, unknown>,
  ) => groups.flatMap((group) => linesOf(group).map((line) => ({ ...groupCells(group), ...row(line) })));
  const forecasts = rowsOf((group) => group.forecasts.filter(({ asked }) => asked > 0), forecastRow);
  const events = rowsOf((group) => group.events.filter(({ raised }) => raised > 0), eventRow);
  return [
    `${scored_tanks.toLocaleString('en')} tanks${sample}, since ${since.slice(0, 10)}`,
    '',
    'Forecasts',
    forecasts.length === 0
      ? 'none: no level fell by 3 points within 7 days without a delivery'
      : formatTable(forecasts),
    '',
    'Events',
    events.length === 0 ? 'none' : formatTable(events),
  ].join('\n');
}

const groupCells = ({ by, name, tanks }: GroupScore): Record<string, unknown> => ({
  by,
  name: by === 'all' ? '' : formatCell(name ?? 'not set'),
  tanks,
});

const forecastRow = ({ days_ahead, asked, median_error, inside, in_time }: ForecastScore): Record<string, unknown> => ({
  days_ahead,
  asked,
  median_error: percent(median_error),
  inside_range: percent(inside),
  not_before_earliest: percent(in_time),
});

const eventRow = ({ type, median_delay_hours, ...counts }: EventScore): Record<string, unknown> => ({
  type,
  ...counts,
  median_delay_hours,
});

const percent = (share: number | null): string => (share === null ? '' : `${Math.round(share * 100)} %`);
