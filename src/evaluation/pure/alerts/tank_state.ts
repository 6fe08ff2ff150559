import type { CapacityUnit } from '../../../values/capacity_unit.ts';
import { DAY_MS } from '../../../values/time.ts';
import type { DipState } from '../dips/dip_state.ts';
import type { Region } from '../dips/region.ts';
import type { OutlierRun } from '../estimator/assessed_reading.ts';
import { type GaugeHealth, INITIAL_GAUGE } from '../estimator/gauge_health.ts';
import type { LeakDetector } from '../estimator/leak_detector.ts';
import type { LevelEstimate, LevelReading } from '../estimator/level_filter.ts';
import { INITIAL_UNUSUAL_USE, type UnusualUse } from '../estimator/unusual_use.ts';
import type { UseHistory } from '../estimator/use_history.ts';
import type { ReportedSinceStep } from './reported_events.ts';

/** When a delivery or a level is reported as an overfill. */
export interface OverfillSettings {
  limitPercentage: number;
  /** By how much the content of a tank that was filled to its limit may rise by itself, because it warms. */
  warmingPoints: number;
  /** Overfills before this time are not reported, so that an upgrade does not report the past. */
  fromMs: number;
}

/** A time in which the source of the readings, such as the cloud of a maker, did not work. */
export interface SourceOutage {
  fromMs: number;
  /** Null if the source does not work now. */
  toMs: number | null;
}

export interface AlertSettings {
  minFillAlertPercentage: number;
  /**
   * At or below this level, a delivery is to be ordered. Null or absent if there is no such level. It is ignored if it
   * is not above the alert threshold.
   */
  orderPercentage?: number | null;
  capacity: number;
  capacityUnit: CapacityUnit;
  /** True if trucks fetch from this tank and fill it, in batches: a sudden fall is then no loss. */
  isBatchTank?: boolean;
  /** The report interval that a person has set; null or absent if it is learned. */
  reportIntervalMs?: number | null;
  /** The tank is on a vehicle and its content moves: the level is the median of several readings, and nothing is a loss. */
  isMobile?: boolean;
  /** The time from which the organization wants no reports of unusual use; null or absent if it wants them. */
  unusualUseOffAtMs?: number | null;
  /** Absent if overfills are not reported. */
  overfill?: OverfillSettings;
  /** Oldest first. Absent if its source always worked, or if the device sends its readings itself. */
  outages?: readonly SourceOutage[];
  /** Present if the tank has, or had, no sensor. */
  manual?: ManualSettings;
}

/** The period in which the tank has no sensor. Its readings are dips: levels that a person read. */
export interface ManualSettings {
  fromMs: number;
  toMs: number;
  /** Null if there are too few tanks with sensors to compare with. */
  region: Region | null;
  /** False if a person marked the use of this tank as unpredictable. */
  isUsePredictable: boolean;
}

export type EvaluationInput =
  /** `nextReportMs` is when the device says that it will report again. */
  | { kind: 'reading'; atMs: number; fillPercentage: number; nextReportMs?: number }
  /** A delivery note of a tank without a sensor. */
  | { kind: 'delivery'; atMs: number; points: number; filledTo: number | null }
  | { kind: 'tick'; atMs: number }
  | { kind: 'settings'; atMs: number; settings: AlertSettings };

/** Everything that evaluation remembers about one tank: plain data, saved with every batch of the tank's readings. */
export interface TankState {
  /** The time of the latest reading, change of settings or timer that changed the state. */
  atMs: number;
  /** The latest accepted reading. */
  accepted: LevelReading | null;
  /** The readings after it, if they are outliers that are neither confirmed nor refuted yet. */
  outliers: OutlierRun | null;
  /** The usual time between readings. */
  cadenceMs: number;
  /** The longest of the recent times between readings. It fades with each reading. */
  longestGapMs: number;
  /** How irregular these times are: the mean absolute logarithm of a time as a multiple of the usual one. */
  gapSpread: number;
  /** The report interval that a person has set; 0 if it is learned. */
  reportIntervalMs: number;
  /** The time from the latest reading to the next report that the device announced; 0 if it announced none. */
  announcedGapMs: number;
  isSilent: boolean;
  isLow: boolean;
  /** When the latest low-fill alert was raised. */
  lowAtMs: number | null;
  /** When the latest low-fill alert that is over ended. */
  recoveredAtMs: number | null;
  /** Since when the level is at or below the order threshold; null if it is not. */
  orderDueAtMs: number | null;
  /** When an overfill was reported; null if none was, or if the level was at or below the limit since. */
  overfilledAtMs: number | null;
  /** The first of the latest readings that are all at or below the threshold. */
  firstLow: LevelReading | null;
  /** The estimate at the latest accepted reading. */
  level: LevelEstimate | null;
  history: UseHistory | null;
  loss: LeakDetector;
  unusual: UnusualUse;
  gauge: GaugeHealth;
  /** The events since the latest step; null if that step is long ago or confirmed. */
  reported: ReportedSinceStep | null;
  /** The latest fills of a tank on a vehicle, oldest first. Empty for other tanks. */
  latestFills: readonly number[];
  /** The state of a tank without a sensor, instead of level and history. */
  dips: DipState | null;
}

export const INITIAL_STATE: TankState = {
  atMs: 0,
  accepted: null,
  outliers: null,
  cadenceMs: DAY_MS,
  longestGapMs: 0,
  gapSpread: 0,
  reportIntervalMs: 0,
  announcedGapMs: 0,
  isSilent: false,
  isLow: false,
  lowAtMs: null,
  recoveredAtMs: null,
  orderDueAtMs: null,
  overfilledAtMs: null,
  firstLow: null,
  level: null,
  history: null,
  loss: { smooth: 0, points: 0, from: null, raisedAtMs: null, seenAtMs: null },
  unusual: INITIAL_UNUSUAL_USE,
  gauge: INITIAL_GAUGE,
  reported: null,
  latestFills: [],
  dips: null,
};

export const latestReading = (state: TankState): LevelReading | null => state.outliers?.latest ?? state.accepted;

export const isGaugeReliable = ({ gauge }: TankState): boolean => gauge.fault === null;

/** The order of evaluation: by time, and settings before a reading of the same time. */
export const compareInputs = (a: EvaluationInput, b: EvaluationInput): number =>
  a.atMs - b.atMs || INPUT_ORDER[a.kind] - INPUT_ORDER[b.kind];

const INPUT_ORDER = { settings: 0, delivery: 1, reading: 2, tick: 3 } as const;
