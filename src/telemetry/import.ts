import type { Pool } from 'pg';
import { parseTimeMs } from '../catalog/fields.ts';
import { isUuid } from '../catalog/uuid7.ts';
import { type Db, type Tx, transaction } from '../db/pool.ts';
import type { GivenRow } from './reading_file.ts';
import { ReadingStore, type TankReading } from './store.ts';

export type RejectionCode =
  | 'malformed_row'
  | 'unknown_device'
  | 'unknown_tank'
  | 'malformed_time'
  | 'future_time'
  | 'time_before_2000'
  | 'malformed_fill'
  | 'fill_out_of_range'
  | 'conflict';

export interface Rejection {
  line: number;
  code: RejectionCode;
  /** A sentence that says what to do about it. */
  reason: string;
}

export interface ImportCounts {
  read: number;
  stored: number;
  /** Readings that were there already, or earlier in the file, with the same value. */
  known: number;
  rejected: number;
}

export interface ImportOptions {
  organizationNo: number;
  /** Judges every row against what is stored now, and stores none; two rows that contradict each other are seen only
   *  where they lie in one batch. */
  dryRun?: boolean;
  /** Told after each batch: everything so far, and what was wrong in this batch, by line. The import waits for it. */
  report: (counts: Readonly<ImportCounts>, rejections: readonly Rejection[]) => Promise<void> | void;
}

/** One transaction each: large enough for the round trips not to matter, small enough for a tank's lock to be short. */
const BATCH_ROWS = 5_000;

/** Stores the readings of a file, however long, in any order and any number of times. Bad rows stop none of the rest. */
export async function importReadings(
  pool: Pool,
  rows: AsyncIterable<readonly GivenRow[]>,
  options: ImportOptions,
): Promise<ImportCounts> {
  const store = options.dryRun ? undefined : new ReadingStore(pool);
  const counts: ImportCounts = { read: 0, stored: 0, known: 0, rejected: 0 };
  const importBatch = async (batch: readonly GivenRow[]): Promise<void> => {
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

  let batch: GivenRow[] = [];
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
  createdAt: string;
  fillPercentage: number;
}

interface PlacedReading extends TankReading {
  line: number;
}

const isRejection = (row: object): row is Rejection => 'code' in row;
const isRight = <Row extends object>(row: Row | Rejection): row is Row => !isRejection(row);

const FIRST_MS = Date.UTC(2000);
/** Clocks of other systems run ahead of ours by some minutes, not by more. */
const MAX_AHEAD_MS = 600_000;

function judge(row: GivenRow, nowMs: number): GivenReading | Rejection {
  const reject = (code: RejectionCode, reason: string): Rejection => ({ line: row.line, code, reason });
  if ('wrong' in row) return reject('malformed_row', `the row ${row.wrong}.`);
  const { tank_id: tankId, device_id: deviceId, created_at: time, fill_percentage: fill } = row.cells;

  if (tankId === '' && deviceId === '') return reject('malformed_row', 'the row must have a device_id or a tank_id.');
  const atMs = parseTimeMs(time);
  if (atMs === undefined)
    return reject('malformed_time', `${quote(time)} must be a time such as 2025-08-13T16:38:55Z.`);
  if (atMs > nowMs + MAX_AHEAD_MS)
    return reject('future_time', `${quote(time)} is still to come; check its time zone.`);
  if (atMs < FIRST_MS) return reject('time_before_2000', `${quote(time)} is before 2000; check the clock it is from.`);

  const fillPercentage = /^[+-]?\d+(\.\d*)?(e[+-]?\d+)?$/i.test(fill) ? Number(fill) : Number.NaN;
  if (Number.isNaN(fillPercentage)) return reject('malformed_fill', `${quote(fill)} must be a number such as 45.51.`);
  if (fillPercentage < 0 || fillPercentage > 100)
    return reject('fill_out_of_range', `${quote(fill)} must be a percentage from 0 to 100.`);
  return { line: row.line, tankId, deviceId, createdAt: new Date(atMs).toISOString(), fillPercentage };
}

/** What a file says, fit for a terminal: short, and without control characters. */
const quote = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);

