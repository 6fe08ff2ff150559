import type { Pool } from 'pg';
import { onlyRow } from '../db/only_row.ts';
import { type Db, transaction } from '../db/pool.ts';
import { describeDrift, findCounterDrift } from './counter_drift.ts';

/** The progress of the continuous check of all counters, which runs in rounds: the row of counter_check. */
export interface CounterCheck {
  checked_at: string;
  /** The tanks that were checked in the current round. */
  checked_tanks: number;
  /** The wrong counters that were found in the current round. */
  wrong_counters: number;
  /** The description of the first wrong counter of the current round. */
  example: string | null;
  /** When the last complete round ended. */
  ended_at: string | null;
  /** The wrong counters that were found in the last complete round. */
  ended_wrong: number;
  /** The description of the first wrong counter of the last complete round. */
  ended_example: string | null;
  /** True if the worker has checked nothing for a day. */
  is_stalled: boolean;
}

const COLUMNS = `checked_at, checked_tanks, wrong_counters, example, ended_at, ended_wrong, ended_example,
  checked_at < now() - interval '1 day' and exists (select from tank_states) as is_stalled`;

export interface CheckedBatch extends CounterCheck {
  /** True if nothing was checked: another worker checks now, or the last round ended less than an hour ago. */
  isIdle: boolean;
}

/** Recounts the readings of the next tanks, and records the wrong counters. After the last tank, another round begins. */
export async function checkNextTanks(pool: Pool, maxTanks: number): Promise<CheckedBatch> {
  return transaction(pool, async (tx) => {
    // Only one worker checks at a time.
    const { rows } = await tx.query<{ last_tank_no: number; is_due: boolean }>(
      `select last_tank_no, last_tank_no > 0 or ended_at is null or ended_at < now() - interval '1 hour' as is_due
       from counter_check for update skip locked`,
    );
    const [position] = rows;
    if (position === undefined || !position.is_due) return { ...(await readCounterCheck(tx)), isIdle: true };
    const batch = await recountNextTanks(tx, position.last_tank_no, maxTanks);
    if (batch === null) {
      await tx.query(
        `update counter_check set began_at = now(), checked_at = now(), last_tank_no = 0, checked_tanks = 0,
           wrong_counters = 0, example = null, ended_at = now(), ended_tanks = checked_tanks,
           ended_wrong = wrong_counters, ended_example = example`,
      );
    } else {
      await tx.query(
        `update counter_check set checked_at = now(), last_tank_no = $1, checked_tanks = checked_tanks + $2,
           wrong_counters = wrong_counters + $3, example = coalesce(example, $4)`,
        [batch.lastTankNo, batch.tanks, batch.problems.length, batch.problems[0] ?? null],
      );
    }
    return { ...(await readCounterCheck(tx)), isIdle: false };
  });
}

export async function readCounterCheck(db: Db): Promise<CounterCheck> {
  const { rows } = await db.query<CounterCheck>(`select ${COLUMNS} from counter_check`);
  return onlyRow(rows);
}

/** Recounts the readings of the next tanks. Returns null if there are no more tanks. */
async function recountNextTanks(
  db: Db,
  afterNo: number,
  maxTanks: number,
): Promise<{ tanks: number; lastTankNo: number; problems: string[] } | null> {
  const { rows } = await db.query<{ tank_no: number }>(
    'select tank_no from tank_states where tank_no > $1 order by tank_no limit $2',
    [afterNo, maxTanks],
  );
  const last = rows.at(-1);
  if (last === undefined) return null;
  const drifts = await findCounterDrift(db, { from: afterNo + 1, to: last.tank_no + 1, missing: [] });
  return { tanks: rows.length, lastTankNo: last.tank_no, problems: drifts.map(describeDrift) };
}
