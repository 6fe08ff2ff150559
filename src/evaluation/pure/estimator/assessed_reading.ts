import type { GaugeHealth } from './gauge_health.ts';
import type { LeakTest } from './leak_detector.ts';
import type { LevelEstimate, LevelReading } from './level_filter.ts';

/** Readings in a row that are too far from their predictions to be believed so far. */
export interface Doubt {
  /** The first of those at the end that agree with each other, and how many they are. */
  first: LevelReading;
  agreeing: number;
  latest: LevelReading;
  /** All of them, also those that agree with no other. */
  count: number;
}

/** What is known before a reading, as of the last believed one. */
export interface PriorKnowledge {
  believed: LevelReading;
  doubt: Doubt | null;
  cadenceMs: number;
  /** People order a delivery before the tank reaches this level. */
  threshold: number;
  /** Days of believed readings. */
  knownDays: number;
  level: LevelEstimate;
  loss: LeakTest;
  gauge: GaugeHealth;
}

export interface AssessedReading {
  /** Null if the reading is believed. */
  doubt: Doubt | null;
  /** Exactly 0 or 100, where neither use nor a delivery explains it. */
  isFailureValue: boolean;
  level: LevelEstimate;
  loss: LeakTest;
  gauge: GaugeHealth;
  isLossProven: boolean;
  /** Whether enough readings agree on a step, up or down, that ends with this reading. */
  isStep: boolean;
  /** Whether the reading says something about use: not in a leak, nor on an empty tank. */
  isUsual: boolean;
  /** Points used since the last believed reading. */
  used: number;
  /** Where enough readings agree that the level rose: from where, and by how much. */
  rise: { before: number; points: number } | null;
}
