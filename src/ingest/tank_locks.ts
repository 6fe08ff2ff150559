import { arrayLiteral, type Tx } from '../db/pool.ts';
import type { TankToEvaluate } from '../evaluation/evaluate_new_readings.ts';
import { lockStates, type StoredState } from '../evaluation/locked_tanks.ts';
import { isOutdated } from '../evaluation/state_codec.ts';
import { BEFORE_ALL_READINGS_MS } from '../evaluation/stored_readings.ts';
import { readSettings, readSettingsHistory } from '../evaluation/tank_settings.ts';
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
  const locked = await lockStates(tx, tankNos);
  const missing = tankNos.filter((tankNo) => !locked.has(tankNo));
  if (missing.length > 0) {
    // A tank has no row before its first reading. Another writer may be inserting the same row.
    await tx.query(
      `insert into tank_states (tank_no, latest_at, latest_fill_percentage)
       select tank_no, '-infinity', 0 from unnest($1::int[]) as tank_no order by tank_no
       on conflict do nothing`,
      [arrayLiteral(missing)],
    );
    for (const [tankNo, row] of await lockStates(tx, missing)) locked.set(tankNo, row);
  }
  return readTanks(tx, locked);
}

async function readTanks(tx: Tx, locked: ReadonlyMap<number, StoredState>): Promise<LockedTanks> {
  const settings = await readSettings(tx, [...locked.keys()]);
  // If the latest reading is after the change, the state includes the change, or the tank is queued for re-evaluation.
  const changed = [...settings.values()].filter(
    ({ tankNo, changedAtMs }) => changedAtMs !== null && changedAtMs > (locked.get(tankNo)?.latest_ms ?? 0),
  );
  const histories = await readSettingsHistory(
    tx,
    changed.map(({ tankNo }) => tankNo),
  );
  const tanks = new Map<number, LockedTank>();
  for (const { tank_no, latest_ms, encoded_state, from_ms } of locked.values()) {
    const tank = histories.get(tank_no) ?? settings.get(tank_no);
    // If evaluation was off, a tank has readings but no state. A state of an older release is not used. In both cases, the tank
    // is evaluated from its first reading.
    const isUnevaluated = Number.isFinite(latest_ms) && (encoded_state === null || isOutdated(encoded_state));
    const toEvaluate = tank && {
      tankNo: tank_no,
      organizationNo: tank.organizationNo,
      settings: tank.settings,
      timeZone: tank.timeZone,
      changes: histories.get(tank_no)?.changes ?? [],
      encodedState: isUnevaluated ? null : encoded_state,
      reevaluateFromMs: isUnevaluated ? BEFORE_ALL_READINGS_MS : from_ms,
    };
    tanks.set(tank_no, { latestMs: latest_ms, toEvaluate: toEvaluate ?? null });
  }
  return tanks;
}
