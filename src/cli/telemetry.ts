import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { recordCommand } from '../catalog/audit_log.ts';
import { findTank } from '../catalog/tanks.ts';
import {
  type ImportedBatch,
  importReadings,
  type ReadingImportCounts,
  type RejectedRow,
} from '../ingest/import_readings.ts';
import { type ExportSelection, exportReadings } from '../telemetry/export_readings.ts';
import {
  type ColumnNames,
  FILE_FORMATS,
  type FileFormat,
  type FileRow,
  READING_COLUMNS,
  readRows,
} from '../telemetry/reading_file.ts';
import { csvLine } from '../values/csv.ts';
import { errorCode } from '../values/error_code.ts';
import { type RowError, RowErrorGroups } from '../values/row_error.ts';
import { UserError } from '../values/user_error.ts';
import { BadRowsFile } from './bad_rows_file.ts';
import {
  bomOption,
  type CommonOptions,
  excelSafeOption,
  formatRecords,
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
import { csvOptions, type FileOptions, textFormat, withFileOptions } from './file_options.ts';
import { fileError, inputFile } from './input_file.ts';
import { Progress } from './progress.ts';
import { packCommand, unpackCommand } from './telemetry_packing.ts';

type ImportOptions = WriteOptions &
  OrganizationOption &
  FileOptions & { format?: FileFormat; column?: ColumnNames; rejected?: string; bad?: string };

type ExportOptions = CommonOptions &
  OrganizationOption & {
    format?: FileFormat;
    tank?: string;
    since?: string;
    until?: string;
    excelSafe?: boolean;
    bom?: boolean;
  };

const MAX_SHOWN_ERRORS = 50;
const SHOWN_ROWS = 5;

export function telemetryCommand(): Command {
  return new Command('telemetry')
    .description('import, export and pack readings')
    .addCommand(importCommand())
    .addCommand(exportCommand())
    .addCommand(packCommand())
    .addCommand(unpackCommand());
}

function importCommand(): Command {
  return withFileOptions(
    writeCommand(
      'import',
      'store the readings of a file, in any order; duplicates are skipped',
      'telemetry import history.csv --organization a0gas --column created_at=Zeit --bad bad.csv',
    ),
  )
    .argument('<file>', 'CSV with a header, or one JSON object per line; - for standard input')
    .addOption(organizationOption())
    .addOption(formatOption('format of the file (default: from its extension .csv, .ndjson or .jsonl)'))
    .option(
      '--column <ours=theirs>',
      'use another column name: our name=name in the file; may be repeated',
      renameColumn,
    )
    .option('--bad <file>', 'write the bad rows to this file, with a column that gives the reason')
    .option('--rejected <file>', 'write the line, code and reason of every bad row to this file as CSV')
    .addHelpText(
      'after',
      `\nColumns: ${READING_COLUMNS.join(', ')}; either tank_id or device_id is required.` +
        '\nWithout a tank_id, a reading belongs to the tank that its device was assigned to at that time. Times without an offset are UTC,' +
        '\nor those of --time-zone.' +
        '\nBad rows are reported and skipped. Then the exit code is 1.',
    )
    .action((file: string, options: ImportOptions) =>
      withDatabase(async ({ pool }) => {
        const no = await organizationNo(pool, options.organization);
        const format = options.format ?? formatOf(file);
        const input = await inputFile(file);
        await using rejected = options.rejected === undefined ? undefined : await createRejected(options.rejected);
        await using bad = options.bad === undefined ? undefined : await BadRowsFile.create(options.bad, file);
        if (!options.dryRun) {
          await runChange(pool, options, (tx) =>
            recordCommand(tx, { organizationNo: no, object: 'telemetry', action: 'import' }),
          );
        }
        const progress = new Progress('rows');
        const errors = new RowErrorGroups();
        const firstRows: Record<string, unknown>[] = [];
        let delimiter = ',';
        const rows = readRows(input, format, {
          ...csvOptions(options, (note) => progress.line(note)),
          names: options.column ?? {},
          onDelimiter(found) {
            delimiter = found;
          },
          onHeader: (cells) => bad?.writeHeader(cells, delimiter),
        });
        const counts = await importReadings(pool, rows, {
          organizationNo: no,
          dryRun: options.dryRun ?? false,
          format: textFormat(options),
          async report({ read }, rejections, batch) {
            if (options.dryRun && firstRows.length < SHOWN_ROWS) firstRows.push(...understoodRows(batch));
            const rowOf = new Map(rejections.length === 0 ? [] : batch.rows.map((row) => [row.line, row]));
            for (const rejection of rejections) {
              const row = rowOf.get(rejection.line);
              errors.add(rejection.line, rowError(rejection, row));
              if (row !== undefined) await writeBadRow(bad, rejection, row);
            }
            await rejected?.appendFile(rejections.map(rejectionLine).join(''));
            progress.at('read', read);
          },
        });
        for (const line of errors.describe(MAX_SHOWN_ERRORS)) progress.line(line);
        printImported(options, counts, errors, firstRows.slice(0, SHOWN_ROWS));
        if (counts.rejected > 0) process.exitCode = 1;
      }),
    );
}

function printImported(
  options: ImportOptions,
  counts: ReadingImportCounts,
  errors: RowErrorGroups,
  firstRows: Record<string, unknown>[],
): void {
  const { read, stored, duplicates, rejected } = counts;
  const shown =
    firstRows.length === 0 ? '' : `the first rows, as they were understood:\n${formatRecords(firstRows)}\n\n`;
  const result = { ...counts, errors: errors.list(), ...(options.dryRun ? { first_rows: firstRows } : {}) };
  printResult(
    options,
    result,
    `${shown}${read} rows: ${stored} stored, ${duplicates} duplicates, ${rejected} rejected`,
  );
}

/** The first readings of a batch with the values that would be stored. */
function understoodRows({ rows, readings }: ImportedBatch): Record<string, unknown>[] {
  return readings.slice(0, SHOWN_ROWS).map(({ line, atMs, fillPercentage }) => {
    const row = rows.find((one) => one.line === line);
    const { tank_id = '', device_id = '' } = row !== undefined && 'cells' in row ? row.cells : {};
    return {
      line,
      ...(tank_id === '' ? { device_id } : { tank_id }),
      created_at: new Date(atMs).toISOString(),
      fill_percentage: fillPercentage,
    };
  });
}

/** Readings of one unknown device have the same reason. For other codes, the first row is the example. */
function rowError({ code, reason }: RejectedRow, row: FileRow | undefined): RowError {
  const device = code === 'unknown_device' && row !== undefined && 'cells' in row ? row.cells.device_id : '';
  return { column: code, text: null, problem: reason.replace(/\.$/, ''), group: `${code} ${device}` };
}

async function writeBadRow(bad: BadRowsFile | undefined, { reason }: RejectedRow, { source }: FileRow): Promise<void> {
  if (typeof source !== 'string') await bad?.writeRow(reason, source);
  // A line that is not a JSON object has no place for a reason.
  else await bad?.writeLine(source.replace(/^\s*\{/, `{${JSON.stringify('reason')}: ${JSON.stringify(reason)}, `));
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
    .addOption(bomOption())
    .action((options: ExportOptions) =>
      withDatabase(async ({ pool }) => {
        const no = await organizationNo(pool, options.organization);
        const selection: ExportSelection = {
          organizationNo: no,
          ...(options.tank === undefined ? {} : { tankNo: (await findTank(pool, no, options.tank)).no }),
          ...(options.since === undefined ? {} : { since: options.since }),
          ...(options.until === undefined ? {} : { until: options.until }),
          isSpreadsheetSafe: options.excelSafe ?? false,
          hasByteOrderMark: options.bom ?? false,
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

async function createRejected(file: string): Promise<FileHandle> {
  const handle = await open(file, 'w').catch((error: unknown) => {
    throw fileError(error, file, 'write');
  });
  await handle.appendFile(csvLine(['line', 'code', 'reason']));
  return handle;
}

const rejectionLine = ({ line, code, reason }: RejectedRow): string => csvLine([line, code, reason]);

function renameColumn(text: string, names: ColumnNames = {}): ColumnNames {
  const [, ours, theirs] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  const column = READING_COLUMNS.find((name) => name === ours);
  if (column === undefined || theirs === undefined)
    throw new InvalidArgumentError(`Write it like created_at=Zeit; our columns are ${READING_COLUMNS.join(', ')}.`);
  return { ...names, [column]: theirs };
}
