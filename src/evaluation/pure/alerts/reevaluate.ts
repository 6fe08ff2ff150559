import { isDeepStrictEqual } from 'node:util';
import { DAY_MS } from '../../../values/time.ts';
import { evaluate } from './evaluate.ts';
import type { TankEvent } from './tank_event.ts';
import { type AlertSettings, type EvaluationInput, latestReading, type TankState } from './tank_state.ts';

/** A state from which evaluation can restart, and the settings of its time. */
export interface Checkpoint {
  settings: AlertSettings;
  state: TankState;
}

export interface Reevaluation extends Checkpoint {
  /** New checkpoints, which replace those of the same time. */
  checkpoints: readonly Checkpoint[];
  /** Events not recorded so far; recorded ones whose data or readings changed; recorded ones that did not happen. */
  added: readonly TankEvent[];
  changed: readonly TankEvent[];
  retracted: readonly TankEvent[];
}

/** An event that is older when it is found is recorded without a notification: imported history mails nobody. */
const NOTIFIED_WITHIN_MS = DAY_MS;

/**
 * Evaluates all inputs after a checkpoint again, with a tick of now as the last, and compares the events with those recorded
 * after the checkpoint. The result is the same as if all inputs had come in order.
 */
export function reevaluate(
  from: Checkpoint,
  inputs: readonly EvaluationInput[],
  recorded: readonly TankEvent[],
  tankNo: number,
): Reevaluation {
  let { settings, state } = from;
  const checkpoints: Checkpoint[] = [];
  const events: TankEvent[] = [];
  for (const input of inputs) {
    const evaluated = evaluate(settings, state, input);
    if (isCheckpoint(tankNo, state, input)) checkpoints.push({ settings, state: evaluated.state });
    state = evaluated.state;
    if (input.kind === 'settings') settings = input.settings;
    events.push(...evaluated.events);
  }
  const known = new Map(recorded.map((event) => [identity(event), event]));
  const happened = new Set(events.map(identity));
  return {
    settings,
    state,
    checkpoints,
    added: events.filter((event) => !known.has(identity(event))),
    changed: events.filter((event) => {
      const before = known.get(identity(event));
      return before !== undefined && !isDeepStrictEqual(before, event);
    }),
    retracted: recorded.filter((event) => !happened.has(identity(event))),
  };
}

/**
 * Whether to keep the state after this input as a checkpoint: yes for the first reading of a week. Evaluating a week again
 * takes less than a millisecond, and a daily checkpoint would cost a tank that reports four times a day a tenth of its
 * ingest. No other input can follow at the time of a reading, so everything after a checkpoint has a later time.
 */
export function isCheckpoint(tankNo: number, before: TankState, input: EvaluationInput): boolean {
  if (input.kind !== 'reading') return false;
  const latest = latestReading(before);
  return latest === null || checkpointWeek(tankNo, latest.atMs) < checkpointWeek(tankNo, input.atMs);
}

const WEEK_MS = 7 * DAY_MS;
/** Tanks with neighbouring numbers share pages of tank_checkpoints, so they write their checkpoints at the same time. */
const TANKS_PER_OFFSET = 16;
/** The fractional part of the golden ratio spreads consecutive numbers evenly over the week. */
const GOLDEN_RATIO = 0.618033988749895;

/**
 * The number of the week that a time is in. Each group of tanks has its own begin of the week. If all weeks began together,
 * all tanks of an installation would write a checkpoint within one reporting interval.
 */
export function checkpointWeek(tankNo: number, atMs: number): number {
  const offsetMs = ((Math.floor(tankNo / TANKS_PER_OFFSET) * GOLDEN_RATIO) % 1) * WEEK_MS;
  return Math.floor((atMs + offsetMs) / WEEK_MS);
}

/** The order of evaluation: by time, and settings before a reading of the same time. */
export function compareInputs(a: EvaluationInput, b: EvaluationInput): number {
  return a.atMs - b.atMs || ORDER[a.kind] - ORDER[b.kind];
}

const ORDER = { settings: 0, reading: 1, tick: 2 } as const;

/** Whether to notify anybody of an event just found: not if it has ended already, nor if it is old. */
export function isStillCurrent(event: TankEvent, state: TankState, nowMs: number): boolean {
  if (nowMs - event.atMs > NOTIFIED_WITHIN_MS) return false;
  const { type, atMs } = event;
  if (type === 'tank.low_fill') return state.isLow && state.lowAtMs === atMs;
  if (type === 'tank.fill_recovered') return !state.isLow && state.recoveredAtMs === atMs;
  if (type === 'tank.device_silent') {
    return state.isSilent && latestReading(state)?.atMs === Date.parse(event.data.last_reading_at);
  }
  if (type === 'tank.device_reporting') return !state.isSilent;
  if (type === 'tank.gauge_unreliable') return state.gauge.fault !== null && state.gauge.changedAtMs === atMs;
  if (type === 'tank.gauge_reliable') return state.gauge.fault === null && state.gauge.changedAtMs === atMs;
  // A delivery or a loss does not end.
  return true;
}

const identity = ({ type, atMs }: TankEvent): string => `${type} ${atMs}`;
