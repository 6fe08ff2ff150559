import { clamp } from '../../../values/statistics.ts';
import { tenth } from '../../../values/tenth.ts';
import { DAY_MS, HOUR_MS } from '../../../values/time.ts';
import type { Forecast } from '../estimator/forecast.ts';
import { type LevelReading, roundToMillionth, roundToTenThousandth } from '../estimator/level_filter.ts';
import {
  advanceDays,
  beginWithLevel,
  DIP_DEVIATION_POINTS,
  type DipEstimate,
  FILLED_TO_DEVIATION_POINTS,
  type ScalePrior,
  updateWithDelivery,
  updateWithLevel,
} from './dip_filter.ts';
import { daysToLevel, isDipWanted, levelRange } from './dip_forecast.ts';
import { EVEN_SEASON, expectationOf, type Region, regionalUseOf, seasonalUse } from './region.ts';

/** The state of a tank without a sensor. Its numbers are rounded as they are stored. */
export interface DipState {
  /** Null before the first observed level. */
  estimate: DipEstimate | null;
  /** The time of the last dip, or of the last delivery note with a level. */
  seenAtMs: number | null;
  /** The level at that time, or after a later delivery. Without another delivery the level cannot be higher. */
  highest: number;
  /** The time to which the estimate was last advanced. It is advanced once a day. */
  advancedToMs: number;
  /** The expected use of the region in points a day; 0 if there are too few tanks with sensors to compare with. */
  use: number;
  /** The use in 30-day steps from now, relative to now. */
  season: readonly number[];
  /**
   * False if a person marked the use as unpredictable, for example for a holiday home or a grain dryer. No level is
   * estimated then.
   */
  isUsePredictable: boolean;
}

/** Why there is no estimated level for a tank without a sensor. */
export type NoEstimateReason = 'no_level' | 'no_comparison' | 'irregular' | 'too_old';

/** The prior before tanks with sensors show how they differ. It has no effect until then. */
const INITIAL_PRIOR: ScalePrior = { log: -0.1, deviation: 0.6 };
/** After this many days without a dip or a delivery note with a level, no level is estimated. */
const MAX_DAYS_WITHOUT_DIP = 180;
/**
 * A dip this many points above the previous level means that the tank was refilled without a delivery note. The same
 * holds for a dip far above the estimate. Smaller rises are measurement errors: a truck does not deliver so little.
 */
const MIN_REFILL_RISE_POINTS = 10;
const MIN_REFILL_SURPRISE_POINTS = 25;
const REFILL_SURPRISE_DEVIATIONS = 3;

export const initialDips = (atMs: number): DipState => ({
  estimate: null,
  seenAtMs: null,
  highest: 0,
  advancedToMs: atMs,
  use: 0,
  season: EVEN_SEASON,
  isUsePredictable: true,
});

/**
 * When to advance the estimate next if no dip arrives. Null if there is no estimate: before the first observed level,
 * or more than 180 days after the last one.
 */
export function nextAdvanceMs({ estimate, seenAtMs, advancedToMs, use }: DipState): number | null {
  if (estimate === null || seenAtMs === null || isTooOld(seenAtMs, advancedToMs)) return null;
  // The worker learns the first rates of a region within an hour.
  const isNew = use === 0 && advancedToMs - seenAtMs < DAY_MS;
  return advancedToMs + (isNew ? HOUR_MS : DAY_MS);
}

const isTooOld = (seenAtMs: number, atMs: number): boolean => atMs - seenAtMs > MAX_DAYS_WITHOUT_DIP * DAY_MS;

/**
 * Why there is no estimate; null if there is one. The filter cannot detect unpredictable use: neither its innovations
 * nor its scale separates holiday homes and dryers from other tanks. A person has to mark such a tank.
 */
export function noEstimateReason(
  { estimate, seenAtMs, use, isUsePredictable }: DipState,
  atMs: number,
): NoEstimateReason | null {
  if (estimate === null || seenAtMs === null) return 'no_level';
  if (!isUsePredictable) return 'irregular';
  if (use === 0) return 'no_comparison';
  return isTooOld(seenAtMs, atMs) ? 'too_old' : null;
}

/** Advances the estimate to a time. Without a region, the last known use counts; without that, the level stays. */
export function advanceTo(dips: DipState, toMs: number, region: Region | null): DipState {
  const { estimate } = dips;
  if (estimate === null || toMs <= dips.advancedToMs)
    return { ...dips, advancedToMs: Math.max(dips.advancedToMs, toMs) };
  if (region === null) {
    const use = (): number => dips.use;
    return {
      ...dips,
      advancedToMs: toMs,
      estimate: dips.use === 0 ? estimate : rounded(advanceDays(estimate, toMs, use)),
    };
  }
  const { log, deviation } = region.prior;
  // Regional rates are available for the first time. Earlier dips were used for the level only, so the scale starts at
  // the prior.
  const from = dips.use === 0 ? { ...estimate, logScale: log, scaleVariance: deviation ** 2, covariance: 0 } : estimate;
  return {
    ...dips,
    advancedToMs: toMs,
    estimate: rounded(advanceDays(from, toMs, regionalUseOf(region))),
    use: dips.use === 0 ? roundedUse(expectationOf(region, Math.floor(toMs / DAY_MS)).use) : dips.use,
  };
}

