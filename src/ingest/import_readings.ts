import type { Pool } from 'pg';
import type { Db } from '../db/pool.ts';
import { type Measure, quote, type RejectionCode, type TankReading } from '../telemetry/reading.ts';
import type { FileRow } from '../telemetry/reading_file.ts';
import { type FileReading, parseFileReading } from '../telemetry/reading_row.ts';
import type { TextFormat } from '../values/text_format.ts';
import { isUuid } from '../values/uuid7.ts';
import { BatchIngester } from './batch_ingester.ts';
import { type Comparison, compareWithStored } from './compare_with_stored.ts';
import { conflictError, type IngestResult } from './ingest_batch.ts';

export interface RejectedRow {
  line: number;
  code: RejectionCode | 'unknown_tank';
  /** A sentence that says what is wrong and what to do. */
  reason: string;
}

export interface ReadingImportCounts {
  read: number;
  stored: number;
  /** Readings that are already stored, or that repeat an earlier row, with the same value. */
  duplicates: number;
  rejected: number;
}

export interface ReadingImportOptions {
  organizationNo: number;
  /** Compares every row with the stored readings and stores none. Finds conflicts between two rows only if both are in one batch. */
  dryRun?: boolean;
  /** How the file writes numbers and times. */
  format?: TextFormat;
  /**
   * Called after each batch with the counts so far, the rejected rows of the batch by line, and all its rows and readings. The import
   * waits for the result.
   */
  report: (
    counts: Readonly<ReadingImportCounts>,
    rejections: readonly RejectedRow[],
    batch: ImportedBatch,
  ) => Promise<void> | void;
}

export interface ImportedBatch {
  rows: readonly FileRow[];
  readings: readonly RowTankReading[];
}

/** Rows per transaction. More rows would lock tanks for longer; with fewer rows, round trips would take most of the time. */
const BATCH_ROWS = 5_000;

/** Imports the readings of a file of any length, in any order. Importing it again changes nothing. Bad rows are skipped. */
export async function importReadings(
  pool: Pool,
  rows: AsyncIterable<readonly FileRow[]>,
  options: ReadingImportOptions,
): Promise<ReadingImportCounts> {
  const ingester = new BatchIngester(pool);
  const counts: ReadingImportCounts = { read: 0, stored: 0, duplicates: 0, rejected: 0 };
  const importBatch = async (batch: readonly FileRow[]): Promise<void> => {
    const nowMs = Date.now();
    const parsed = batch.map((row) => parseRow(row, nowMs, options.format));
    const tankRows = await findTanksOfRows(pool, options.organizationNo, parsed.filter(isNotRejected));
    const readings = tankRows.filter(isNotRejected);
    const { stored, conflicts } = options.dryRun
      ? await compareOnly(pool, readings)
      : await ingester.ingestReadings(readings);
    const conflictRows = conflicts.flatMap((conflict): RejectedRow[] => {
      const reading = readings[conflict.index];
      if (reading === undefined) return [];
      const { code, detail } = conflictError(reading, conflict);
      return [{ line: reading.line, code, reason: detail }];
    });
    const rejections = [...parsed, ...tankRows, ...conflictRows].filter(isRejected);
    counts.read += batch.length;
    counts.stored += stored;
    counts.rejected += rejections.length;
    counts.duplicates = counts.read - counts.stored - counts.rejected;
    await options.report(
      counts,
      rejections.toSorted((a, b) => a.line - b.line),
      { rows: batch, readings },
    );
  };

  let batch: FileRow[] = [];
  for await (const chunk of rows) {
    for (const row of chunk) {
      batch.push(row);
      if (batch.length < BATCH_ROWS) continue;
      await importBatch(batch);
      batch = [];
    }
  }
  await importBatch(batch);
  return counts;
}

/** A parsed row, which names its tank by tank_id, device_id or both. */
interface RowReading extends FileReading {
  line: number;
  tankId: string;
  deviceId: string;
  measure?: Measure;
}

export interface RowTankReading extends TankReading {
  line: number;
}

const iso = (ms: number): string => new Date(ms).toISOString();

const isRejected = (row: object): row is RejectedRow => 'code' in row;
const isNotRejected = <Row extends object>(row: Row | RejectedRow): row is Row => !isRejected(row);

function parseRow(row: FileRow, nowMs: number, format: TextFormat | undefined): RowReading | RejectedRow {
  const reject = (code: RejectionCode, reason: string): RejectedRow => ({ line: row.line, code, reason });
  if ('problem' in row) return reject('malformed', `The row ${row.problem}.`);
  const { tank_id: tankId, device_id: deviceId, created_at: time, fill_percentage: fill } = row.cells;
  if (tankId === '' && deviceId === '') return reject('malformed', 'The row must have a device_id or a tank_id.');
  const reading = parseFileReading(time, fill, nowMs, format);
  if ('code' in reading) return reject(reading.code, reading.detail);
  return { line: row.line, tankId, deviceId, ...reading, ...(row.measure && { measure: row.measure }) };
}

/**
 * Finds the tank of each row: the tank with its tank_id, otherwise the tank that its device was on at the reading's
 * time. The tank_id comes first because an export names both, and its device_id is the current device. The device_id
 * is used if the organization has no such tank, so that an export can be imported into another organization.
 */
async function findTanksOfRows(
  db: Db,
  organizationNo: number,
  readings: readonly RowReading[],
): Promise<(RowTankReading | RejectedRow)[]> {
  // The tanks are read for each batch: a cache would need memory for every device, and assignments change during an import.
  const { rows } = await db.query<{ tank_no: number | null }>(
    `select coalesce(by_id.no, by_device.no) as tank_no
     from unnest($2::uuid[], $3::text[], $4::timestamptz[])
       with ordinality as r (tank_id, device_id, created_at, position)
     left join tanks by_id
       on by_id.id = r.tank_id and by_id.organization_no = $1 and by_id.deleted_at is null
     left join device_assignments a
       on a.organization_no = $1 and a.device_id = r.device_id and a.from_at <= r.created_at and r.created_at < a.to_at
     -- Readings of a deleted tank are rejected, because no list would show them.
     left join tanks by_device on by_device.no = a.tank_no and by_device.deleted_at is null
     order by r.position`,
    [
      organizationNo,
      readings.map(({ tankId }) => (isUuid(tankId) ? tankId : null)),
      // PostgreSQL's text cannot hold NUL, and no device id contains one.
      readings.map(({ deviceId }) => (deviceId.includes('\0') ? '' : deviceId)),
      readings.map(({ atMs }) => iso(atMs)),
    ],
  );
  return readings.map(({ tankId, deviceId, ...reading }, index) => {
    const { line, atMs } = reading;
    const tankNo = rows[index]?.tank_no ?? null;
    if (tankNo !== null) return { ...reading, tankNo };
    if (deviceId === '') {
      const reason = `The organization has no tank with the id ${quote(tankId)}; import its tanks first.`;
      return { line, code: 'unknown_tank', reason };
    }
    const reason =
      `The device ${quote(deviceId)} was not assigned to a tank of the organization at ${iso(atMs)}; ` +
      'create or assign the tank first.';
    return { line, code: 'unknown_device', reason };
  });
}

async function compareOnly(
  db: Db,
  readings: readonly TankReading[],
): Promise<Pick<IngestResult, 'stored'> & Pick<Comparison, 'conflicts'>> {
  const { newReadings, conflicts } = await compareWithStored(db, readings);
  return { stored: newReadings.length, conflicts };
}
