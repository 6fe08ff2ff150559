import { Command, Option } from 'commander';
import { findTank } from '../../catalog/tanks.ts';
import type { Db } from '../../db/pool.ts';
import { ALL_EVENT_TYPES } from '../../evaluation/pure/alerts/event_types.ts';
import { explainEvent, listEvents } from '../../status/event_list.ts';
import { findTankStatus } from '../../status/refill_list.ts';
import { UserError } from '../../values/user_error.ts';
import {
  type CommonOptions,
  limitOption,
  type OrganizationOption,
  organizationOption,
  parseTime,
  printFields,
  printRows,
  readCommand,
  readOrganization,
} from '../command.ts';
import { statusFields } from '../refill_row.ts';
import { dryRunCommand } from './dry_run.ts';
import { scoreCommand } from './score.ts';
import { tryCommand } from './try.ts';

interface ListOptions extends CommonOptions, OrganizationOption {
  limit: number;
  tank?: string;
  type?: string;
  since?: string;
  retracted?: boolean;
}

export function alertsCommand(): Command {
  return new Command('alerts')
    .description('events of tanks, such as low fill, refill, rapid loss and silent device')
    .addCommand(listCommand())
    .addCommand(explainCommand())
    .addCommand(dryRunCommand())
    .addCommand(tryCommand())
    .addCommand(scoreCommand());
}

function listCommand(): Command {
  const example = 'alerts list --organization a0gas --type tank.low_fill --since 2026-01-01T00:00:00Z';
  return readCommand('list', 'list events, newest first', example)
    .addOption(organizationOption())
    .addOption(limitOption())
    .option('--tank <tank>', 'only this tank: its id or its device')
    .addOption(new Option('--type <type>', 'only events of this type').choices(ALL_EVENT_TYPES))
    .option('--since <time>', 'only events since this time, such as 2026-01-01T00:00:00Z', parseTime)
    .option('--retracted', 'include retracted events')
    .action((options: ListOptions) =>
      readOrganization(options, async (pool, organization) => {
        const tank = options.tank === undefined ? null : await findTank(pool, organization, options.tank);
        const events = await listEvents(pool, organization, {
          limit: options.limit + 1, // one more, to know whether there are more
          tankNo: tank?.no ?? null,
          type: options.type ?? null,
          since: options.since ?? null,
          withRetracted: options.retracted ?? false,
        });
        printRows(options, events.slice(0, options.limit));
        if (options.json || events.length <= options.limit) return;
        console.error(`only the newest ${options.limit} are shown; use --limit to show more`);
      }),
    );
}

function explainCommand(): Command {
  const example = 'alerts explain 01989f31-0c52-7a08-8f4e-5d1c9b7e2f66 --organization a0gas';
  return readCommand('explain', 'show what caused an event, or what the alerts of a tank wait for', example)
    .argument('<event>', 'id of the event; or a tank, as its id or its device')
    .addOption(organizationOption())
    .addHelpText(
      'after',
      '\nFor an event: the readings that caused it, its notifications, and what its tank waits for now. For a tank: its state,' +
        '\nits latest event, and what it waits for, such as a second low reading.',
    )
    .action((reference: string, options: CommonOptions & OrganizationOption) =>
      readOrganization(options, async (pool, organization) => {
        const event = await explainEvent(pool, organization, reference);
        if (event === undefined) return printFields(options, await explainTank(pool, organization, reference, options));
        const status = await findTankStatus(pool, organization, event.tank_no, Date.now());
        const { waiting } = status === undefined ? { waiting: null } : statusFields(status, options);
        const { tank_no: _, ...fields } = event;
        printFields(options, { ...fields, waiting });
      }),
    );
}

async function explainTank(
  db: Db,
  organization: number,
  reference: string,
  options: CommonOptions,
): Promise<Record<string, unknown>> {
  const found = await findTank(db, organization, reference).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(
      `there is no event ${reference}, and no tank with this id or device; see: tankwatch alerts list`,
    );
  });
  const status = await findTankStatus(db, organization, found.no, Date.now());
  if (status === undefined) throw new UserError(`the tank ${reference} was deleted.`);
  const filter = { limit: 1, tankNo: found.no, type: null, since: null, withRetracted: false };
  const [latestEvent] = await listEvents(db, organization, filter);
  return {
    tank_id: status.tank.id,
    tank: status.tank.name,
    threshold_percentage: status.tank.min_fill_alert_percentage,
    reading: status.reading,
    ...statusFields(status, options),
    latest_event: latestEvent ?? null,
  };
}