/** Updates the expected use and the season. */
export function updateExpectedUse(dips: DipState, atMs: number, region: Region | null): DipState {
  if (region === null || dips.estimate === null) return dips;
  const { use, season } = expectationOf(region, Math.floor(atMs / DAY_MS));
  return { ...dips, use: roundedUse(use), season: season.map(roundToTenThousandth) };
}

/** Updates the state with a dip. The state has been advanced to its time. */
export function applyDip(dips: DipState, { atMs, fillPercentage }: LevelReading, region: Region | null): DipState {
  return {
    ...dips,
    seenAtMs: atMs,
    highest: fillPercentage,
    advancedToMs: atMs,
    estimate: rounded(estimateAfterDip(dips, atMs, fillPercentage, region)),
  };
}

function estimateAfterDip(dips: DipState, atMs: number, level: number, region: Region | null): DipEstimate {
  const { estimate, use, highest } = dips;
  if (estimate === null || use === 0)
    return beginWithLevel(atMs, level, DIP_DEVIATION_POINTS, region?.prior ?? INITIAL_PRIOR);
  const deviation = Math.sqrt(estimate.levelVariance + DIP_DEVIATION_POINTS ** 2);
  const isFilled =
    level - highest > MIN_REFILL_RISE_POINTS ||
    level - estimate.level > Math.max(MIN_REFILL_SURPRISE_POINTS, REFILL_SURPRISE_DEVIATIONS * deviation);
  return isFilled
    ? { ...estimate, level, levelVariance: DIP_DEVIATION_POINTS ** 2, covariance: 0 }
    : updateWithLevel(estimate, level, DIP_DEVIATION_POINTS);
}

/** Updates the state with a delivery note. The state has been advanced to its time. */
export function applyDeliveryNote(
  dips: DipState,
  { atMs, points, filledTo }: { atMs: number; points: number; filledTo: number | null },
  region: Region | null,
): DipState {
  const { estimate } = dips;
  if (filledTo === null) {
    if (estimate === null) return dips;
    const after = rounded(updateWithDelivery(estimate, points, null));
    return { ...dips, estimate: after, highest: roundToTenThousandth(after.level) };
  }
  const next =
    estimate === null || dips.use === 0
      ? beginWithLevel(atMs, filledTo, FILLED_TO_DEVIATION_POINTS, region?.prior ?? INITIAL_PRIOR)
      : updateWithDelivery(estimate, points, filledTo);
  return { ...dips, seenAtMs: atMs, highest: filledTo, advancedToMs: atMs, estimate: rounded(next) };
}

/** The estimate at a time, advanced by the expected use. Null if there is no estimate. */
export function estimateAt(dips: DipState, atMs: number): DipEstimate | null {
  if (dips.estimate === null || noEstimateReason(dips, atMs) !== null) return null;
  return advanceDays(dips.estimate, Math.max(atMs, dips.estimate.atMs), () => dips.use);
}

/** The estimated level as it is shown. */
export interface EstimatedLevel {
  /** The level in percent, with its 80 % range. */
  likely: number;
  low: number;
  high: number;
}

export function estimatedLevel(dips: DipState, atMs: number): EstimatedLevel | null {
  const at = estimateAt(dips, atMs);
  if (at === null) return null;
  const { level, low, high } = levelRange(at);
  return { likely: tenth(level), low: tenth(low), high: tenth(high) };
}

/** Without an estimate, the next dip is asked for this long after the last one. */
const ASKED_AGAIN_MS = 7 * DAY_MS;

/** Whether to ask for a dip: there is no estimate and no fresh dip, or the range of the estimate is wide. */
export function wantsDip(dips: DipState, atMs: number): boolean {
  const at = estimateAt(dips, atMs);
  if (at !== null) return isDipWanted(at);
  return dips.seenAtMs === null || atMs - dips.seenAtMs >= ASKED_AGAIN_MS;
}

/** Forecasts as `forecast` does for a tank with a sensor. */
export function forecastEstimated(
  { minFillAlertPercentage }: { minFillAlertPercentage: number },
  dips: DipState,
  nowMs: number,
): Forecast | null {
  const at = estimateAt(dips, nowMs);
  if (at === null) return null;
  const expected = seasonalUse(dips.use, dips.season);
  const daysTo = (target: number): Forecast['daysToEmpty'] => {
    const { likely, earliest, latest } = daysToLevel(at, target, expected);
    const shown = (days: number | null): number | null => (days === null ? null : tenth(days));
    return { likely: shown(likely), earliest: shown(earliest), latest: shown(latest) };
  };
  return {
    asOfMs: dips.seenAtMs ?? at.atMs,
    fillPercentage: tenth(at.level),
    usePointsPerDay: Math.round(Math.exp(at.logScale) * dips.use * 100) / 100,
    isGaugeReliable: true,
    daysToThreshold: daysTo(minFillAlertPercentage),
    daysToEmpty: daysTo(0),
    weather: null,
  };
}

const roundedUse = (use: number): number => Math.max(1e-4, roundToTenThousandth(use));

/** Rounds the estimate as it is stored, so that evaluation continues with the same numbers after a restart. */
const rounded = (at: DipEstimate): DipEstimate => ({
  atMs: at.atMs,
  level: roundToMillionth(clamp(at.level, 0, 100)),
  logScale: roundToMillionth(at.logScale),
  levelVariance: roundToMillionth(Math.max(0, at.levelVariance)),
  covariance: roundToMillionth(at.covariance),
  scaleVariance: roundToMillionth(at.scaleVariance),
  irregularity: roundToTenThousandth(at.irregularity),
});
