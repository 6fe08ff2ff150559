import type { Pool } from 'pg';
import { arrayLiteral, type Tx, transaction } from '../db/pool.ts';
import { tryLock } from '../db/try_lock.ts';
import { DAY_MS } from '../values/time.ts';
import { STATE_VERSION } from './state_codec.ts';

/** The number of rows that one statement scans. */
const SCANNED_ROWS = 10_000;
/** The largest number of tanks that one transaction adds to the queue. */
const QUEUED_TANKS = 1_000;
/** The scan pauses while this many tanks are due, so that a tank with a new reading does not wait for more than these. */
const MAX_DUE_TANKS = 400;
/**
 * Writers of the previous release may still run and write states, so the scan is repeated once a day. Readings and
 * timers find most of these states earlier.
 */
const PASS_INTERVAL_MS = DAY_MS;

export interface OutdatedScanResult {
  queued: number;
  /** True if more tanks can be queued now. */
  isMore: boolean;
}

/**
 * Finds the states that an older release wrote, and adds their tanks to the queue of re-evaluation: a changed estimator
 * evaluates the stored readings of every tank again. Tanks are queued a few at a time, so that the queue stays short
 * for tanks with new readings. One writer at a time is enough.
 */
export class OutdatedStateScan {
  readonly #pool: Pool;
  #position = { afterTankNo: 0, nextPassMs: 0 };

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async queueBatch(): Promise<OutdatedScanResult> {
    if (Date.now() < this.#position.nextPassMs) return { queued: 0, isMore: false };
    // The position is set after the commit, so that the tanks of a transaction that was rolled back are scanned again.
    let position: { afterTankNo: number; nextPassMs: number } | undefined;
    const result = await transaction(this.#pool, async (tx) => {
      const isScanning = await tryLock(tx, 'tankwatch outdated states');
      if (!isScanning || (await isQueueLong(tx))) return { queued: 0, isMore: false };
      const { rows } = await tx.query<{ tank_no: number; is_outdated: boolean }>(
        `select tank_no, coalesce(substring(encoded_state from '^\\[(\\d+),')::int < $3, false) as is_outdated
         from tank_states where tank_no > $1 order by tank_no limit $2`,
        [this.#position.afterTankNo, SCANNED_ROWS, STATE_VERSION],
      );
      const outdated = rows.filter((row) => row.is_outdated).map((row) => row.tank_no);
      const toQueue = outdated.slice(0, QUEUED_TANKS);
      const isPassDone = rows.length < SCANNED_ROWS && outdated.length === toQueue.length;
      const lastNo = outdated.length === toQueue.length ? rows.at(-1)?.tank_no : toQueue.at(-1);
      const queued = await queueOutdated(tx, toQueue);
      position = isPassDone
        ? { afterTankNo: 0, nextPassMs: Date.now() + PASS_INTERVAL_MS }
        : { afterTankNo: lastNo ?? 0, nextPassMs: 0 };
      return { queued, isMore: !isPassDone };
    });
    if (position !== undefined) this.#position = position;
    return result;
  }
}

async function isQueueLong(tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<{ n: number }>(
    'select count(*) as n from (select from reevaluations where next_attempt_at <= now() limit $1) as due',
    [MAX_DUE_TANKS],
  );
  return (rows[0]?.n ?? 0) >= MAX_DUE_TANKS;
}

/**
 * Adds tanks to the queue without a lock on tank_states, so that readings do not wait. Re-evaluation checks the version
 * again under the lock.
 */
async function queueOutdated(tx: Tx, tankNos: readonly number[]): Promise<number> {
  if (tankNos.length === 0) return 0;
  const { rowCount } = await tx.query(
    `insert into reevaluations (tank_no, organization_no)
     select f.tank_no, f.organization_no from tank_settings f
     where f.tank_no = any ($1::int[]) and not f.is_deleted order by f.tank_no
     on conflict do nothing`,
    [arrayLiteral(tankNos)],
  );
  return rowCount ?? 0;
}
