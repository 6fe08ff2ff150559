import { DAY_MS, HOUR_MS } from '../../../values/time.ts';
import type { Doubt, Prediction, PriorKnowledge } from './assessed_reading.ts';
import { type GaugeHealth, isAtLimit } from './gauge_health.ts';
import { isRateKnown, MOST_USE_PER_DAY, plausibleUsePerDay } from './leak_detector.ts';
import { expectedUse, innovationOf, type LevelEstimate, type LevelReading, predict } from './level_filter.ts';

/** A reading after a doubted one that lies this far out on the same side belongs to the same step. */
const SECOND_DEVIATIONS = 2.5;
/** How far two readings of one step may differ, in deviations of the noise, beside what is used between them. */
export const AGREED_DEVIATIONS = 5;
/** Readings that differ by no more repeat each other. After this many, the level must be near them. */
export const REPEAT_POINTS = 0.5;

/** Whether a reading that is not far from its prediction agrees better with the doubted one before. */
export function isSameStep(
  known: PriorKnowledge,
  { latest }: Doubt,
  reading: LevelReading,
  prediction: Prediction,
): boolean {
  if (isAtLimit(latest) || Math.abs(prediction.deviations) < SECOND_DEVIATIONS) return false;
  return agreement(known, latest, reading, prediction) > 0;
}

export const SELDOM_DAYS = 0.6;

/**
 * Up, readings agree if they differ by no more than noise and use: a truck may still be pumping, or one is a spike. Down,
 * the next may well be lower still, for the loss goes on; and a reading clearly below the one before counts
 * twice where spikes do not last, because a spike does not fall steadily.
 */
export function extendDoubt(known: PriorKnowledge, reading: LevelReading, prediction: Prediction): Doubt {
  const { doubt } = known;
  // What follows a failing gauge has nothing to do with it.
  const isNew = doubt === null || (isAtLimit(doubt.first) && isAtLimit(doubt.latest) && !isAtLimit(reading));
  if (isNew) return { first: reading, agreeing: 1, latest: reading, count: 1 };
  const { first, latest, agreeing } = doubt;
  const count = doubt.count + 1;
  const ofLatest = agreement(known, latest, reading, prediction);
  const ofFirst = first.atMs === latest.atMs ? ofLatest : agreement(known, first, reading, prediction);
  if (ofFirst > 0) return { first, agreeing: agreeing + Math.max(1, ofLatest), latest: reading, count };
  if (ofLatest > 0) return { first: latest, agreeing: 1 + ofLatest, latest: reading, count };
  // A spike within a step does not make the step forgotten. Of two readings that differ, the next decides.
  const isKept = agreeing >= 2 || first.atMs === latest.atMs;
  return { first: isKept ? first : latest, agreeing, latest: reading, count };
}

/** Two readings of a level that are so far apart show that it was not a spike of the gauge. */
const HELD_MS = 9 * HOUR_MS;
/** How far they may differ. */
const HELD_POINTS = 5;

/** Whether the doubted readings show one level for hours. */
export const isHeld = ({ first, latest, agreeing }: Doubt): boolean =>
  agreeing >= 2 &&
  latest.atMs - first.atMs >= HELD_MS &&
  Math.abs(latest.fillPercentage - first.fillPercentage) <= HELD_POINTS &&
  !isAtLimit(first) &&
  !isAtLimit(latest);

/** How much a reading confirms a doubted one before it: not at all, once or twice. */
function agreement(
  known: PriorKnowledge,
  before: LevelReading,
  reading: LevelReading,
  { expected, innovation: { points } }: Prediction,
): number {
  const { level, believed } = known;
  const isSameSide = points * (before.fillPercentage - predict(level, believed.atMs, before.atMs).level) > 0;
  if (!isSameSide) return 0;
  const tolerance = AGREED_DEVIATIONS * expected.noise;
  const change = withoutWaveAt(expected, reading) - withoutWaveAt(expected, before);
  const isRepeat = Math.abs(reading.fillPercentage - before.fillPercentage) <= REPEAT_POINTS;
  if (change > tolerance && !isRepeat) return 0;
  if (isAtLimit(reading) !== isAtLimit(before)) return points < 0 && isAtLimit(reading) ? 1 : 0;
  const used = expectedUse(expected, before.atMs, reading.atMs);
  const days = (reading.atMs - before.atMs) / DAY_MS;
  if (points < 0) {
    const isLeakLike = change < -tolerance - used && change > -FASTEST_LEAK * days && isSlowEnough(known, before);
    return isLeakLike ? 2 : 1;
  }
  const mostUsed = days * Math.max(plausibleUsePerDay(expected), isRateKnown(expected) ? 0 : MOST_USE_PER_DAY);
  return change >= -tolerance - mostUsed ? 1 : 0;
}

/** Six points an hour, in points a day: a tank that loses more falls at once, and a spike does too. */
const FASTEST_LEAK = 6 * 24;

const isSlowEnough = ({ level, believed }: PriorKnowledge, { atMs, fillPercentage }: LevelReading): boolean =>
  level.level - fillPercentage < (FASTEST_LEAK * (atMs - believed.atMs)) / DAY_MS;

const withoutWaveAt = (expected: LevelEstimate, reading: LevelReading): number =>
  expected.level + innovationOf(expected, reading).points;

/** A run that begins with exactly 0 or 100. A tank that drains or is filled shows other readings before. */
export function isFailureValue(gauge: GaugeHealth, doubt: Doubt | null, reading: LevelReading): boolean {
  if (!isAtLimit(reading) || (reading.fillPercentage === 100 && gauge.isFullReal)) return false;
  if (doubt === null) return true;
  return isAtLimit(doubt.latest) ? isAtLimit(doubt.first) : !isOnTheWay(doubt, reading);
}

/** The doubted readings before lie on the way to the limit: two of them, or one that the reading continues. */
const isOnTheWay = ({ latest }: Doubt, { fillPercentage }: LevelReading): boolean =>
  fillPercentage === 0 ? latest.fillPercentage < 40 : latest.fillPercentage > 60;
