import type { GaugeHealth, StepReturn } from './gauge_health.ts';
import type { LeakDetector } from './leak_detector.ts';
import type { Innovation, LevelEstimate, LevelReading } from './level_filter.ts';

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
  readonly believed: LevelReading;
  readonly doubt: Doubt | null;
  readonly cadenceMs: number;
  /** People order a delivery before the tank reaches this level. */
  readonly threshold: number;
  /** Trucks fetch from the tank and fill it: sudden steps are usual. */
  readonly isBatchTank: boolean;
  /** Days of believed readings. */
  readonly knownDays: number;
  readonly level: LevelEstimate;
  readonly loss: LeakDetector;
  readonly gauge: GaugeHealth;
}

/** What was expected at the time of a reading, and how far the reading is from it. */
export interface Prediction {
  readonly expected: LevelEstimate;
  readonly innovation: Innovation;
  /** Number of readings in a row, with this one, that repeat the one before. */
  readonly repeats: number;
  /** How far the reading is from the expected level, in standard deviations. */
  readonly deviations: number;
  /** An empty tank uses nothing, and its gauge says nothing about use. */
  readonly isEmpty: boolean;
}

/** What a reading is taken for. */
export type Verdict =
  /** It is near its prediction. */
  | { kind: 'believed' }
  /**
   * It is far from its prediction, and the next readings decide. `isFailureValue`: it is exactly 0 or 100, where neither use
   * nor a delivery explains it.
   */
  | { kind: 'doubted'; doubt: Doubt; isFailureValue: boolean }
  /** Enough readings agree that the level has jumped, perhaps back to where it was before the latest step. */
  | { kind: 'step'; step: Doubt; stepReturn: StepReturn }
  /** Readings were doubted for so long that the level follows them, and no event explains it. */
  | { kind: 'followed'; isFailureValue: boolean };

/** A verdict and what follows from it. */
export interface AssessedReading {
  verdict: Verdict;
  level: LevelEstimate;
  loss: LeakDetector;
  gauge: GaugeHealth;
  isLossProven: boolean;
  /** Points used since the last believed reading. */
  used: number;
  /** Where enough readings agree that the level rose. */
  rise: Rise | null;
}

export interface Rise {
  before: number;
  points: number;
  /** The level is about the one before a fall: perhaps nobody delivered anything, and the gauge was wrong. */
  isMaybeFault?: boolean;
}
