import { isDeepStrictEqual } from 'node:util';
import { DAY_MS } from '../values/time.ts';
import { evaluate } from './evaluate.ts';
import type { TankEvent } from './tank_event.ts';
import { type AlertSettings, type EvaluationInput, latestReading, type TankState } from './tank_state.ts';

/** A state to evaluate again from, and the settings of its time. */
export interface Checkpoint {
  settings: AlertSettings;
  state: TankState;
}

export interface Reevaluation extends Checkpoint {
  /** Checkpoints on the way, which replace those kept so far of this time. */
  checkpoints: readonly Checkpoint[];
  /** Events not recorded so far; recorded ones that now say something else; recorded ones that never happened. */
  added: readonly TankEvent[];
  changed: readonly TankEvent[];
  retracted: readonly TankEvent[];
}

/** What is older on arrival is recorded, and nobody is told: imported history mails nobody. */
const TOLD_WITHIN_MS = DAY_MS;

/**
 * An input out of order: from the last checkpoint before it, all inputs after that checkpoint again, a tick of now as the
 * last, against the events recorded after it. What comes out is what order would have made.
 */
export function reevaluate(
  from: Checkpoint,
  inputs: readonly EvaluationInput[],
  recorded: readonly TankEvent[],
): Reevaluation {
  let { settings, state } = from;
  const checkpoints: Checkpoint[] = [];
  const events: TankEvent[] = [];
  for (const input of inputs) {
    const folded = evaluate(settings, state, input);
    if (isCheckpoint(state, input)) checkpoints.push({ settings, state: folded.state });
    state = folded.state;
    if (input.kind === 'settings') settings = input.settings;
    events.push(...folded.events);
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
 * Whether the state after this input is one to keep as a checkpoint: the first reading of a week. To evaluate a week again
 * takes less than a millisecond, and a checkpoint a day would cost a tank that reports four times a day a tenth of its
 * storing. After a reading nothing more can come at its own time, so that what comes after a checkpoint is what has a
 * later time.
 */
export function isCheckpoint(before: TankState, input: EvaluationInput): boolean {
  if (input.kind !== 'reading') return false;
  const latest = latestReading(before);
  return latest === null || checkpointWeek(latest.atMs) < checkpointWeek(input.atMs);
}

/** The number of the week that a time is in. */
export const checkpointWeek = (atMs: number): number => Math.floor(atMs / (7 * DAY_MS));

/** The order to evaluate in: by time, and settings before a reading of the same time. */
export function compareInputs(a: EvaluationInput, b: EvaluationInput): number {
  return a.atMs - b.atMs || ORDER[a.kind] - ORDER[b.kind];
}

const ORDER = { settings: 0, reading: 1, tick: 2 } as const;

/** Whether to tell anybody of an event just found: not if it is over already, nor if it is an old story. */
export function isStillCurrent(event: TankEvent, state: TankState, nowMs: number): boolean {
  if (nowMs - event.atMs > TOLD_WITHIN_MS) return false;
  const { type, atMs } = event;
  if (type === 'tank.low_fill') return state.isLow && state.lowAtMs === atMs;
  if (type === 'tank.fill_recovered') return !state.isLow && state.recoveredAtMs === atMs;
  if (type === 'tank.device_silent') {
    return state.isSilent && latestReading(state)?.atMs === Date.parse(event.data.last_reading_at);
  }
  if (type === 'tank.device_reporting') return !state.isSilent;
  // What was delivered or lost stays so.
  return true;
}

const identity = ({ type, atMs }: TankEvent): string => `${type} ${atMs}`;
