import type { Pool } from 'pg';
import { type Db, transaction } from '../db/pool.ts';
import { findExistingReadings } from '../telemetry/existing_readings.ts';
import {
  parsePercentage,
  parseReadingTime,
  quote,
  type RejectionCode,
  type TankReading,
} from '../telemetry/reading.ts';
import type { FileRow } from '../telemetry/reading_file.ts';
import { isUuid } from '../values/uuid7.ts';
import { type Conflict, ReadingStore, type StoreResult } from './store_readings.ts';

export interface RejectedRow {
  line: number;
  code: RejectionCode | 'unknown_tank';
  /** A sentence that says what to do about it. */
  reason: string;
}

export interface ReadingImportCounts {
  read: number;
  stored: number;
  /** Readings that were there already, or earlier in the file, with the same value. */
  known: number;
  rejected: number;
}

export interface ReadingImportOptions {
  organizationNo: number;
  /** Judges every row against what is stored now, and stores none; two rows that contradict each other are seen only
   *  where they lie in one batch. */
  dryRun?: boolean;
  /** Told after each batch: everything so far, and what was wrong in this batch, by line. The import waits for it. */
  report: (counts: Readonly<ReadingImportCounts>, rejections: readonly RejectedRow[]) => Promise<void> | void;
}

/** One transaction each: large enough for the round trips not to matter, small enough for a tank's lock to be short. */
const BATCH_ROWS = 5_000;

/** Stores the readings of a file, however long, in any order and any number of times. Bad rows stop none of the rest. */
export async function importReadings(
  pool: Pool,
  rows: AsyncIterable<readonly FileRow[]>,
  options: ReadingImportOptions,
): Promise<ReadingImportCounts> {
  const store = options.dryRun ? undefined : new ReadingStore(pool);
  const counts: ReadingImportCounts = { read: 0, stored: 0, known: 0, rejected: 0 };
  const importBatch = async (batch: readonly FileRow[]): Promise<void> => {
    const judged = batch.map((row) => judge(row, Date.now()));
    const placed = await place(pool, options.organizationNo, judged.filter(isRight));
    const kept = await keep(pool, store, placed.filter(isRight));
    const rejections = [...judged, ...placed, ...kept.conflicts].filter(isRejection);
    counts.read += batch.length;
    counts.stored += kept.stored;
    counts.rejected += rejections.length;
    counts.known = counts.read - counts.stored - counts.rejected;
    await options.report(
      counts,
      rejections.toSorted((a, b) => a.line - b.line),
    );
  };

  let batch: FileRow[] = [];
  for await (const some of rows) {
    for (const row of some) {
      batch.push(row);
      if (batch.length < BATCH_ROWS) continue;
      await importBatch(batch);
      batch = [];
    }
  }
  await importBatch(batch);
  return counts;
}

/** A reading that names its tank as the file does. */
interface GivenReading {
  line: number;
  tankId: string;
  deviceId: string;
  atMs: number;
  fillPercentage: number;
}

interface PlacedReading extends TankReading {
  line: number;
}

const iso = (ms: number): string => new Date(ms).toISOString();

const isRejection = (row: object): row is RejectedRow => 'code' in row;
const isRight = <Row extends object>(row: Row | RejectedRow): row is Row => !isRejection(row);

function judge(row: FileRow, nowMs: number): GivenReading | RejectedRow {
  const reject = (code: RejectionCode, reason: string): RejectedRow => ({ line: row.line, code, reason });
  if ('wrong' in row) return reject('malformed', `the row ${row.wrong}.`);
  const { tank_id: tankId, device_id: deviceId, created_at: time, fill_percentage: fill } = row.cells;

  if (tankId === '' && deviceId === '') return reject('malformed', 'the row must have a device_id or a tank_id.');
  const atMs = parseReadingTime(time, nowMs);
  if (typeof atMs !== 'number') return reject(atMs.code, atMs.detail);
  const value = /^[+-]?\d+(\.\d*)?(e[+-]?\d+)?$/i.test(fill) ? Number(fill) : Number.NaN;
  if (Number.isNaN(value)) return reject('malformed_level', `${quote(fill)} must be a number such as 45.51.`);
  const fillPercentage = parsePercentage(value);
  if (typeof fillPercentage !== 'number') return reject(fillPercentage.code, fillPercentage.detail);
  return { line: row.line, tankId, deviceId, atMs, fillPercentage };
}

