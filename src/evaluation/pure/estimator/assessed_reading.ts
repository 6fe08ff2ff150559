import type { GaugeHealth, StepReturn } from './gauge_health.ts';
import type { LeakDetector } from './leak_detector.ts';
import type { Innovation, LevelEstimate, LevelReading } from './level_filter.ts';

/** Consecutive readings that are too far from their predictions, and that later readings have not confirmed yet. */
export interface OutlierRun {
  /** The first of the latest outliers that agree with each other, and the number of those. */
  first: LevelReading;
  agreeing: number;
  latest: LevelReading;
  /** The number of all outliers of the run, including those that agree with no other. */
  count: number;
}

/** The state of the estimator before a reading, as of the last accepted reading. */
export interface PriorKnowledge {
  readonly accepted: LevelReading;
  readonly outliers: OutlierRun | null;
  readonly cadenceMs: number;
  /** Customers order a delivery before the tank reaches this level. */
  readonly threshold: number;
  /** Trucks fetch from the tank and fill it: sudden steps are usual. */
  readonly isBatchTank: boolean;
  /** Days of accepted readings. */
  readonly knownDays: number;
  readonly level: LevelEstimate;
  readonly loss: LeakDetector;
  readonly gauge: GaugeHealth;
}

/** What was expected at the time of a reading, and how far the reading is from it. */
export interface Prediction {
  readonly expected: LevelEstimate;
  readonly innovation: Innovation;
  /** The expected use since the last accepted reading, in points. */
  readonly use: number;
  /** The number of consecutive readings, including this one, that repeat the reading before them. */
  readonly repeats: number;
  /** How far the reading is from the expected level, in standard deviations. */
  readonly deviations: number;
  /** True if the tank is empty. An empty tank uses nothing, so its readings teach nothing about use. */
  readonly isEmpty: boolean;
}

/** How a reading is classified. */
export type ReadingAssessment =
  /** It is near its prediction. */
  | { kind: 'accepted' }
  /**
   * It is far from its prediction, and the next readings decide. `isFailureValue`: it is exactly 0 or 100, where
   * neither use nor a delivery explains it.
   */
  | { kind: 'outlier'; outliers: OutlierRun; isFailureValue: boolean }
  /** Enough readings agree that the level has jumped, possibly back to where it was before the latest step. */
  | { kind: 'step'; step: OutlierRun; stepReturn: StepReturn }
  /** After 12 outliers in a row (5 of a daily device), the level is set to them without an event. */
  | { kind: 'level_set'; isFailureValue: boolean };

/** The classification of a reading, and its effects on the estimate. */
export interface AssessedReading {
  assessment: ReadingAssessment;
  level: LevelEstimate;
  loss: LeakDetector;
  gauge: GaugeHealth;
  isLossProven: boolean;
  /** Points used since the last accepted reading. */
  used: number;
  /** The rise that enough readings confirm; null if there is none. */
  rise: Rise | null;
}

export interface Rise {
  before: number;
  points: number;
  /** True if the level is about the same as before a fall: perhaps the gauge was wrong, and there was no delivery. */
  isMaybeFault?: boolean;
}
