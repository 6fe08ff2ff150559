import type { Level, Reading } from './level.ts';
import type { Loss } from './loss.ts';

export type CapacityUnit = 'liters' | 'gallons';

export interface Settings {
  minFillAlertPercentage: number;
  capacity: number;
  capacityUnit: CapacityUnit;
}

export type Input =
  | { kind: 'reading'; atMs: number; fillPercentage: number }
  | { kind: 'tick'; atMs: number }
  | { kind: 'settings'; atMs: number; settings: Settings };

/** What is known of one tank: plain JSON, some 400 bytes, saved with every batch of its readings. */
export interface State {
  v: 1;
  /** The last reading, change of settings or deadline that left a trace. */
  atMs: number;
  /** The latest reading that was believed. */
  believed: Reading | null;
  /** The latest reading, if it differed too much from what was expected to be believed without a second one. */
  doubted: Reading | null;
  /** How many were doubted in a row up to it. */
  doubts: number;
  /** Usual time between readings. */
  cadenceMs: number;
  isSilent: boolean;
  isLow: boolean;
  /** When the latest low-fill alert was raised, and when the latest was over. */
  lowAtMs: number | null;
  recoveredAtMs: number | null;
  /** The first of the readings at or under the threshold that stand at the end, without one above. */
  firstLow: Reading | null;
  /** As of the reading believed last. */
  level: Level | null;
  loss: Loss;
}

export const NO_STATE: State = {
  v: 1,
  atMs: 0,
  believed: null,
  doubted: null,
  doubts: 0,
  cadenceMs: 86_400_000,
  isSilent: false,
  isLow: false,
  lowAtMs: null,
  recoveredAtMs: null,
  firstLow: null,
  level: null,
  loss: { smooth: 0, points: 0, from: null, raisedAtMs: null, seenAtMs: null },
};

export const latestReading = (state: State): Reading | null => state.doubted ?? state.believed;
