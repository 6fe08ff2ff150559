import { clamp } from '../../../values/statistics.ts';
import { tenth } from '../../../values/tenth.ts';
import { DAY_MS, HOUR_MS } from '../../../values/time.ts';
import type { Forecast } from '../estimator/forecast.ts';
import type { LevelReading } from '../estimator/level_filter.ts';
import {
  beginWithLevel,
  DIP_DEVIATION,
  type DipEstimate,
  FILLED_TO_DEVIATION,
  passDays,
  type ScalePrior,
  seeLevel,
  takeDelivery,
} from './dip_filter.ts';
import { daysToLevel, isDipWanted, levelRange } from './dip_forecast.ts';
import { EVEN_SEASON, expectationOf, type Region, regionalUseOf, seasonalUse } from './region.ts';

/** What a tank without a sensor has in its state instead of a gauge. Rounded as it is stored. */
export interface DipState {
  /** Null before the first level. */
  estimate: DipEstimate | null;
  /** When somebody last saw the level. */
  seenAtMs: number | null;
  /** The level then, and after a delivery the level with it: no use makes it higher. */
  highest: number;
  /** When the level was last moved on. It is moved on once a day. */
  lookedAtMs: number;
  /** The expected use of the region in points a day; 0 if there are too few tanks with sensors to compare with. */
  use: number;
  /** The use in 30-day steps from now, relative to now. */
  season: readonly number[];
  /** False: people say that the use of this tank follows nothing, as that of a holiday home or a dryer. */
  isTold: boolean;
}

/** Why the current level of a tank without a sensor cannot be told. */
export type CannotBeTold = 'no_level' | 'no_comparison' | 'irregular' | 'too_old';

/** Before the tanks with sensors show how they differ. It has no effect until they do. */
const FIRST_PRIOR: ScalePrior = { log: -0.1, deviation: 0.6 };
/** After so long without anybody looking, the level is anything. */
const MOST_DAYS_UNSEEN = 180;
/**
 * A level that is so much above the one before was filled up, and nobody wrote a note. So was one that is far above the expected one;
 * nobody sends a truck for less.
 */
const LEAST_RISE = 10;
const LEAST_FILL = 25;
const FILL_DEVIATIONS = 3;

export const initialDips = (atMs: number): DipState => ({
  estimate: null,
  seenAtMs: null,
  highest: 0,
  lookedAtMs: atMs,
  use: 0,
  season: EVEN_SEASON,
  isTold: true,
});

/** When to look at the level again without anybody having seen it; null: the level cannot be told any more, or not yet. */
export function nextLookMs({ estimate, seenAtMs, lookedAtMs, use }: DipState): number | null {
  if (estimate === null || seenAtMs === null || isTooOld(seenAtMs, lookedAtMs)) return null;
  // The worker learns the first rates of a region within an hour.
  const isNew = use === 0 && lookedAtMs - seenAtMs < DAY_MS;
  return lookedAtMs + (isNew ? HOUR_MS : DAY_MS);
}

const isTooOld = (seenAtMs: number, atMs: number): boolean => atMs - seenAtMs > MOST_DAYS_UNSEEN * DAY_MS;

/**
 * The filter cannot see that the use of a tank follows nothing: neither its surprise at dips nor its use relative to the region
 * tells holiday homes and dryers apart. People say so.
 */
export function cannotBeTold({ estimate, seenAtMs, use, isTold }: DipState, atMs: number): CannotBeTold | null {
  if (estimate === null || seenAtMs === null) return 'no_level';
  if (!isTold) return 'irregular';
  if (use === 0) return 'no_comparison';
  return isTooOld(seenAtMs, atMs) ? 'too_old' : null;
}

/** The level after the use until then. Without a region nothing is known of the use, and the level is the one that was seen. */
export function passTo(dips: DipState, toMs: number, region: Region | null): DipState {
  const { estimate } = dips;
  if (estimate === null || toMs <= dips.lookedAtMs) return { ...dips, lookedAtMs: Math.max(dips.lookedAtMs, toMs) };
  if (region === null) {
    const use = (): number => dips.use;
    return { ...dips, lookedAtMs: toMs, estimate: dips.use === 0 ? estimate : rounded(passDays(estimate, toMs, use)) };
  }
  const { log, deviation } = region.prior;
  // The first comparison: what was seen before taught nothing but the level.
  const from = dips.use === 0 ? { ...estimate, logScale: log, scaleVariance: deviation ** 2, covariance: 0 } : estimate;
  return {
    ...dips,
    lookedAtMs: toMs,
    estimate: rounded(passDays(from, toMs, regionalUseOf(region))),
    use: dips.use === 0 ? roundedUse(expectationOf(region, Math.floor(toMs / DAY_MS)).use) : dips.use,
  };
}

