import type { Pool } from 'pg';
import { type Tx, transaction } from '../db/pool.ts';
import { dueAtMs, fold } from './fold.ts';
import {
  BEGINNING_MS,
  type Checkpoint,
  JUDGED_COLUMNS,
  type JudgedRow,
  type JudgedTank,
  judgedTank,
  newEvent,
} from './judge.ts';
import { packState, unpackState } from './pack.ts';
import { readReadings } from './readings.ts';
import { correctEvents, recordEvents, retractEvents } from './record.ts';
import { compareInputs, type Refolded, refold } from './refold.ts';
import { saveCheckpoints } from './save.ts';
import { type CapacityUnit, type Input, NO_STATE, type Settings, type State } from './state.ts';
import type { TankEvent } from './tank_event.ts';

/**
 * Folds again tanks to which something came out of order, or whose settings were changed, up to a time of the clock.
 * Says how many it found.
 */
export function refoldTanks(pool: Pool, limit: number, clockMs: number = Date.now()): Promise<number> {
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<JudgedRow>(
      `select s.tank_no, ${JUDGED_COLUMNS}
       from tank_states s join tank_facts f on f.tank_no = s.tank_no
       where s.refold_from is not null order by s.tank_no limit $1 for no key update of s skip locked`,
      [limit],
    );
    for (const row of rows) {
      const tank = judgedTank(row, false);
      if (tank !== null) await refoldTank(tx, tank, clockMs);
    }
    return rows.length;
  });
}

/** Tells tanks what time it is whose clock alone has something to say: silence, an alert without a second reading. */
export function tickTanks(pool: Pool, limit: number, clockMs: number = Date.now()): Promise<number> {
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<JudgedRow & { is_deleted: boolean }>(
      `select s.tank_no, f.is_deleted, ${JUDGED_COLUMNS}
       from tank_states s join tank_facts f on f.tank_no = s.tank_no
       where s.due_on <= $1::timestamptz at time zone 'UTC' and s.due_at <= $1 and s.refold_from is null
       order by s.tank_no limit $2 for no key update of s skip locked`,
      [new Date(clockMs).toISOString(), limit],
    );
    for (const row of rows) {
      const tank = judgedTank(row, false);
      if (tank === null || tank.meaning === null) continue;
      if (row.is_deleted) await saveState(tx, tank.tankNo, unpackState(tank.meaning), null);
      else {
        const { state, events } = fold(tank.settings, unpackState(tank.meaning), { kind: 'tick', atMs: clockMs });
        await recordEvents(
          tx,
          events.map((event) => newEvent(tank, event, state, Date.now())),
        );
        await saveState(tx, tank.tankNo, state, dueAtMs(state));
      }
    }
    return rows.length;
  });
}

async function refoldTank(tx: Tx, tank: JudgedTank, clockMs: number): Promise<void> {
  const { tankNo } = tank;
  const start = await readStart(tx, tankNo, tank.refoldFromMs ?? BEGINNING_MS);
  const changes = await readSettingsChanges(tx, tank);
  const recorded = await readRecorded(tx, tankNo, start.atMs);
  let afterMs = start.atMs;
  let from = { settings: settingsAt(changes, tank.settings, start.atMs), state: start.state };
  const found: Pick<Refolded, 'added' | 'changed' | 'voided'>[] = [];
  const checkpoints: Checkpoint[] = [];
  for await (const { readings, untilMs } of readReadings(tx, tankNo, start.atMs)) {
    const isWithin = ({ atMs }: { atMs: number }): boolean => atMs > afterMs && (untilMs === null || atMs <= untilMs);
    const inputs = [
      ...readings,
      ...changes.filter(isWithin),
      ...(untilMs === null ? [{ kind: 'tick' as const, atMs: clockMs }] : []),
    ].toSorted(compareInputs);
    const refolded = refold(from, inputs, recorded.filter(isWithin));
    found.push(refolded);
    for (const { state } of refolded.checkpoints) {
      checkpoints.push({ tankNo, atMs: state.atMs, meaning: packState(state) });
    }
    from = refolded;
    afterMs = untilMs ?? afterMs;
  }

  const { state } = from;
  const toNew = (event: TankEvent) => newEvent(tank, event, state, Date.now());
  await retractEvents(tx, found.flatMap(({ voided }) => voided).map(toNew));
  await correctEvents(tx, found.flatMap(({ changed }) => changed).map(toNew));
  await recordEvents(tx, found.flatMap(({ added }) => added).map(toNew));
  await saveCheckpoints(tx, checkpoints);
  await saveState(tx, tankNo, state, dueAtMs(state));
}

async function saveState(tx: Tx, tankNo: number, state: State, dueMs: number | null): Promise<void> {
  await tx.query(
    'update tank_states set meaning = $2, due_at = to_timestamp($3::float8 / 1000), refold_from = null where tank_no = $1',
    [tankNo, packState(state), dueMs],
  );
}

/** The last checkpoint before a time; where that is gone, the beginning. */
async function readStart(tx: Tx, tankNo: number, beforeMs: number): Promise<{ atMs: number; state: State }> {
  const { rows } = await tx.query<{ at: string; meaning: string }>(
    'select at, meaning from tank_checkpoints where tank_no = $1 and at < $2 order by at desc limit 1',
    [tankNo, new Date(beforeMs).toISOString()],
  );
  const [row] = rows;
  return row ? { atMs: Date.parse(row.at), state: unpackState(row.meaning) } : { atMs: BEGINNING_MS, state: NO_STATE };
}

type SettingsChange = Extract<Input, { kind: 'settings' }> & { before: Settings };

/** Each change with what was before it; what came after it is what was before the next. */
async function readSettingsChanges(tx: Tx, { tankNo, settings }: JudgedTank): Promise<SettingsChange[]> {
  const { rows } = await tx.query<{
    at: string;
    min_fill_alert_percentage: number;
    capacity: number;
    capacity_unit: CapacityUnit;
  }>(
    `select at, min_fill_alert_percentage, capacity, capacity_unit from tank_settings_changes
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

const settingsAt = (changes: readonly SettingsChange[], now: Settings, atMs: number): Settings =>
  changes.find((change) => change.atMs > atMs)?.before ?? now;

/** Events of a tank after a time, as the fold writes them. */
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