/**
 * Finds each reading's tank: the one with its tank_id, or else the one that its device was on at the reading's time.
 * In this order, because an export names both, and its device is only the one that is on the tank today; and the
 * second is tried where the first is not ours, so that an export can be imported into another organization.
 */
async function place(
  db: Db,
  organizationNo: number,
  readings: readonly GivenReading[],
): Promise<(PlacedReading | Rejection)[]> {
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
      readings.map(({ createdAt }) => createdAt),
    ],
  );
  return readings.map(({ line, tankId, deviceId, createdAt, fillPercentage }, at) => {
    const tankNo = rows[at]?.tank_no ?? null;
    if (tankNo !== null) return { line, tankNo, createdAt, fillPercentage };
    if (deviceId === '')
      return { line, code: 'unknown_tank', reason: `the organization has no tank with the id ${quote(tankId)}.` };
    const reason = `no tank of the organization carried the device ${quote(deviceId)} at ${createdAt}; create it first.`;
    return { line, code: 'unknown_device', reason };
  });
}

/** Stores what is new, and finds what contradicts what is stored. Without a store, only says what would be. */
async function keep(
  pool: Pool,
  store: ReadingStore | undefined,
  readings: readonly PlacedReading[],
): Promise<{ stored: number; conflicts: Rejection[] }> {
  if (readings.length === 0) return { stored: 0, conflicts: [] };
  let stored = 0;
  if (store !== undefined) {
    // Where a file says two things of one moment, the first is taken, as it is when they lie in different batches.
    const firsts = new Map(readings.toReversed().map((reading) => [`${reading.tankNo} ${reading.createdAt}`, reading]));
    ({ stored } = await store.store([...firsts.values()]));
    if (stored === readings.length) return { stored, conflicts: [] };
  }
  // After storing, so that nobody can come between: a reading that is there never changes.
  const compared = await transaction(pool, (tx) => compare(tx, readings));
  const conflicts = readings.flatMap(({ line, createdAt, fillPercentage }, at): Rejection[] => {
    const kept = compared[at]?.kept ?? fillPercentage;
    if (!compared[at]?.is_conflict) return [];
    const reason = `the tank has ${kept} at ${createdAt} and not ${fillPercentage}; a reading is never changed.`;
    return [{ line, code: 'conflict', reason }];
  });
  return { stored: store === undefined ? compared.filter((row) => row.is_new).length : stored, conflicts };
}

interface Compared {
  /** What the tank has at this time: stored, or else said first. */
  kept: number;
  is_new: boolean;
  is_conflict: boolean;
}

async function compare(tx: Tx, readings: readonly PlacedReading[]): Promise<Compared[]> {
  const { rows } = await tx.query<Compared>(
    `select coalesce(stored.fill, r.first_fill) as kept, stored.fill is null and r.turn = 1 as is_new,
            coalesce(stored.fill, r.first_fill) <> r.fill as is_conflict
     from (
       select tank_no, created_at, at, fill, first_value(fill) over same as first_fill, row_number() over same as turn
       from (
         -- Rounded here as it is when stored; JavaScript rounds 45.005 the other way.
         select tank_no, created_at, at, round(fill_percentage::numeric, 2)::real as fill
         from unnest($1::int[], $2::timestamptz[], $3::float8[])
           with ordinality as given (tank_no, created_at, fill_percentage, at)
       ) as rounded
       window same as (partition by tank_no, created_at order by at)
     ) as r
     -- The offset keeps this one look into one partition per reading, where a join might read all of them.
     left join lateral (
       select fill_percentage as fill from telemetry t
       where t.tank_no = r.tank_no and t.created_at = r.created_at offset 0
     ) as stored on true
     order by r.at`,
    [
      readings.map((reading) => reading.tankNo),
      readings.map((reading) => reading.createdAt),
      readings.map((reading) => reading.fillPercentage),
    ],
  );
  return rows;
}
