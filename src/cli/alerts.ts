import { Command, Option } from 'commander';
import { EVENT_TYPES } from '../alerts/event_types.ts';
import { findTank } from '../catalog/tanks.ts';
import { explainEvent, listEvents } from '../fleet/event_list.ts';
import { dryRunCommand } from './alerts_dry_run.ts';
import { tryCommand } from './alerts_try.ts';
import {
  type CommonOptions,
  type InOrganization,
  limitOption,
  organizationNo,
  organizationOption,
  printFields,
  printRows,
  readCommand,
  sinceTime,
  withDatabase,
} from './command.ts';

interface ListOptions extends CommonOptions, InOrganization {
  limit: number;
  tank?: string;
  type?: string;
  since?: string;
  retracted?: boolean;
}

export function alertsCommand(): Command {
  return new Command('alerts')
    .description('what happened to tanks: low fills, refills, losses, silent devices')
    .addCommand(listCommand())
    .addCommand(explainCommand())
    .addCommand(dryRunCommand())
    .addCommand(tryCommand());
}

function listCommand(): Command {
  const example = 'alerts list --organization a0gas --type tank.low_fill --since 2026-01-01T00:00:00Z';
  return readCommand('list', 'list what happened, newest first', example)
    .addOption(organizationOption())
    .addOption(limitOption())
    .option('--tank <tank>', 'only this tank, by its id or the device on it')
    .addOption(new Option('--type <type>', 'only events of this type').choices(EVENT_TYPES))
    .option('--since <time>', 'only what happened since, such as 2026-01-01T00:00:00Z', sinceTime)
    .option('--retracted', 'also what late readings showed never to have happened')
    .action((options: ListOptions) =>
      withDatabase(async ({ pool }) => {
        const organization = await organizationNo(pool, options.organization);
        const tank = options.tank === undefined ? null : await findTank(pool, organization, options.tank);
        const events = await listEvents(pool, organization, {
          limit: options.limit + 1, // to tell whether there are more
          tankNo: tank?.no ?? null,
          type: options.type ?? null,
          since: options.since ?? null,
          withRetracted: options.retracted ?? false,
        });
        printRows(options, events.slice(0, options.limit));
        if (options.json || events.length <= options.limit) return;
        console.error(`only the newest ${options.limit} are shown; --limit shows more`);
      }),
    );
}

function explainCommand(): Command {
  const example = 'alerts explain 01989f31-0c52-7a08-8f4e-5d1c9b7e2f66 --organization a0gas';
  return readCommand('explain', 'show the readings that caused an event, and who was told of it', example)
    .argument('<event>', 'its id')
    .addOption(organizationOption())
    .action((id: string, options: CommonOptions & InOrganization) =>
      withDatabase(async ({ pool }) => {
        const organization = await organizationNo(pool, options.organization);
        printFields(options, await explainEvent(pool, organization, id));
      }),
    );
}