/** What to expect from now on. */
export function expectFrom(dips: DipState, atMs: number, region: Region | null): DipState {
  if (region === null || dips.estimate === null) return dips;
  const { use, season } = expectationOf(region, Math.floor(atMs / DAY_MS));
  return { ...dips, use: roundedUse(use), season: season.map((factor) => Math.round(factor * 1e4) / 1e4) };
}

/** Somebody saw the level. The state is that of this time. */
export function seeDip(dips: DipState, { atMs, fillPercentage }: LevelReading, region: Region | null): DipState {
  return {
    ...dips,
    seenAtMs: atMs,
    highest: fillPercentage,
    lookedAtMs: atMs,
    estimate: rounded(seen(dips, atMs, fillPercentage, region)),
  };
}

function seen(dips: DipState, atMs: number, level: number, region: Region | null): DipEstimate {
  const { estimate, use, highest } = dips;
  if (estimate === null || use === 0) return beginWithLevel(atMs, level, DIP_DEVIATION, region?.prior ?? FIRST_PRIOR);
  const deviation = Math.sqrt(estimate.levelVariance + DIP_DEVIATION ** 2);
  const isFilled =
    level - highest > LEAST_RISE || level - estimate.level > Math.max(LEAST_FILL, FILL_DEVIATIONS * deviation);
  return isFilled
    ? { ...estimate, level, levelVariance: DIP_DEVIATION ** 2, covariance: 0 }
    : seeLevel(estimate, level, DIP_DEVIATION);
}

/** A delivery note. The state is that of this time. */
export function takeNote(
  dips: DipState,
  { atMs, points, filledTo }: { atMs: number; points: number; filledTo: number | null },
  region: Region | null,
): DipState {
  const { estimate } = dips;
  if (filledTo === null) {
    if (estimate === null) return dips;
    const after = rounded(takeDelivery(estimate, points, null));
    return { ...dips, estimate: after, highest: Math.round(after.level * 1e4) / 1e4 };
  }
  const next =
    estimate === null || dips.use === 0
      ? beginWithLevel(atMs, filledTo, FILLED_TO_DEVIATION, region?.prior ?? FIRST_PRIOR)
      : takeDelivery(estimate, points, filledTo);
  return { ...dips, seenAtMs: atMs, highest: filledTo, lookedAtMs: atMs, estimate: rounded(next) };
}

/** The level at a time, between two looks by the expected use. Null if it cannot be told. */
export function estimateAt(dips: DipState, atMs: number): DipEstimate | null {
  if (dips.estimate === null || cannotBeTold(dips, atMs) !== null) return null;
  return passDays(dips.estimate, Math.max(atMs, dips.estimate.atMs), () => dips.use);
}

/** What is shown of the level. */
export interface EstimatedLevel {
  /** In percent, with the 80 % range. */
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

/** Whether somebody should look: the level is not known, or its range is wide. */
export function wantsDip(dips: DipState, atMs: number): boolean {
  const at = estimateAt(dips, atMs);
  return at === null || isDipWanted(at);
}

/** As `forecast` for a tank with a sensor. */
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

const millionth = (value: number): number => Math.round(value * 1e6) / 1e6;
const roundedUse = (use: number): number => Math.max(1e-4, Math.round(use * 1e4) / 1e4);

/** As it is stored, so that evaluation continues with the same numbers after a restart. */
const rounded = (at: DipEstimate): DipEstimate => ({
  atMs: at.atMs,
  level: millionth(clamp(at.level, 0, 100)),
  logScale: millionth(at.logScale),
  levelVariance: millionth(Math.max(0, at.levelVariance)),
  covariance: millionth(at.covariance),
  scaleVariance: millionth(at.scaleVariance),
  irregularity: Math.round(at.irregularity * 1e4) / 1e4,
});
