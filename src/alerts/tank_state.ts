import type { LeakTest } from '../estimator/leak_test.ts';
import type { LevelEstimate, LevelReading } from '../estimator/level_filter.ts';
import { DAY_MS } from '../values/time.ts';

export type CapacityUnit = 'liters' | 'gallons';

export interface AlertSettings {
  minFillAlertPercentage: number;
  capacity: number;
  capacityUnit: CapacityUnit;
}

export type EvaluationInput =
  | { kind: 'reading'; atMs: number; fillPercentage: number }
  | { kind: 'tick'; atMs: number }
  | { kind: 'settings'; atMs: number; settings: AlertSettings };

/** What is known of one tank: plain JSON, some 400 bytes, saved with every batch of its readings. */
export interface TankState {
  v: 1;
  /** The last reading, change of settings or deadline that left a trace. */
  atMs: number;
  /** The latest reading that was believed. */
  believed: LevelReading | null;
  /** The latest reading, if it differed too much from what was expected to be believed without a second one. */
  doubted: LevelReading | null;
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
  firstLow: LevelReading | null;
  /** As of the reading believed last. */
  level: LevelEstimate | null;
  loss: LeakTest;
}

export const INITIAL_STATE: TankState = {
  v: 1,
  atMs: 0,
  believed: null,
  doubted: null,
  doubts: 0,
  cadenceMs: DAY_MS,
  isSilent: false,
  isLow: false,
  lowAtMs: null,
  recoveredAtMs: null,
  firstLow: null,
  level: null,
  loss: { smooth: 0, points: 0, from: null, raisedAtMs: null, seenAtMs: null },
};

export const latestReading = (state: TankState): LevelReading | null => state.doubted ?? state.believed;
