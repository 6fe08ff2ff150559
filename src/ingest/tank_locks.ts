import { arrayLiteral, type Tx } from '../db/pool.ts';
import {
  TANK_STATE_COLUMNS,
  type TankStateRow,
  type TankToEvaluate,
  tankToEvaluate,
} from '../evaluation/evaluate_readings.ts';
import type { TankReading } from '../telemetry/reading.ts';

export interface LockedTank {
  /** Time of the newest stored reading; -Infinity if the tank has none. */
  latestMs: number;
  /** Null for a tank that the catalog does not contain. */
  toEvaluate: TankToEvaluate | null;
}
export type LockedTanks = ReadonlyMap<number, LockedTank>;

/**
 * Locks the tanks of these readings until the end of the transaction. The lock of a tank is its row in tank_states.
 * Every transaction takes the locks in the order of tank numbers, so that two of them cannot deadlock.
 */
export async function lockTanks(tx: Tx, readings: readonly TankReading[]): Promise<LockedTanks> {
  const tankNos = [...new Set(readings.map(({ tankNo }) => tankNo))];
  const tanks = new Map<number, LockedTank>();
  await lockRows(tx, tankNos, tanks);
  const missing = tankNos.filter((tankNo) => !tanks.has(tankNo));
  if (missing.length === 0) return tanks;
  // A tank has no row before its first reading. Another writer may be inserting the same row.
  await tx.query(
    `insert into tank_states (tank_no, latest_at, latest_fill_percentage)
     select tank_no, '-infinity', 0 from unnest($1::int[]) as tank_no order by tank_no
     on conflict do nothing`,
    [arrayLiteral(missing)],
  );
  await lockRows(tx, missing, tanks);
  return tanks;
}

async function lockRows(tx: Tx, tankNos: readonly number[], tanks: Map<number, LockedTank>): Promise<void> {
  const { rows } = await tx.query<TankStateRow & { latest_ms: number }>({
    name: 'lock_tanks',
    text: `select s.tank_no, date_part('epoch', s.latest_at) * 1000 as latest_ms, ${TANK_STATE_COLUMNS}
           from tank_states s left join tank_settings f on f.tank_no = s.tank_no
           where s.tank_no = any ($1::int[]) order by s.tank_no for no key update of s`,
    values: [arrayLiteral(tankNos)],
  });
  for (const row of rows) {
    const latestMs = Math.round(row.latest_ms);
    tanks.set(row.tank_no, { latestMs, toEvaluate: tankToEvaluate(row, Number.isFinite(latestMs)) });
  }
}
