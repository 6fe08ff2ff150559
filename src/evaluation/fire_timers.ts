import type { Pool } from 'pg';
import { arrayLiteral, type Tx, transaction } from '../db/pool.ts';
import { tryLock } from '../db/try_lock.ts';
import type { EvaluationFailure } from './evaluation_failures.ts';
import { changedFleetTank, type EvaluatedTank, saveFleetTanks } from './fleet_rows.ts';
import { isolateFailingTanks } from './isolate_failing_tanks.ts';
import { evaluate, nextTimerMs } from './pure/alerts/evaluate.ts';
import type { NewEvent } from './pure/alerts/event_types.ts';
import { newEvent, recordEvents } from './record_events.ts';
import { queueTanks } from './reevaluation_queue.ts';
import { type SavedState, saveStates } from './save_states.ts';
import { decodeState, encodeState, isOtherVersion, newerVersion } from './state_codec.ts';
import { readSettings, type TankSettings } from './tank_settings.ts';

const BATCH_TANKS = 500;
/** A tank whose state a newer release wrote is tried again after this time. */
const NEWER_STATE_DELAY_MS = 600_000;
/** A tank whose source does not work is evaluated again after this time. */
const OUTAGE_DELAY_MS = 600_000;

export interface TimerResult {
  /** Tanks whose expired timer was handled. Locked tanks, and tanks whose changed settings come first, are not among them. */
  tanks: number;
  events: number;
  /**
   * True if the pass has more tanks. At the end of a pass, the caller pauses, because the index still contains the tanks
   * that were left out.
   */
  isMore: boolean;
  failures: EvaluationFailure[];
}

/**
 * Fires expired timers: evaluates tanks with a silent device, tanks whose low reading has waited too long for a second one, and
 * tanks without a sensor, whose estimate advances daily. A pass goes
 * through the index by (timer_at, tank_no) once and remembers its position, because evaluated tanks stay in the index
 * until the oldest transaction has ended. One writer at a time is enough; an advisory lock keeps the others out.
 */
export class TimerScan {
  readonly #pool: Pool;
  #after = { at: '-infinity', tankNo: 0 };

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Fires the timers of the next tanks of the pass. After the last ones, the next call begins a new pass. */
  async fireBatch(upToMs: number): Promise<TimerResult> {
    const { rows } = await this.#pool.query<{ tank_no: number; at: string }>(
      `select tank_no, timer_at::text as at from tank_states
       where timer_at <= to_timestamp($1::float8 / 1000) and (timer_at, tank_no) > ($2::timestamptz, $3::int)
       order by timer_at, tank_no limit $4`,
      [upToMs, this.#after.at, this.#after.tankNo, BATCH_TANKS],
    );
    let tanks = 0;
    let events = 0;
    let isScanning = true;
    const failures = await isolateFailingTanks(
      rows.map((row) => row.tank_no),
      async (tankNos) => {
        const batch = await transaction(this.#pool, async (tx) => {
          isScanning &&= await tryLock(tx, 'tankwatch timers');
          return isScanning ? fireLocked(tx, tankNos, upToMs) : NOTHING;
        });
        tanks += batch.tanks;
        events += batch.events;
        return batch.failures;
      },
    );
    if (!isScanning) return { tanks: 0, events: 0, isMore: false, failures: [] };
    await transaction(this.#pool, (tx) => markFailing(tx, failures));
    const last = rows.length < BATCH_TANKS ? undefined : rows.at(-1);
    this.#after = { at: last?.at ?? '-infinity', tankNo: last?.tank_no ?? 0 };
    return {
      tanks: tanks + failures.length,
      events,
      isMore: last !== undefined,
      failures: failures.filter(({ error }) => !isOtherVersion(error)),
    };
  }
}

/** Fires all expired timers. */
export async function fireAllTimers(pool: Pool, upToMs: number = Date.now()): Promise<void> {
  const scan = new TimerScan(pool);
  let isMore = true;
  while (isMore) isMore = (await scan.fireBatch(upToMs)).isMore;
}

interface FiredTimers {
  tanks: number;
  events: number;
  failures: EvaluationFailure[];
}
const NOTHING: FiredTimers = { tanks: 0, events: 0, failures: [] };

interface TimerRow {
  tank_no: number;
  encoded_state: string | null;
  is_marked: boolean;
}

