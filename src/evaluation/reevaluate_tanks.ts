import type { Pool } from 'pg';
import { evaluate, nextTimerMs } from '../alerts/evaluate.ts';
import { compareInputs, type Reevaluation, reevaluate } from '../alerts/reevaluate.ts';
import type { TankEvent } from '../alerts/tank_event.ts';
import {
  type AlertSettings,
  type CapacityUnit,
  type EvaluationInput,
  INITIAL_STATE,
  type TankState,
} from '../alerts/tank_state.ts';
import { type Tx, transaction } from '../db/pool.ts';
import { saveCheckpoints } from './checkpoints.ts';
import {
  BEFORE_ALL_READINGS_MS,
  newEvent,
  type StoredCheckpoint,
  TANK_STATE_COLUMNS,
  type TankStateRow,
  type TankToEvaluate,
  tankToEvaluate,
} from './evaluate_readings.ts';
import { correctEvents, recordEvents, retractEvents } from './record_events.ts';
import { decodeState, encodeState } from './state_codec.ts';
import { readStoredReadings } from './stored_readings.ts';

/**
 * Folds again tanks to which something came out of order, or whose settings were changed, up to a time of the clock.
 * Says how many it found.
 */
export function reevaluateTanks(pool: Pool, limit: number, clockMs: number = Date.now()): Promise<number> {
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<TankStateRow>(
      `select s.tank_no, ${TANK_STATE_COLUMNS}
       from tank_states s join tank_settings f on f.tank_no = s.tank_no
       where s.reevaluate_from is not null order by s.tank_no limit $1 for no key update of s skip locked`,
      [limit],
    );
    for (const row of rows) {
      const tank = tankToEvaluate(row, false);
      if (tank !== null) await refoldTank(tx, tank, clockMs);
    }
    return rows.length;
  });
}

/** Tells tanks what time it is whose clock alone has something to say: silence, an alert without a second reading. */
export function evaluateTimers(pool: Pool, limit: number, clockMs: number = Date.now()): Promise<number> {
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<TankStateRow & { is_deleted: boolean }>(
      `select s.tank_no, f.is_deleted, ${TANK_STATE_COLUMNS}
       from tank_states s join tank_settings f on f.tank_no = s.tank_no
       where s.timer_on <= $1::timestamptz at time zone 'UTC' and s.timer_at <= $1 and s.reevaluate_from is null
       order by s.tank_no limit $2 for no key update of s skip locked`,
      [new Date(clockMs).toISOString(), limit],
    );
    for (const row of rows) {
      const tank = tankToEvaluate(row, false);
      if (tank === null || tank.encodedState === null) continue;
      if (row.is_deleted) await saveState(tx, tank.tankNo, decodeState(tank.encodedState), null);
      else {
        const { state, events } = evaluate(tank.settings, decodeState(tank.encodedState), {
          kind: 'tick',
          atMs: clockMs,
        });
        await recordEvents(
          tx,
          events.map((event) => newEvent(tank, event, state, Date.now())),
        );
        await saveState(tx, tank.tankNo, state, nextTimerMs(state));
      }
    }
    return rows.length;
  });
}

