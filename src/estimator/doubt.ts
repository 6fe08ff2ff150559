import { DAY_MS } from '../values/time.ts';
import type { Doubt, PriorKnowledge } from './assessed_reading.ts';
import { type GaugeHealth, isAtLimit } from './gauge_health.ts';
import { isRateKnown, plausibleUsePerDay } from './leak_test.ts';
import { expectedUse, innovationOf, type LevelEstimate, type LevelReading, predict } from './level_filter.ts';

/** A reading after a doubted one that lies this far out on the same side belongs to the same step. */
const STEP_DEVIATIONS = 5;
const SECOND_DEVIATIONS = 2.5;
/** How far two readings of one step may differ, in deviations of the noise, beside what is used between them. */
export const AGREED_DEVIATIONS = 5;
/** Readings that differ by no more repeat each other. After this many, the level must be near them. */
export const REPEAT_POINTS = 0.5;

/** Two innovations on one side are a step if the second is nearer to the first than to the prediction. */
export function isSameStep({ level, believed }: PriorKnowledge, { latest }: Doubt, second: number): boolean {
  if (isAtLimit(latest)) return false;
  const first = innovationOf(predict(level, believed.atMs, latest.atMs), latest).deviations;
  const a = Math.abs(first);
  const b = Math.abs(second);
  return first * second > 0 && b >= SECOND_DEVIATIONS && b >= a / 2 && (a + b) / Math.SQRT2 >= STEP_DEVIATIONS;
}

/** The busiest tanks use this much. */
export const MOST_USE_PER_DAY = 20;
export const SELDOM_DAYS = 0.6;
const OFTEN_DAYS = 0.12;

/**
 * Up, readings agree if they differ by no more than noise and use: a truck may still be pumping, or one is a spike. Down,
 * the next may well be lower still, for the loss goes on; and a reading clearly below the one before counts
 * twice where spikes do not last, because a spike does not fall steadily.
 */
export function extendDoubt(
  known: PriorKnowledge,
  doubt: Doubt | null,
  reading: LevelReading,
  expected: LevelEstimate,
  points: number,
): Doubt {
  // What follows a failing gauge has nothing to do with it.
  const isNew = doubt === null || (isAtLimit(doubt.first) && isAtLimit(doubt.latest) && !isAtLimit(reading));
  if (isNew) return { first: reading, agreeing: 1, latest: reading, count: 1 };
  const { first, latest, agreeing } = doubt;
  const count = doubt.count + 1;
  const ofLatest = agreement(known, latest, reading, expected, points);
  const ofFirst = first.atMs === latest.atMs ? ofLatest : agreement(known, first, reading, expected, points);
  if (ofFirst > 0) return { first, agreeing: agreeing + Math.max(1, ofLatest), latest: reading, count };
  if (ofLatest > 0) return { first: latest, agreeing: 1 + ofLatest, latest: reading, count };
  // A spike within a step does not make the step forgotten.
  if (agreeing >= 2) return { first, agreeing, latest: reading, count };
  return { first: reading, agreeing: 1, latest: reading, count };
}

/** How much a reading confirms a doubted one before it: not at all, once or twice. */
function agreement(
  { level, believed, gauge }: PriorKnowledge,
  before: LevelReading,
  reading: LevelReading,
  expected: LevelEstimate,
  points: number,
): number {
  const days = (reading.atMs - before.atMs) / DAY_MS;
  const used = expectedUse(expected, before.atMs, reading.atMs);
  const tolerance = AGREED_DEVIATIONS * expected.noise + used / 2;
  const change = withoutWaveAt(expected, reading) - withoutWaveAt(expected, before) + used;
  const isSameSide = points * (before.fillPercentage - predict(level, believed.atMs, before.atMs).level) > 0;
  if (!isSameSide) return 0;
  // Use may have stopped.
  if (Math.abs(reading.fillPercentage - before.fillPercentage) <= REPEAT_POINTS) return 1;
  if (change > tolerance) return 0;
  if (isAtLimit(reading) !== isAtLimit(before)) return points < 0 && isAtLimit(reading) ? 1 : 0;
  if (points < 0)
    return change < -tolerance && (days > SELDOM_DAYS || (days > OFTEN_DAYS && gauge.spikes === 0)) ? 2 : 1;
  const mostUsed = days * Math.max(plausibleUsePerDay(expected), isRateKnown(expected) ? 0 : MOST_USE_PER_DAY) - used;
  return change >= -tolerance - mostUsed ? 1 : 0;
}

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
