import { DAY_MS } from '../../../values/time.ts';
import { evaluate } from './evaluate.ts';
import { excludeRetracted, type RetractedEvent, type TankEvent } from './tank_event.ts';
import { type AlertSettings, type EvaluationInput, latestReading, type TankState } from './tank_state.ts';

/** A state from which evaluation can restart, and the settings of its time. */
export interface Checkpoint {
  settings: AlertSettings;
  state: TankState;
}

export interface FoldedInputs extends Checkpoint {
  /** All events that were not retracted by a later input, oldest first. */
  events: readonly TankEvent[];
  /** The retracted events. Events that these inputs raised themselves were never recorded. */
  retracted: readonly RetractedEvent[];
  /** New checkpoints, which replace older checkpoints of the same time. */
  checkpoints: readonly Checkpoint[];
}

/** Evaluates inputs one after another, beginning with a checkpoint. They come in the order of `compareInputs`. */
export function foldInputs(from: Checkpoint, inputs: readonly EvaluationInput[], tankNo: number): FoldedInputs {
  let { settings, state } = from;
  const checkpoints: Checkpoint[] = [];
  let events: TankEvent[] = [];
  const retracted: RetractedEvent[] = [];
  for (const input of inputs) {
    const evaluated = evaluate(settings, state, input);
    if (isCheckpoint(tankNo, state, input)) checkpoints.push({ settings, state: evaluated.state });
    state = evaluated.state;
    if (input.kind === 'settings') settings = input.settings;
    events.push(...evaluated.events);
    if (evaluated.retracted.length === 0) continue;
    retracted.push(...evaluated.retracted);
    events = excludeRetracted(events, evaluated.retracted);
  }
  return { settings, state, events, retracted, checkpoints };
}

/**
 * Whether to keep the state after this input as a checkpoint: yes for the first reading of a week. Evaluating a week
 * again takes less than a millisecond, and for a tank that reports four times a day, a daily checkpoint would make the
 * storing of readings a tenth slower. No other input can follow at the time of a reading, so everything after a
 * checkpoint has a later time.
 */
export function isCheckpoint(tankNo: number, before: TankState, input: EvaluationInput): boolean {
  if (input.kind !== 'reading') return false;
  const latest = latestReading(before);
  return latest === null || checkpointWeek(tankNo, latest.atMs) < checkpointWeek(tankNo, input.atMs);
}

const WEEK_MS = 7 * DAY_MS;
/** Tanks with neighboring numbers share pages of tank_checkpoints, so they write their checkpoints at the same time. */
const TANKS_PER_OFFSET = 16;
/** The fractional part of the golden ratio spreads consecutive numbers evenly over the week. */
const GOLDEN_RATIO = 0.618033988749895;

/**
 * The number of the week that a time is in. Each group of tanks has its own start of the week. If all weeks started
 * together, all tanks of an installation would write a checkpoint within one reporting interval.
 */
export function checkpointWeek(tankNo: number, atMs: number): number {
  const offsetMs = ((Math.floor(tankNo / TANKS_PER_OFFSET) * GOLDEN_RATIO) % 1) * WEEK_MS;
  return Math.floor((atMs + offsetMs) / WEEK_MS);
}
