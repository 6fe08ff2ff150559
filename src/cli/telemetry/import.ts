import { type FileHandle, open } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import type { Pool } from 'pg';
import { recordCommand } from '../../catalog/audit_log.ts';
import {
  type ImportedBatch,
  importReadings,
  type ReadingImportCounts,
  type RejectedRow,
} from '../../ingest/import_readings.ts';
import {
  FILE_FORMATS,
  type FileFormat,
  type FileRow,
  READING_COLUMNS,
  readRows,
} from '../../telemetry/reading_file.ts';
import type { ByteSource } from '../../values/byte_source.ts';
import { csvLine } from '../../values/csv.ts';
import { type RowError, type RowErrorGroup, RowErrorGroups } from '../../values/row_error.ts';
import { UserError } from '../../values/user_error.ts';
import { BadRowsFile } from '../bad_rows_file.ts';
import {
  type OrganizationOption,
  organizationOption,
  printImported,
  readOrganization,
  runChange,
  type WriteOptions,
  writeCommand,
} from '../command.ts';
import { fileError, inputFile } from '../input_file.ts';
import {
  type ColumnOption,
  type FileOptions,
  fileArguments,
  shellCommand,
  tableOptions,
  textFormat,
  withColumnOption,
  withFileOptions,
} from '../options/file.ts';
import { Progress } from '../progress.ts';

export interface ReadingImportFileOptions extends WriteOptions, FileOptions, ColumnOption {
  format?: FileFormat;
  device?: string;
  rejected?: string;
  bad?: string;
  /** Moves every time of the file. */
  shiftMs?: number;
  /** Receives what was detected about the file. The default prints it. */
  onNote?: (sentence: string) => void;
}

type ImportOptions = ReadingImportFileOptions & OrganizationOption;

const MAX_SHOWN_ERRORS = 50;
const SHOWN_ROWS = 5;

export function readingsImportCommand(): Command {
  return withFileOptions(
    withColumnOption(
      writeCommand(
        'import',
        'store the readings of a file, in any order; duplicates are skipped',
        'telemetry import history.csv --organization a0gas --column created_at=Zeit --bad bad.csv',
      ),
      READING_COLUMNS,
    ),
  )
    .argument('<file>', 'CSV or a workbook (.xlsx) with a header, or one JSON object per line; - for standard input')
    .addOption(organizationOption())
    .addOption(formatOption('format of the file (default: from its extension .csv, .xlsx, .ndjson or .jsonl)'))
    .addOption(deviceOption())
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
      readOrganization(options, async (pool, no) => {
        const format = options.format ?? formatOf(file);
        const imported = await importReadingFile(pool, await inputFile(file), no, { ...options, format });
        printImported(options, imported, describeImportedReadings(imported));
        if (options.dryRun && !options.json) {
          const words = ['telemetry', 'import', file, '--organization', options.organization];
          const device = options.device === undefined ? [] : ['--device', options.device];
          const chosen = options.format === undefined ? [] : ['--format', options.format];
          console.log(`to import it: ${shellCommand([...words, ...chosen, ...device, ...fileArguments(options)])}`);
        }
        if (imported.rejected > 0) process.exitCode = 1;
      }),
    );
}

export const deviceOption = (): Option =>
  new Option('--device <device>', 'the device of all readings, for a file that names none');

export interface ImportedReadings extends ReadingImportCounts {
  errors: RowErrorGroup[];
  first_rows?: Record<string, unknown>[];
}

/** Imports a file of readings and prints what is wrong with its rows. */
export async function importReadingFile(
  pool: Pool,
  source: ByteSource,
  no: number,
  options: ReadingImportFileOptions,
): Promise<ImportedReadings> {
  await using rejected = options.rejected === undefined ? undefined : await createRejected(options.rejected);
  await using bad = options.bad === undefined ? undefined : await BadRowsFile.create(options.bad, source.name);
  if (!options.dryRun) {
    await runChange(pool, options, (tx) =>
      recordCommand(tx, { organizationNo: no, object: 'telemetry', action: 'import' }),
    );
  }
  const progress = new Progress('rows');
  const errors = new RowErrorGroups();
  const firstRows: Record<string, unknown>[] = [];
  const rows = readRows(source, options.format ?? 'csv', {
    ...tableOptions(options, options.onNote ?? ((note) => progress.line(note))),
    names: options.column ?? {},
    device: options.device,
    onDelimiter(delimiter) {
      if (bad) bad.delimiter = delimiter;
    },
    onHeader: (cells) => bad?.writeHeader(cells),
  });
  const counts = await importReadings(pool, rows, {
    organizationNo: no,
    dryRun: options.dryRun ?? false,
    format: { ...textFormat(options), shiftMs: options.shiftMs },
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
  progress.end();
  for (const line of errors.describe(MAX_SHOWN_ERRORS)) progress.line(line);
  const firstRowFields = options.dryRun ? { first_rows: firstRows.slice(0, SHOWN_ROWS) } : {};
  return { ...counts, errors: errors.list(), ...firstRowFields };
}

export const describeImportedReadings = ({ read, stored, duplicates, rejected }: ReadingImportCounts): string =>
  `${read} rows: ${stored} stored, ${duplicates} duplicates, ${rejected} rejected`;

/** The first readings of a batch with the values that would be stored. */
function understoodRows({ rows, readings }: ImportedBatch): Record<string, unknown>[] {
  return readings.slice(0, SHOWN_ROWS).map(({ line, atMs, fillPercentage }) => {
    const row = rows.find((candidate) => candidate.line === line);
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
  // The reason is added as the first field. A line that is not a JSON object is written without it.
  else {
    const earlier = /^\s*\{\s*(?:"reason"\s*:\s*"(?:[^"\\]|\\.)*"\s*,?\s*)?(\})?/; // with the reason of an earlier import
    const withReason = (_: string, end?: string): string => `{"reason": ${JSON.stringify(reason)}${end ?? ', '}`;
    await bad?.writeLine(source.replace(earlier, withReason));
  }
}

export const formatOption = (description: string): Option =>
  new Option('--format <format>', description).choices(FILE_FORMATS);

/** A workbook counts as CSV, because the reader recognizes it by its first bytes. */
export function formatOf(file: string): FileFormat {
  if (/\.(csv|xlsx|xlsm|tsv|txt)$/i.test(file)) return 'csv';
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