async function refoldTank(tx: Tx, tank: TankToEvaluate, clockMs: number): Promise<void> {
  const { tankNo } = tank;
  const start = await readStart(tx, tankNo, tank.reevaluateFromMs ?? BEFORE_ALL_READINGS_MS);
  const changes = await readSettingsChanges(tx, tank);
  const recorded = await readRecorded(tx, tankNo, start.atMs);
  let afterMs = start.atMs;
  let from = { settings: settingsAt(changes, tank.settings, start.atMs), state: start.state };
  const found: Pick<Reevaluation, 'added' | 'changed' | 'retracted'>[] = [];
  const checkpoints: StoredCheckpoint[] = [];
  for await (const { readings, untilMs } of readStoredReadings(tx, tankNo, start.atMs)) {
    const isWithin = ({ atMs }: { atMs: number }): boolean => atMs > afterMs && (untilMs === null || atMs <= untilMs);
    const inputs = [
      ...readings,
      ...changes.filter(isWithin),
      ...(untilMs === null ? [{ kind: 'tick' as const, atMs: clockMs }] : []),
    ].toSorted(compareInputs);
    const refolded = reevaluate(from, inputs, recorded.filter(isWithin));
    found.push(refolded);
    for (const { state } of refolded.checkpoints) {
      checkpoints.push({ tankNo, atMs: state.atMs, encodedState: encodeState(state) });
    }
    from = refolded;
    afterMs = untilMs ?? afterMs;
  }

  const { state } = from;
  const toNew = (event: TankEvent) => newEvent(tank, event, state, Date.now());
  await retractEvents(tx, found.flatMap(({ retracted }) => retracted).map(toNew));
  await correctEvents(tx, found.flatMap(({ changed }) => changed).map(toNew));
  await recordEvents(tx, found.flatMap(({ added }) => added).map(toNew));
  await saveCheckpoints(tx, checkpoints);
  await saveState(tx, tankNo, state, nextTimerMs(state));
}

async function saveState(tx: Tx, tankNo: number, state: TankState, timerMs: number | null): Promise<void> {
  await tx.query(
    'update tank_states set encoded_state = $2, timer_at = to_timestamp($3::float8 / 1000), reevaluate_from = null where tank_no = $1',
    [tankNo, encodeState(state), timerMs],
  );
}

/** The last checkpoint before a time; where that is gone, the beginning. */
async function readStart(tx: Tx, tankNo: number, beforeMs: number): Promise<{ atMs: number; state: TankState }> {
  const { rows } = await tx.query<{ at: string; encoded_state: string }>(
    'select at, encoded_state from tank_checkpoints where tank_no = $1 and at < $2 order by at desc limit 1',
    [tankNo, new Date(beforeMs).toISOString()],
  );
  const [row] = rows;
  return row
    ? { atMs: Date.parse(row.at), state: decodeState(row.encoded_state) }
    : { atMs: BEFORE_ALL_READINGS_MS, state: INITIAL_STATE };
}

type SettingsChange = Extract<EvaluationInput, { kind: 'settings' }> & { before: AlertSettings };

/** Each change with what was before it; what came after it is what was before the next. */
async function readSettingsChanges(tx: Tx, { tankNo, settings }: TankToEvaluate): Promise<SettingsChange[]> {
  const { rows } = await tx.query<{
    at: string;
    min_fill_alert_percentage: number;
    capacity: number;
    capacity_unit: CapacityUnit;
  }>(
    `select at, min_fill_alert_percentage, capacity, capacity_unit from tank_settings_history
     where tank_no = $1 order by at`,
    [tankNo],
  );
  const befores = rows.map((row) => ({
    minFillAlertPercentage: row.min_fill_alert_percentage,
    capacity: row.capacity,
    capacityUnit: row.capacity_unit,
  }));
  return rows.flatMap((row, index) => {
    const before = befores[index];
    if (before === undefined) return [];
    return [{ kind: 'settings', atMs: Date.parse(row.at), before, settings: befores[index + 1] ?? settings }];
  });
}

const settingsAt = (changes: readonly SettingsChange[], now: AlertSettings, atMs: number): AlertSettings =>
  changes.find((change) => change.atMs > atMs)?.before ?? now;

/** Events of a tank after a time, as the evaluate writes them. */
async function readRecorded(tx: Tx, tankNo: number, afterMs: number): Promise<TankEvent[]> {
  const { rows } = await tx.query<Omit<TankEvent, 'atMs'> & { occurred_at: string }>(
    `select type, occurred_at, data, readings from events
     where tank_no = $1 and occurred_at > $2 and retracted_at is null order by occurred_at`,
    [tankNo, new Date(afterMs).toISOString()],
  );
  return rows.map(
    ({ type, occurred_at, data, readings }) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only recordEvents writes them, from the same type
      ({ type, atMs: Date.parse(occurred_at), data, readings }) as TankEvent,
  );
}
