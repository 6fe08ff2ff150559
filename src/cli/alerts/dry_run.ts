import type { Command } from 'commander';
import { TANK_FIELDS } from '../../catalog/tank_fields.ts';
import { findTank } from '../../catalog/tanks.ts';
import { type ThresholdTrialResult, tryThreshold } from '../../status/threshold_trial.ts';
import { amount } from '../../values/text_format.ts';
import {
  type CommonOptions,
  formatCell,
  type OrganizationOption,
  organizationOption,
  parseTime,
  printResult,
  readCommand,
  readOrganization,
} from '../command.ts';
import { parseField } from '../options/field.ts';
import { Progress } from '../progress.ts';

interface DryRunOptions extends CommonOptions, OrganizationOption {
  threshold: number;
  since: string;
  tank?: string;
}

export function dryRunCommand(): Command {
  const example = 'alerts dry-run --organization a0gas --threshold 30 --since 2026-06-01T00:00:00Z';
  return readCommand('dry-run', 'show how often and when another threshold would have raised low-fill alerts', example)
    .addOption(organizationOption())
    .requiredOption('--threshold <percentage>', 'threshold to try', (text) =>
      parseField(TANK_FIELDS.min_fill_alert_percentage, text),
    )
    .requiredOption('--since <time>', 'start of the trial, such as 2026-01-01T00:00:00Z', parseTime)
    .option('--tank <tank>', 'only this tank: its id or its device')
    .addHelpText(
      'after',
      '\nEvaluates the stored readings twice: with the threshold to try, and with the current threshold of each tank. Days are' +
        '\nin UTC. Nothing is changed, and nobody is notified.',
    )
    .action((options: DryRunOptions) =>
      readOrganization(options, async (pool, organization) => {
        const tank = options.tank === undefined ? null : await findTank(pool, organization, options.tank);
        const { threshold: thresholdPercentage, since } = options;
        const trial = { organizationNo: organization, tankNo: tank?.no ?? null, thresholdPercentage, since };
        const progress = new Progress('tanks');
        const fired: ThresholdTrialResult[] = [];
        let tankCount = 0;
        for await (const tried of tryThreshold(pool, trial, Date.now())) {
          if (tried.firedAt.length + tried.ownFiredAt.length > 0) fired.push(tried);
          tankCount += 1;
          progress.at('evaluated', tankCount);
        }
        progress.end();
        printTrial(options, tankCount, fired);
      }),
    );
}

function printTrial(options: DryRunOptions, tanks: number, fired: readonly ThresholdTrialResult[]): void {
  const { threshold, since } = options;
  const alerts = fired.flatMap(({ firedAt }) => firedAt).length;
  const ownAlerts = fired.flatMap(({ ownFiredAt }) => ownFiredAt).length;
  const result = {
    threshold_percentage: threshold,
    since,
    tanks,
    fired: alerts,
    own_fired: ownAlerts,
    by_tank: fired.map(({ tank, firedAt, ownFiredAt }) => ({
      tank_id: tank.id,
      tank: tank.name,
      device: tank.device,
      fired: firedAt.length,
      fired_at: firedAt,
      own_threshold_percentage: tank.settings.minFillAlertPercentage,
      own_fired: ownFiredAt.length,
      own_fired_at: ownFiredAt,
    })),
  };
  const withAny = (times: (tried: ThresholdTrialResult) => readonly string[]): number =>
    fired.filter((tried) => times(tried).length > 0).length;
  const tanksWithOwn = withAny(({ ownFiredAt }) => ownFiredAt);
  const lines = [
    ...fired.map(tankLine(threshold)),
    `with ${threshold} %: ${amount(alerts, 'alerts')} on ${withAny(({ firedAt }) => firedAt)} of ${amount(tanks, 'tanks')}; ` +
      `with their own thresholds: ${amount(ownAlerts, 'alerts')} on ${amount(tanksWithOwn, 'tanks')}`,
  ];
  printResult(options, result, lines.join('\n'));
}

const tankLine =
  (threshold: number) =>
  ({ tank, firedAt, ownFiredAt }: ThresholdTrialResult): string =>
    `${tank.id} ${formatCell(tank.name)}: ${amount(firedAt.length, 'alerts')} with ${threshold} %${onDays(firedAt)}; ` +
    `${amount(ownFiredAt.length, 'alerts')} with its own threshold of ${tank.settings.minFillAlertPercentage} %${onDays(ownFiredAt)}`;

function onDays(times: readonly string[]): string {
  const days = new Set(times.map((time) => time.slice(0, 10)));
  return times.length === 0 ? '' : `, on ${[...days].join(', ')}`;
}