/**
 * Finds each reading's tank: the one with its tank_id, or else the one that its device was on at the reading's time.
 * In this order, because an export names both, and its device is only the one that is on the tank today; and the
 * second is tried where the first is not ours, so that an export can be imported into another organization.
 */
async function place(
  db: Db,
  organizationNo: number,
  readings: readonly GivenReading[],
): Promise<(PlacedReading | RejectedRow)[]> {
  // Asked anew for each batch: remembering devices would cost memory for each, and devices move while we run.
  const { rows } = await db.query<{ tank_no: number | null }>(
    `select coalesce(named.no, carrying.no) as tank_no
     from unnest($2::uuid[], $3::text[], $4::timestamptz[]) with ordinality as r (tank_id, device_id, created_at, at)
     left join tanks named
       on named.id = r.tank_id and named.organization_no = $1 and named.deleted_at is null
     left join device_assignments a
       on a.organization_no = $1 and a.device_id = r.device_id and a.from_at <= r.created_at and r.created_at < a.to_at
     -- What a deleted tank held is shown to nobody, so nothing is added to it.
     left join tanks carrying on carrying.no = a.tank_no and carrying.deleted_at is null
     order by r.at`,
    [
      organizationNo,
      readings.map(({ tankId }) => (isUuid(tankId) ? tankId : null)),
      // No device has a NUL in its id, and PostgreSQL does not take one.
      readings.map(({ deviceId }) => (deviceId.includes('\0') ? '' : deviceId)),
      readings.map(({ atMs }) => iso(atMs)),
    ],
  );
  return readings.map(({ line, tankId, deviceId, atMs, fillPercentage }, at) => {
    const tankNo = rows[at]?.tank_no ?? null;
    if (tankNo !== null) return { line, tankNo, atMs, fillPercentage };
    if (deviceId === '')
      return { line, code: 'unknown_tank', reason: `the organization has no tank with the id ${quote(tankId)}.` };
    const reason = `no tank of the organization carried the device ${quote(deviceId)} at ${iso(atMs)}; create it first.`;
    return { line, code: 'unknown_device', reason };
  });
}

/** Stores what is new, and finds what contradicts what is stored. Without a store, only says what would be. */
async function keep(
  pool: Pool,
  store: ReadingStore | undefined,
  readings: readonly PlacedReading[],
): Promise<{ stored: number; conflicts: RejectedRow[] }> {
  const { stored, conflicts } = store ? await store.store(readings) : await wouldStore(pool, readings);
  const reject = ({ index, kept }: Conflict): RejectedRow[] => {
    const reading = readings[index];
    if (reading === undefined) return [];
    const { line, atMs, fillPercentage } = reading;
    const reason = `the tank has ${kept} at ${iso(atMs)} and not ${fillPercentage}; a reading is never changed.`;
    return [{ line, code: 'conflict', reason }];
  };
  return { stored, conflicts: conflicts.flatMap(reject) };
}

async function wouldStore(pool: Pool, readings: readonly TankReading[]): Promise<Omit<StoreResult, 'known'>> {
  const compared = await transaction(pool, (tx) => findExistingReadings(tx, readings));
  return {
    stored: compared.filter((row) => row.is_new).length,
    conflicts: compared.flatMap(({ is_conflict, kept }, index) => (is_conflict ? [{ index, kept }] : [])),
  };
}
