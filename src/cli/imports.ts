import { Command } from 'commander';
import { LISTED_DAYS, listImports, UNDO_DAYS } from '../catalog/import_record.ts';
import { type UndoneImport, undoImport } from '../catalog/undo_import.ts';
import {
  listCommand,
  type OrganizationOption,
  organizationOption,
  printResult,
  readOrganization,
  runChange,
  type WriteOptions,
  writeCommand,
} from './command.ts';

const MAX_LISTED = 100;

export function importsCommand(): Command {
  return new Command('imports')
    .description('imports of customers and tanks from files')
    .addCommand(
      listCommand(
        `list the newest ${MAX_LISTED} imports of the last ${LISTED_DAYS} days, newest first`,
        'imports list --organization a0gas',
        (db, organization) => listImports(db, organization, { limit: MAX_LISTED }),
      ),
    )
    .addCommand(undoCommand());
}

function undoCommand(): Command {
  return writeCommand(
    'undo',
    `take back what an import created and changed, within ${UNDO_DAYS} days; what was changed since stays and is listed`,
    'imports undo 01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90 --organization a0gas --dry-run',
  )
    .argument('<id>', 'id of the import, see: tankwatch imports list')
    .addOption(organizationOption())
    .action((id: string, options: WriteOptions & OrganizationOption) =>
      readOrganization(options, async (pool, organization) => {
        const undone = await undoImport(pool, id, {
          organizationNo: organization,
          change: (work) => runChange(pool, options, work),
          isDryRun: options.dryRun ?? false,
        });
        printResult(options, undone, describeUndone(undone));
      }),
    );
}

const REASONS = {
  changed_since: 'was changed since',
  has_readings: 'has readings',
  has_deliveries: 'has deliveries',
  owns_tanks: 'owns tanks that stay',
  device_taken: 'its earlier device is on another tank',
  external_key_taken: 'another tank has its earlier own number',
} as const;

const describeUndone = ({ deleted, restored, kept, kept_rows: rows }: UndoneImport): string =>
  [
    `${deleted} deleted, ${restored} as before, ${kept} kept`,
    ...rows.map(({ object, id, name, because }) => `kept: ${object} ${id} (${name}) ${REASONS[because]}`),
    ...(kept > rows.length ? [`... and ${kept - rows.length} more`] : []),
  ].join('\n');
