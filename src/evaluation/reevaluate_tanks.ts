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
 * Re-evaluates tanks that are marked for it (late readings, changed settings, failed evaluation) up to a time. Returns
 * the number of tanks.
 */
export function reevaluateTanks(pool: Pool, limit: number, upToMs: number = Date.now()): Promise<number> {
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<TankStateRow>(
      `select s.tank_no, ${TANK_STATE_COLUMNS}
       from tank_states s join tank_settings f on f.tank_no = s.tank_no
       where s.reevaluate_from is not null order by s.tank_no limit $1 for no key update of s skip locked`,
      [limit],
    );
    for (const row of rows) {
      const tank = tankToEvaluate(row, false);
      if (tank !== null) await reevaluateTank(tx, tank, upToMs);
    }
    return rows.length;
  });
}

/** Evaluates tanks whose timer has expired: a silent device, or a low reading without a second one. */
export function evaluateTimers(pool: Pool, limit: number, upToMs: number = Date.now()): Promise<number> {
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<TankStateRow & { is_deleted: boolean }>(
      `select s.tank_no, f.is_deleted, ${TANK_STATE_COLUMNS}
       from tank_states s join tank_settings f on f.tank_no = s.tank_no
       where s.timer_on <= $1::timestamptz at time zone 'UTC' and s.timer_at <= $1 and s.reevaluate_from is null
       order by s.tank_no limit $2 for no key update of s skip locked`,
      [new Date(upToMs).toISOString(), limit],
    );
    for (const row of rows) {
      const tank = tankToEvaluate(row, false);
      if (tank === null || tank.encodedState === null) continue;
      if (row.is_deleted) await saveState(tx, tank.tankNo, decodeState(tank.encodedState), null);
      else {
        const { state, events } = evaluate(tank.settings, decodeState(tank.encodedState), {
          kind: 'tick',
          atMs: upToMs,
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

async function reevaluateTank(tx: Tx, tank: TankToEvaluate, upToMs: number): Promise<void> {
  const { tankNo } = tank;
  const start = await readStart(tx, tankNo, tank.reevaluateFromMs ?? BEFORE_ALL_READINGS_MS);
  const changes = await readSettingsChanges(tx, tank);
  const recorded = await readRecordedEvents(tx, tankNo, start.atMs);
  let afterMs = start.atMs;
  let from = { settings: settingsAt(changes, tank.settings, start.atMs), state: start.state };
  const differences: Pick<Reevaluation, 'added' | 'changed' | 'retracted'>[] = [];
  const checkpoints: StoredCheckpoint[] = [];
  for await (const { readings, untilMs } of readStoredReadings(tx, tankNo, start.atMs)) {
    const isWithin = ({ atMs }: { atMs: number }): boolean => atMs > afterMs && (untilMs === null || atMs <= untilMs);
    const inputs = [
      ...readings,
      ...changes.filter(isWithin),
      ...(untilMs === null ? [{ kind: 'tick' as const, atMs: upToMs }] : []),
    ].toSorted(compareInputs);
    const reevaluation = reevaluate(from, inputs, recorded.filter(isWithin));
    differences.push(reevaluation);
    for (const { state } of reevaluation.checkpoints) {
      checkpoints.push({ tankNo, atMs: state.atMs, encodedState: encodeState(state) });
    }
    from = reevaluation;
    afterMs = untilMs ?? afterMs;
  }

  const { state } = from;
  const toNewEvent = (event: TankEvent) => newEvent(tank, event, state, Date.now());
  await retractEvents(tx, differences.flatMap(({ retracted }) => retracted).map(toNewEvent));
  await correctEvents(tx, differences.flatMap(({ changed }) => changed).map(toNewEvent));
  await recordEvents(tx, differences.flatMap(({ added }) => added).map(toNewEvent));
  await saveCheckpoints(tx, checkpoints);
  await saveState(tx, tankNo, state, nextTimerMs(state));
}

async function saveState(tx: Tx, tankNo: number, state: TankState, timerMs: number | null): Promise<void> {
  await tx.query(
    'update tank_states set encoded_state = $2, timer_at = to_timestamp($3::float8 / 1000), reevaluate_from = null where tank_no = $1',
    [tankNo, encodeState(state), timerMs],
  );
}

/** The last checkpoint before a time, or the beginning if there is none. */
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

/** The history stores the settings before each change. The settings after it are those before the next change. */
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
  const settingsBefore = rows.map((row) => ({
    minFillAlertPercentage: row.min_fill_alert_percentage,
    capacity: row.capacity,
    capacityUnit: row.capacity_unit,
  }));
  return rows.flatMap((row, index) => {
    const before = settingsBefore[index];
    if (before === undefined) return [];
    return [{ kind: 'settings', atMs: Date.parse(row.at), before, settings: settingsBefore[index + 1] ?? settings }];
  });
}

const settingsAt = (changes: readonly SettingsChange[], now: AlertSettings, atMs: number): AlertSettings =>
  changes.find((change) => change.atMs > atMs)?.before ?? now;

/** Recorded events of a tank after a time, as evaluation returns them. */
async function readRecordedEvents(tx: Tx, tankNo: number, afterMs: number): Promise<TankEvent[]> {
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