async function fireLocked(tx: Tx, tankNos: readonly number[], upToMs: number): Promise<FiredTimers> {
  const { rows } = await tx.query<TimerRow>(
    `select tank_no, encoded_state, reevaluate_from is not null as is_marked from tank_states
     where tank_no = any ($1::int[]) and timer_at <= to_timestamp($2::float8 / 1000)
     order by tank_no for no key update skip locked`,
    [arrayLiteral(tankNos), upToMs],
  );
  const settings = await readSettings(
    tx,
    rows.map((row) => row.tank_no),
  );
  const saved: SavedState[] = [];
  const events: NewEvent[] = [];
  const fleetTanks: EvaluatedTank[] = [];
  const withoutTimer: number[] = [];
  const failures: EvaluationFailure[] = [];
  for (const row of rows) {
    const tank = settings.get(row.tank_no);
    // Re-evaluation sets the timer of a marked tank when it is done.
    if (tank === undefined || tank.isDeleted || row.is_marked || row.encoded_state === null) {
      withoutTimer.push(row.tank_no);
      continue;
    }
    try {
      const next = fireTimer(tank, row.encoded_state, upToMs);
      if (next === null) continue;
      saved.push(next.saved);
      events.push(...next.events);
      if (next.fleetTank !== null) fleetTanks.push(next.fleetTank);
    } catch (error) {
      failures.push({ tankNo: row.tank_no, error });
    }
  }
  const { recorded, restored } = await recordEvents(tx, events);
  await saveStates(tx, saved, upToMs);
  await saveFleetTanks(tx, fleetTanks);
  if (withoutTimer.length > 0) {
    await tx.query('update tank_states set timer_at = null where tank_no = any ($1::int[])', [
      arrayLiteral(withoutTimer),
    ]);
  }
  return { tanks: saved.length + withoutTimer.length, events: recorded + restored, failures };
}

/**
 * Fires the timers of a tank that are due at a time. Returns the state to save, with its next timer, and the events. Null if
 * changed settings must be applied first.
 */
function fireTimer(
  tank: TankSettings,
  encodedState: string,
  upToMs: number,
): { saved: SavedState; events: NewEvent[]; fleetTank: EvaluatedTank | null } | null {
  const before = decodeState(encodedState);
  if (tank.changedAtMs !== null && tank.changedAtMs > before.atMs) return null;
  const timerMs = nextTimerMs(before);
  if (timerMs === null || timerMs > upToMs) {
    return {
      saved: { tankNo: tank.tankNo, encodedState, timerMs, reevaluateFromMs: null },
      events: [],
      fleetTank: null,
    };
  }
  const { state, events } = evaluate(tank.settings, before, { kind: 'tick', atMs: upToMs });
  const nextMs = nextTimerMs(state);
  return {
    saved: {
      tankNo: tank.tankNo,
      encodedState: encodeState(state),
      // If a timer is still due, the source of the device has an outage, so its silence is not reported yet.
      timerMs: nextMs !== null && nextMs <= upToMs ? upToMs + OUTAGE_DELAY_MS : nextMs,
      reevaluateFromMs: null,
    },
    events: events.map((event) => newEvent(tank, event, state, Date.now())),
    fleetTank: changedFleetTank({ settings: tank.settings, state: before }, { ...tank, state }),
  };
}

/**
 * Marks failing tanks for re-evaluation from their latest reading on. A tank whose state a newer release wrote is not marked, but
 * tried again later.
 */
async function markFailing(tx: Tx, failures: readonly EvaluationFailure[]): Promise<void> {
  if (failures.length === 0) return;
  const { rows } = await tx.query<{ tank_no: number; organization_no: number; is_marked: boolean }>(
    `with failing as (
       select s.tank_no, f.organization_no, not t.is_newer as is_marked
       from unnest($1::int[], $2::bool[]) as t (tank_no, is_newer)
       join tank_states s on s.tank_no = t.tank_no join tank_settings f on f.tank_no = t.tank_no
       order by s.tank_no for no key update of s
     )
     update tank_states s
     set reevaluate_from = case when f.is_marked then least(s.reevaluate_from, s.latest_at) else s.reevaluate_from end,
         timer_at = case when f.is_marked then null else now() + make_interval(secs => $3::float8 / 1000) end
     from failing f where s.tank_no = f.tank_no
     returning s.tank_no, f.organization_no, f.is_marked`,
    [
      failures.map(({ tankNo }) => tankNo),
      failures.map(({ error }) => newerVersion(error) !== null),
      NEWER_STATE_DELAY_MS,
    ],
  );
  await queueTanks(
    tx,
    rows.filter((row) => row.is_marked).map((row) => ({ tankNo: row.tank_no, organizationNo: row.organization_no })),
  );
}
