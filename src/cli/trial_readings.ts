import { parse } from 'csv-parse/sync';
import type { LevelReading } from '../estimator/level_filter.ts';
import { parsePercentage, parseReadingTime, quote } from '../telemetry/reading.ts';
import { type FileRow, readRows } from '../telemetry/reading_file.ts';
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

/** Reads a file as for `telemetry import`, or one with two columns, time and percentage, with or without a header. */
export async function readTrialReadings(
  input: AsyncIterable<Uint8Array>,
  { fromMs, toMs }: { fromMs?: number | undefined; toMs?: number | undefined },
): Promise<TrialReadings> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of input) chunks.push(chunk);
  const content = Buffer.concat(chunks);
  const rejected: string[] = [];
  const rows = isTwoColumns(content) ? twoColumnRows(content, rejected) : await importRows(content, rejected);
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

const CSV_OPTIONS = { bom: true, skip_empty_lines: true, relax_quotes: true, relax_column_count: true } as const;

function isTwoColumns(content: Buffer): boolean {
  const end = content.indexOf('\n');
  const [first] = parseCsv(content.subarray(0, end < 0 ? content.length : end));
  return first?.length === 2;
}

function twoColumnRows(content: Buffer, rejected: string[]): TrialRow[] {
  return parseCsv(content).flatMap((cells, n) => {
    const [time = '', fill = ''] = cells.map((cell) => cell.trim());
    // The first row may be a header with any names.
    if (n === 0 && typeof parseRow(time, fill) === 'string' && !/\d/.test(fill)) return [];
    if (cells.length === 2) return [{ line: n + 1, tank: '', time, fill }];
    rejected.push(`line ${n + 1}: the row has ${cells.length} cells instead of two; quote a cell with a comma.`);
    return [];
  });
}

function parseCsv(content: Buffer): string[][] {
  const rows: unknown = parse(content, CSV_OPTIONS);
  if (!Array.isArray(rows)) return [];
  return rows.map((row: unknown) => (Array.isArray(row) ? row.map(String) : []));
}

async function importRows(content: Buffer, rejected: string[]): Promise<TrialRow[]> {
  const rows: TrialRow[] = [];
  for await (const batch of readRows(chunksOf(content), 'csv', {})) {
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

async function* chunksOf(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content;
}

/** A reading, or a sentence on what is wrong with it. */
function parseRow(time: string, fill: string): LevelReading | string {
  const atMs = parseReadingTime(time, Date.now());
  if (typeof atMs !== 'number') return atMs.detail;
  const value = /^[+-]?\d+(\.\d*)?(e[+-]?\d+)?$/i.test(fill) ? Number(fill) : Number.NaN;
  if (Number.isNaN(value)) return `${quote(fill)} must be a number such as 45.51.`;
  const fillPercentage = parsePercentage(value);
  return typeof fillPercentage === 'number' ? { atMs, fillPercentage } : fillPercentage.detail;
}
