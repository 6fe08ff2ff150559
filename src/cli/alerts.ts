import { Command, Option } from 'commander';
import { EVENT_TYPES } from '../alerts/event_types.ts';
import { findTank } from '../catalog/tanks.ts';
import { explainEvent, listEvents } from '../fleet/event_list.ts';
import { dryRunCommand } from './alerts_dry_run.ts';
import { tryCommand } from './alerts_try.ts';
import {
  type CommonOptions,
  limitOption,
  type OrganizationOption,
  organizationNo,
  organizationOption,
  parseTime,
  printFields,
  printRows,
  readCommand,
  withDatabase,
} from './command.ts';

interface ListOptions extends CommonOptions, OrganizationOption {
  limit: number;
  tank?: string;
  type?: string;
  since?: string;
  retracted?: boolean;
}

export function alertsCommand(): Command {
  return new Command('alerts')
    .description('events of tanks: low fill, refill, rapid loss, silent device')
    .addCommand(listCommand())
    .addCommand(explainCommand())
    .addCommand(dryRunCommand())
    .addCommand(tryCommand());
}

function listCommand(): Command {
  const example = 'alerts list --organization a0gas --type tank.low_fill --since 2026-01-01T00:00:00Z';
  return readCommand('list', 'list events, newest first', example)
    .addOption(organizationOption())
    .addOption(limitOption())
    .option('--tank <tank>', 'only this tank: its id or its device')
    .addOption(new Option('--type <type>', 'only events of this type').choices(EVENT_TYPES))
    .option('--since <time>', 'only events since this time, such as 2026-01-01T00:00:00Z', parseTime)
    .option('--retracted', 'include events that late readings retracted')
    .action((options: ListOptions) =>
      withDatabase(async ({ pool }) => {
        const organization = await organizationNo(pool, options.organization);
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
  return readCommand('explain', 'show the readings that caused an event, and its notifications', example)
    .argument('<event>', 'id of the event')
    .addOption(organizationOption())
    .action((id: string, options: CommonOptions & OrganizationOption) =>
      withDatabase(async ({ pool }) => {
        const organization = await organizationNo(pool, options.organization);
        printFields(options, await explainEvent(pool, organization, id));
      }),
    );
}
