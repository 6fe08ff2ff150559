import { DAY_MS } from '../values/time.ts';
import { isLeakRecent, type LeakTest, restartLeakTest, updateLeakTest } from './leak_test.ts';
import {
  expectedUse,
  innovationOf,
  type LevelEstimate,
  type LevelReading,
  learnIrregularity,
  learnNoise,
  learnWeekdays,
  predict,
  resetLevel,
  updateEstimate,
} from './level_filter.ts';

/** One reading in 2,000 of a well-behaved gauge lies outside; then the next one decides. */
const DOUBT_DEVIATIONS = 3.5;
/** What both readings of a step must show together, and the second one alone. */
const STEP_DEVIATIONS = 5;
const SECOND_DEVIATIONS = 2.5;
/** What two readings after a rise may differ by, beside half of what is used between them. */
const AGREED_DEVIATIONS = 4;
const EMPTY = 1;

/** What is known of the level, as of the last believed reading. */
export interface PriorKnowledge {
  believed: LevelReading;
  /** The reading after it, if that was too far from its prediction to be believed. */
  doubted: LevelReading | null;
  doubts: number;
  level: LevelEstimate;
  loss: LeakTest;
}

export interface AssessedReading {
  isDoubted: boolean;
  level: LevelEstimate;
  loss: LeakTest;
  isLossProven: boolean;
  /** Where two readings agree that the level rose: from where, and by how much. */
  rise: { before: number; points: number } | null;
}

/**
 * A reading near its prediction is believed. One far from it is doubted until the next, which agrees (the level has
 * jumped) or not (it was a spike, and is forgotten).
 */
export function assessReading(known: PriorKnowledge, reading: LevelReading): AssessedReading {
  const { believed, doubted, level, loss } = known;
  const expected = predict(level, believed.atMs, reading.atMs);
  const isEmpty = isGaugeAtEnd(expected, reading);
  if (isEmpty) expected.level = Math.max(0, expected.level);
  const surprise = innovationOf(expected, reading);
  if (doubted !== null) {
    const expectedFirst = predict(level, believed.atMs, doubted.atMs);
    const first = innovationOf(expectedFirst, doubted);
    if (isStep(first.deviations, surprise.deviations)) {
      const fills = {
        before: expectedFirst.level,
        first: expectedFirst.level + first.points,
        second: expected.level + surprise.points,
      };
      const stepped =
        surprise.points > 0
          ? rise(known, doubted, reading, expected, fills)
          : fall(known, doubted, reading, expected, fills);
      if (stepped !== null) return stepped;
    }
    expected.noise = learnNoise(expected, first);
  }
  if (Math.abs(surprise.deviations) > DOUBT_DEVIATIONS) {
    const unsure = { ...level, noise: expected.noise };
    return { isDoubted: true, level: unsure, loss, isLossProven: false, rise: null };
  }
  const followed = updateLeakTest(loss, expected, expected.level + surprise.points, reading.atMs, believed);
  const isUsual = !followed.isSuspected && !isLeakRecent(loss, reading.atMs) && !isEmpty;
  if (isUsual) {
    expected.irregularity = learnIrregularity(expected, surprise, (reading.atMs - believed.atMs) / DAY_MS);
    expected.noise = learnNoise(expected, surprise);
    expected.week = learnWeekdays(expected, surprise, believed.atMs, reading.atMs);
  }
  return {
    isDoubted: false,
    level: updateEstimate(expected, surprise, isUsual),
    loss: followed.loss,
    isLossProven: followed.isProven,
    rise: null,
  };
}

/** An empty tank uses nothing, and its gauge says nothing about use. */
const isGaugeAtEnd = (expected: LevelEstimate, { fillPercentage }: LevelReading): boolean =>
  fillPercentage <= EMPTY || (expected.level < 0 && fillPercentage <= 3 * expected.noise);

/** Two surprises to the same side are a step if the second is nearer to the first than to nothing. */
function isStep(first: number, second: number): boolean {
  const a = Math.abs(first);
  const b = Math.abs(second);
  return first * second > 0 && b >= SECOND_DEVIATIONS && b >= a / 2 && (a + b) / Math.SQRT2 >= STEP_DEVIATIONS;
}

/** The two readings of a step without the daily wave, and the level expected at the first. */
interface Fills {
  before: number;
  first: number;
  second: number;
}

/**
 * Up: only if both say the same, for a truck may be pumping at the first, or one be a spike. If not even the third says
 * what the second said, the tank was filled and is losing it again.
 */
function rise(
  { loss, doubts }: PriorKnowledge,
  doubted: LevelReading,
  reading: LevelReading,
  expected: LevelEstimate,
  fills: Fills,
): AssessedReading | null {
  const used = expectedUse(expected, doubted.atMs, reading.atMs);
  const difference = fills.second + used - fills.first;
  const isAgreed = Math.abs(difference) <= AGREED_DEVIATIONS * expected.noise + used / 2;
  if (!isAgreed && doubts < 2) return null;
  const after = fills.first + (isAgreed ? difference / 2 : Math.max(0, difference));
  const level = resetLevel(expected, isAgreed ? after - used : fills.second);
  return {
    isDoubted: false,
    level,
    loss: restartLeakTest(loss, level.level),
    isLossProven: false,
    rise: { before: fills.before, points: after - fills.before },
  };
}

/** Down: the second may well be lower still, for whatever empties the tank goes on. */
function fall(
  { believed, loss }: PriorKnowledge,
  doubted: LevelReading,
  reading: LevelReading,
  expected: LevelEstimate,
  fills: Fills,
): AssessedReading {
  const onFirst = updateLeakTest(loss, expected, fills.first, doubted.atMs, believed);
  const onSecond = updateLeakTest(onFirst.loss, expected, fills.second, reading.atMs, doubted);
  return {
    isDoubted: false,
    level: resetLevel(expected, fills.second),
    loss: onSecond.loss,
    isLossProven: onSecond.isProven,
    rise: null,
  };
}
