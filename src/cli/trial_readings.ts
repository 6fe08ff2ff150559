import type { LevelReading } from '../evaluation/pure/estimator/level_filter.ts';
import { type FileRow, readRows } from '../telemetry/reading_file.ts';
import { parseFileReading } from '../telemetry/reading_row.ts';
import { type ByteSource, sourceOf } from '../values/byte_source.ts';
import { type CsvOptions, type CsvRecord, readCsv } from '../values/csv_reader.ts';
import type { TextFormat } from '../values/text_format.ts';
import { UserError } from '../values/user_error.ts';

/** The readings of one tank, in the order of time. */
export interface TrialTank {
  /** The tank_id or device_id of the file; empty where the file names none. */
  tank: string;
  readings: LevelReading[];
}

export interface TrialReadings {
  tanks: TrialTank[];
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

export interface TrialOptions {
  fromMs?: number | undefined;
  toMs?: number | undefined;
  csv?: CsvOptions;
  format?: TextFormat;
}

/** Reads a file as for `telemetry import`, or one with two columns, time and percentage, with or without a header. */
export async function readTrialReadings(
  source: ByteSource,
  { fromMs, toMs, csv = {}, format = {} }: TrialOptions,
): Promise<TrialReadings> {
  const content = Buffer.concat(await Array.fromAsync(source.chunks()));
  const rejected: string[] = [];
  const records = (await Array.fromAsync(readCsv(sourceOf(content), csv))).flat();
  const parseRow = (time: string, fill: string): LevelReading | string => {
    const reading = parseFileReading(time, fill, Date.now(), format);
    return 'code' in reading ? reading.detail : reading;
  };
  const isTwoColumns = records[0]?.cells.length === 2;
  const rows = isTwoColumns
    ? twoColumnRows(records, parseRow, rejected)
    : await importRows(content, { ...csv, onNote: undefined }, rejected);
  const tanks = new Map<string, Map<number, number>>();
  let outside = 0;
  for (const { line, tank, time, fill } of rows) {
    const reading = parseRow(time, fill);
    if (typeof reading === 'string') {
      rejected.push(`line ${line}: ${reading}`);
      continue;
    }
    if (reading.atMs < (fromMs ?? 0) || reading.atMs >= (toMs ?? Number.POSITIVE_INFINITY)) {
      outside++;
      continue;
    }
    const readings = tanks.get(tank) ?? new Map<number, number>();
    tanks.set(tank, readings);
    const known = readings.get(reading.atMs);
    if (known === undefined) readings.set(reading.atMs, reading.fillPercentage);
    else if (known !== reading.fillPercentage) {
      rejected.push(`line ${line}: the tank has ${known} at ${time} already, and not ${fill}.`);
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
    rejected,
  };
}

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
  return records.flatMap(({ line, cells, problem }, n) => {
    const [time = '', fill = ''] = cells.map((cell) => cell.trim());
    // The first row may be a header with any names.
    if (n === 0 && typeof parseRow(time, fill) === 'string' && !/\d/.test(fill)) return [];
    if (problem === null && cells.length === 2) return [{ line, tank: '', time, fill }];
    const counts = `has ${cells.length} cells instead of two; quote a cell with a comma`;
    rejected.push(`line ${line}: the row ${problem ?? counts}.`);
    return [];
  });
}

async function importRows(content: Buffer, csv: CsvOptions, rejected: string[]): Promise<TrialRow[]> {
  const rows: TrialRow[] = [];
  for await (const batch of readRows(sourceOf(content), 'csv', csv)) {
    for (const row of batch) {
      const taken = asTrialRow(row);
      if (typeof taken === 'string') rejected.push(taken);
      else rows.push(taken);
    }
  }
  return rows;
}

function asTrialRow(row: FileRow): TrialRow | string {
  if ('problem' in row) return `line ${row.line}: the row ${row.problem}.`;
  const { tank_id: tankId, device_id: deviceId, created_at: time, fill_percentage: fill } = row.cells;
  return { line: row.line, tank: tankId === '' ? deviceId : tankId, time, fill };
}
