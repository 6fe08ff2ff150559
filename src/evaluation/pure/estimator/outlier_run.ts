import { DAY_MS, HOUR_MS } from '../../../values/time.ts';
import type { OutlierRun, Prediction, PriorKnowledge } from './assessed_reading.ts';
import { type GaugeHealth, isAtLimit } from './gauge_health.ts';
import { isRateKnown, MAX_USE_POINTS_PER_DAY, plausibleUsePerDay } from './leak_detector.ts';
import { expectedUse, innovationOf, type LevelEstimate, type LevelReading, predict } from './level_filter.ts';

/**
 * A reading after an outlier belongs to the same step if it is at least this many deviations from its prediction, on
 * the same side.
 */
const SECOND_DEVIATIONS = 2.5;
/** How far two readings of one step may differ beyond the use between them, in standard deviations of the noise. */
export const AGREED_DEVIATIONS = 5;
/** Readings that differ by at most this many points count as repeats. */
export const REPEAT_POINTS = 0.5;

/** Returns true if a reading that is near its prediction agrees better with the outlier before it. */
export function isSameStep(
  known: PriorKnowledge,
  { latest }: OutlierRun,
  reading: LevelReading,
  prediction: Prediction,
): boolean {
  if (isAtLimit(latest) || Math.abs(prediction.deviations) < SECOND_DEVIATIONS) return false;
  return agreement(known, latest, reading, prediction) > 0;
}

export const OUTLIER_DAILY_CADENCE_DAYS = 0.6;

/**
 * Adds a reading to the run. After a rise, two readings agree if they differ by no more than noise and use: the truck
 * may still be pumping, or one of them is a spike. After a fall, the next reading may be lower, because the loss
 * continues. A reading clearly below the previous one counts twice if the level fell by less than 6 points an hour,
 * because a spike does not fall steadily.
 */
export function extendOutlierRun(known: PriorKnowledge, reading: LevelReading, prediction: Prediction): OutlierRun {
  const { outliers } = known;
  // A reading after a run of exactly 0 or 100 starts a new run of outliers.
  const isNew = outliers === null || (isAtLimit(outliers.first) && isAtLimit(outliers.latest) && !isAtLimit(reading));
  if (isNew) return { first: reading, agreeing: 1, latest: reading, count: 1 };
  const { first, latest, agreeing } = outliers;
  const count = outliers.count + 1;
  const ofLatest = agreement(known, latest, reading, prediction);
  const ofFirst = first.atMs === latest.atMs ? ofLatest : agreement(known, first, reading, prediction);
  if (ofFirst > 0) return { first, agreeing: agreeing + Math.max(1, ofLatest), latest: reading, count };
  if (ofLatest > 0) return { first: latest, agreeing: 1 + ofLatest, latest: reading, count };
  // One spike does not end a run of agreeing outliers. If two outliers disagree, the next reading decides.
  const isKept = agreeing >= 2 || first.atMs === latest.atMs;
  return { first: isKept ? first : latest, agreeing, latest: reading, count };
}

/** Two readings of one level that are 9 hours apart show that it was not a spike of the gauge. */
const HELD_MS = 9 * HOUR_MS;
/** How far these two readings may differ. */
const HELD_POINTS = 5;

/** Returns true if the outliers show one level for at least 9 hours. */
export const isHeld = ({ first, latest, agreeing }: OutlierRun): boolean =>
  agreeing >= 2 &&
  latest.atMs - first.atMs >= HELD_MS &&
  Math.abs(latest.fillPercentage - first.fillPercentage) <= HELD_POINTS &&
  !isAtLimit(first) &&
  !isAtLimit(latest);

/** How much a reading confirms an earlier outlier: 0 (not at all), 1 (once) or 2 (twice). */
function agreement(
  known: PriorKnowledge,
  before: LevelReading,
  reading: LevelReading,
  { expected, innovation: { points } }: Prediction,
): number {
  const { level, accepted } = known;
  const isSameSide = points * (before.fillPercentage - predict(level, accepted.atMs, before.atMs).level) > 0;
  if (!isSameSide) return 0;
  const tolerance = AGREED_DEVIATIONS * expected.noise;
  const change = withoutWaveAt(expected, reading) - withoutWaveAt(expected, before);
  const isRepeat = Math.abs(reading.fillPercentage - before.fillPercentage) <= REPEAT_POINTS;
  if (change > tolerance && !isRepeat) return 0;
  if (isAtLimit(reading) !== isAtLimit(before)) return points < 0 && isAtLimit(reading) ? 1 : 0;
  const used = expectedUse(expected, before.atMs, reading.atMs);
  const days = (reading.atMs - before.atMs) / DAY_MS;
  if (points < 0) {
    const isLeakLike =
      change < -tolerance - used && change > -MAX_LEAK_POINTS_PER_DAY * days && isSlowEnough(known, before);
    return isLeakLike ? 2 : 1;
  }
  const maxUsed = days * Math.max(plausibleUsePerDay(expected), isRateKnown(expected) ? 0 : MAX_USE_POINTS_PER_DAY);
  return change >= -tolerance - maxUsed ? 1 : 0;
}

/** Six points an hour. A tank that loses more falls within one reading, as a spike does. */
const MAX_LEAK_POINTS_PER_DAY = 6 * 24;

const isSlowEnough = ({ level, accepted }: PriorKnowledge, { atMs, fillPercentage }: LevelReading): boolean =>
  level.level - fillPercentage < (MAX_LEAK_POINTS_PER_DAY * (atMs - accepted.atMs)) / DAY_MS;

const withoutWaveAt = (expected: LevelEstimate, reading: LevelReading): number =>
  expected.level + innovationOf(expected, reading).points;

/**
 * Returns true if the reading belongs to a run that begins with exactly 0 or 100. A tank that drains or is filled shows other
 * readings before it reaches the limit.
 */
export function isFailureValue(gauge: GaugeHealth, outliers: OutlierRun | null, reading: LevelReading): boolean {
  if (!isAtLimit(reading) || (reading.fillPercentage === 100 && gauge.isFullReal)) return false;
  if (outliers === null) return true;
  return isAtLimit(outliers.latest) ? isAtLimit(outliers.first) : !isOnTheWay(outliers, reading);
}

/** Returns true if the outlier before the reading lies on the way to the limit. */
const isOnTheWay = ({ latest }: OutlierRun, { fillPercentage }: LevelReading): boolean =>
  fillPercentage === 0 ? latest.fillPercentage < 40 : latest.fillPercentage > 60;
