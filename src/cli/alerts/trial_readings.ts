import type { LevelReading } from '../../evaluation/pure/estimator/level_filter.ts';
import { type ColumnNames, type FileRow, findReadingColumns, readRows } from '../../telemetry/reading_file.ts';
import { parseFileReading } from '../../telemetry/reading_row.ts';
import { type ByteSource, sourceOf } from '../../values/byte_source.ts';
import type { CsvRecord } from '../../values/csv_reader.ts';
import { readTable, type TableOptions } from '../../values/table_reader.ts';
import type { TextFormat } from '../../values/text_format.ts';
import { UserError } from '../../values/user_error.ts';

/** The readings of one tank, in the order of time. */
export interface TrialTank {
  /** The tank_id or device_id in the file; empty if the file has none. */
  tank: string;
  readings: LevelReading[];
}

export interface TrialReadings {
  tanks: TrialTank[];
  /**
   * The header of a file with two columns, time and percentage; empty if it has none. Null if the file has the columns
   * of an import.
   */
  twoColumns: readonly string[] | null;
  /** True if the file names no tank and no device. */
  isOneTank: boolean;
  /** One sentence per row that was left out. */
  rejected: string[];
}

/** A row of either format. */
interface TrialRow {
  line: number;
  tank: string;
  time: string;
  fill: string;
}

interface TrialOptions {
  fromMs: number | undefined;
  toMs: number | undefined;
  table: TableOptions;
  names: ColumnNames;
  format: TextFormat;
}

/**
 * Reads a file as for `telemetry import`, or one with two columns, time and percentage, with or without a header. A file
 * that names no tank has the readings of one tank.
 */
export async function readTrialReadings(
  source: ByteSource,
  { fromMs = 0, toMs = Number.POSITIVE_INFINITY, table, names, format }: TrialOptions,
): Promise<TrialReadings> {
  const content = sourceOf(Buffer.concat(await Array.fromAsync(source.chunks())));
  const rejected: string[] = [];
  const parseRow = (time: string, fill: string): LevelReading | string => {
    const reading = parseFileReading(time, fill, Date.now(), format);
    return 'code' in reading ? reading.detail : reading;
  };
  const findColumns = (cells: readonly string[]): number[] | undefined => findReadingColumns(cells, names, '');
  const records = (await Array.fromAsync(readTable(content, { ...table, findColumns }))).flat();
  const header = records[0]?.cells ?? [];
  const isTwoColumns = findColumns(header) === undefined && widthOf(header) === 2;
  const rows = isTwoColumns
    ? twoColumnRows(records, parseRow, rejected)
    : await importRows(content, { ...table, onNote: undefined }, names, rejected);
  const hasHeader = rows[0]?.line !== records[0]?.line;
  const twoColumns = isTwoColumns ? (hasHeader ? header : []) : null;
  const isOneTank = isTwoColumns || findReadingColumns(header, names) === undefined;
  const tanks = new Map<string, Map<number, number>>();
  let outside = 0;
  for (const { line, tank, time, fill } of rows) {
    const reading = parseRow(time, fill);
    if (typeof reading === 'string') {
      rejected.push(`line ${line}: ${reading}`);
      continue;
    }
    if (reading.atMs < fromMs || reading.atMs >= toMs) {
      outside++;
      continue;
    }
    const readings = tanks.get(tank) ?? new Map<number, number>();
    tanks.set(tank, readings);
    const previous = readings.get(reading.atMs);
    if (previous === undefined) readings.set(reading.atMs, reading.fillPercentage);
    else if (previous !== reading.fillPercentage) {
      rejected.push(`line ${line}: the tank has ${previous} at ${time} already, and not ${fill}.`);
    }
  }
  if (tanks.size === 0) throw new UserError(nothingToTry(rejected, outside));
  return {
    tanks: [...tanks].map(([tank, readings]) => ({
      tank,
      readings: [...readings]
        .map(([atMs, fillPercentage]) => ({ atMs, fillPercentage }))
        .toSorted((a, b) => a.atMs - b.atMs),
    })),
    twoColumns,
    isOneTank,
    rejected,
  };
}

/** The number of cells, without the empty ones to the right of a table. */
const widthOf = (cells: readonly string[]): number => cells.findLastIndex((cell) => cell.trim() !== '') + 1;

function nothingToTry(rejected: readonly string[], outside: number): string {
  if (outside > 0) return `none of the ${outside} readings lies between --from and --to.`;
  if (rejected[0] !== undefined) return `the file has no reading that can be used; ${rejected[0]}`;
  return 'the file has no readings; it needs the columns time and percentage, or those of telemetry import.';
}

function twoColumnRows(
  records: readonly CsvRecord[],
  parseRow: (time: string, fill: string) => LevelReading | string,
  rejected: string[],
): TrialRow[] {
  return records.flatMap(({ line, cells, problem }, index) => {
    const [time = '', fill = ''] = cells.map((cell) => cell.trim());
    // The first row may be a header with any names.
    if (index === 0 && typeof parseRow(time, fill) === 'string' && !/\d/.test(fill)) return [];
    if (problem === null && widthOf(cells) === 2) return [{ line, tank: '', time, fill }];
    const counts = `has ${widthOf(cells)} cells instead of two; quote a cell with a comma`;
    rejected.push(`line ${line}: the row ${problem ?? counts}.`);
    return [];
  });
}

async function importRows(
  content: ByteSource,
  table: TableOptions,
  names: ColumnNames,
  rejected: string[],
): Promise<TrialRow[]> {
  const rows: TrialRow[] = [];
  for await (const batch of readRows(content, 'csv', { ...table, names, device: '' })) {
    for (const row of batch) {
      const trialRow = asTrialRow(row);
      if (typeof trialRow === 'string') rejected.push(trialRow);
      else rows.push(trialRow);
    }
  }
  return rows;
}

function asTrialRow(row: FileRow): TrialRow | string {
  if ('problem' in row) return `line ${row.line}: the row ${row.problem}.`;
  const { tank_id: tankId, device_id: deviceId, created_at: time, fill_percentage: fill } = row.cells;
  return { line: row.line, tank: tankId === '' ? deviceId : tankId, time, fill };
}
