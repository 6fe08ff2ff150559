import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { recordCommand } from '../catalog/audit_log.ts';
import { findTank } from '../catalog/tanks.ts';
import { importReadings, type RejectedRow } from '../ingest/import_readings.ts';
import { type ExportSelection, exportReadings } from '../telemetry/export_readings.ts';
import {
  type ColumnNames,
  FILE_FORMATS,
  type FileFormat,
  READING_COLUMNS,
  readRows,
} from '../telemetry/reading_file.ts';
import { csvLine } from '../values/csv.ts';
import { errorCode } from '../values/error_code.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  excelSafeOption,
  type OrganizationOption,
  organizationNo,
  organizationOption,
  parseTime,
  printResult,
  readCommand,
  runChange,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';
import { Progress } from './progress.ts';

type ImportOptions = WriteOptions &
  OrganizationOption & { format?: FileFormat; column?: ColumnNames; rejected?: string };

type ExportOptions = CommonOptions &
  OrganizationOption & { format?: FileFormat; tank?: string; since?: string; until?: string; excelSafe?: boolean };

const MAX_SHOWN_REJECTIONS = 100;

export function telemetryCommand(): Command {
  return new Command('telemetry')
    .description('import and export readings')
    .addCommand(importCommand())
    .addCommand(exportCommand());
}

function importCommand(): Command {
  return writeCommand(
    'import',
    'store the readings of a file, in any order; duplicates are skipped',
    'telemetry import history.csv --organization a0gas --column created_at=Zeit --rejected bad.csv',
  )
    .argument('<file>', 'CSV with a header, or one JSON object per line; - for standard input')
    .addOption(organizationOption())
    .addOption(formatOption('format of the file (default: from its extension .csv, .ndjson or .jsonl)'))
    .option(
      '--column <ours=theirs>',
      'use another column name: our name=name in the file; may be repeated',
      renameColumn,
    )
    .option('--rejected <file>', 'write every bad row to this file as CSV: line, code, reason')
    .addHelpText(
      'after',
      `\nColumns: ${READING_COLUMNS.join(', ')}; either tank_id or device_id is required.` +
        '\nWithout a tank_id, a reading belongs to the tank that its device was assigned to at that time. Times without a zone are UTC.' +
        '\nBad rows are reported and skipped. Then the exit code is 1.',
    )
    .action((file: string, options: ImportOptions) =>
      withDatabase(async ({ pool }) => {
        const no = await organizationNo(pool, options.organization);
        const format = options.format ?? formatOf(file);
        const input = file === '-' ? process.stdin : await openInput(file);
        if (!options.dryRun) {
          await runChange(pool, options, (tx) =>
            recordCommand(tx, { organizationNo: no, object: 'telemetry', action: 'import' }),
          );
        }
        await using rejected = options.rejected === undefined ? undefined : await createRejected(options.rejected);
        const progress = new Progress('rows');
        let shown = 0;
        const counts = await importReadings(pool, readRows(input, format, options.column ?? {}), {
          organizationNo: no,
          dryRun: options.dryRun ?? false,
          async report({ read }, rejections) {
            for (const rejection of rejections.slice(0, MAX_SHOWN_REJECTIONS - shown)) {
              progress.line(`line ${rejection.line}: ${rejection.code}: ${rejection.reason}`);
              shown++;
            }
            await rejected?.appendFile(rejections.map(rejectionLine).join(''));
            progress.at('read', read);
          },
        });
        progress.end();
        if (counts.rejected > shown) progress.line(`... and ${counts.rejected - shown} more bad rows`);
        const { read, stored, duplicates } = counts;
        printResult(
          options,
          counts,
          `${read} rows: ${stored} stored, ${duplicates} duplicates, ${counts.rejected} rejected`,
        );
        if (counts.rejected > 0) process.exitCode = 1;
      }),
    );
}

function exportCommand(): Command {
  return readCommand(
    'export',
    'write readings to standard output, tank by tank, oldest first, in the format of import',
    'telemetry export --organization a0gas --since 2025-01-01 --until 2026-01-01 > readings.csv',
  )
    .addOption(organizationOption())
    .addOption(formatOption('output format (default: csv, or ndjson with --json)'))
    .option('--tank <tank>', 'only this tank: its id or its device')
    .option('--since <time>', 'from this time on, such as 2025-01-01 or 2025-01-01T06:00:00Z', parseTime)
    .option('--until <time>', 'before this time', parseTime)
    .addOption(excelSafeOption())
    .action((options: ExportOptions) =>
      withDatabase(async ({ pool }) => {
        const no = await organizationNo(pool, options.organization);
        const selection: ExportSelection = {
          organizationNo: no,
          ...(options.tank === undefined ? {} : { tankNo: (await findTank(pool, no, options.tank)).no }),
          ...(options.since === undefined ? {} : { since: options.since }),
          ...(options.until === undefined ? {} : { until: options.until }),
          isSpreadsheetSafe: options.excelSafe ?? false,
        };
        const format = options.format ?? (options.json ? 'ndjson' : 'csv');
        await pipeline(exportReadings(pool, selection, format), process.stdout).catch((error: unknown) => {
          // The reader closed the pipe early, as `head` does.
          if (errorCode(error) !== 'EPIPE') throw error;
        });
      }),
    );
}

const formatOption = (description: string): Option =>
  new Option('--format <format>', description).choices(FILE_FORMATS);

function formatOf(file: string): FileFormat {
  if (/\.csv$/i.test(file)) return 'csv';
  if (/\.(ndjson|jsonl)$/i.test(file)) return 'ndjson';
  throw new UserError(`the format of ${file} is unknown; use --format csv or --format ndjson.`);
}

async function openInput(file: string): Promise<AsyncIterable<Uint8Array>> {
  const handle = await openOr(file, 'r', 'read');
  if ((await handle.stat()).isDirectory()) throw new UserError(`cannot read ${file}: it is a folder, not a file.`);
  return handle.createReadStream();
}

async function createRejected(file: string): Promise<FileHandle> {
  const handle = await openOr(file, 'w', 'write');
  await handle.appendFile(csvLine(['line', 'code', 'reason']));
  return handle;
}

async function openOr(file: string, flags: 'r' | 'w', verb: 'read' | 'write'): Promise<FileHandle> {
  try {
    return await open(file, flags);
  } catch (error) {
    throw new UserError(`cannot ${verb} ${file} (${errorCode(error)}); check the name and the permissions.`);
  }
}

const rejectionLine = ({ line, code, reason }: RejectedRow): string => csvLine([line, code, reason]);

function renameColumn(text: string, names: ColumnNames = {}): ColumnNames {
  const [, ours, theirs] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  const column = READING_COLUMNS.find((name) => name === ours);
  if (column === undefined || theirs === undefined)
    throw new InvalidArgumentError(`Write it like created_at=Zeit; our columns are ${READING_COLUMNS.join(', ')}.`);
  return { ...names, [column]: theirs };
}
