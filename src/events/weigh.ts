import {
  absorb,
  DAY_MS,
  type Level,
  learnIrregularity,
  learnNoise,
  learnWeek,
  moveLevel,
  predict,
  type Reading,
  surpriseOf,
  usualUse,
} from './level.ts';
import { followLoss, isUseUnusual, type Loss, restartLoss } from './loss.ts';

/** One reading in 2,000 of a well-behaved gauge lies outside; then the next one decides. */
const DOUBT_DEVIATIONS = 3.5;
/** What both readings of a step must show together, and the second one alone. */
const STEP_DEVIATIONS = 5;
const SECOND_DEVIATIONS = 2.5;
/** What two readings after a rise may differ by, beside half of what is used between them. */
const AGREED_DEVIATIONS = 4;
const EMPTY = 1;

/** What is known of the level, as of the last believed reading. */
export interface Known {
  believed: Reading;
  /** The reading after it, if that was too far from its prediction to be believed. */
  doubted: Reading | null;
  doubts: number;
  level: Level;
  loss: Loss;
}

export interface Weighed {
  isDoubted: boolean;
  level: Level;
  loss: Loss;
  isLossProven: boolean;
  /** Where two readings agree that the level rose: from where, and by how much. */
  rise: { before: number; points: number } | null;
}

/**
 * A reading near its prediction is believed. One far from it is doubted until the next, which agrees (the level has
 * jumped) or not (it was a spike, and is forgotten).
 */
export function weigh(known: Known, reading: Reading): Weighed {
  const { believed, doubted, level, loss } = known;
  const expected = predict(level, believed.atMs, reading.atMs);
  const isEmpty = isGaugeAtEnd(expected, reading);
  if (isEmpty) expected.level = Math.max(0, expected.level);
  const surprise = surpriseOf(expected, reading);
  if (doubted !== null) {
    const expectedFirst = predict(level, believed.atMs, doubted.atMs);
    const first = surpriseOf(expectedFirst, doubted);
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
  const followed = followLoss(loss, expected, expected.level + surprise.points, reading.atMs, believed);
  const isUsual = !followed.isSuspected && !isUseUnusual(loss, reading.atMs) && !isEmpty;
  if (isUsual) {
    expected.irregularity = learnIrregularity(expected, surprise, (reading.atMs - believed.atMs) / DAY_MS);
    expected.noise = learnNoise(expected, surprise);
    expected.week = learnWeek(expected, surprise, believed.atMs, reading.atMs);
  }
  return {
    isDoubted: false,
    level: absorb(expected, surprise, isUsual),
    loss: followed.loss,
    isLossProven: followed.isProven,
    rise: null,
  };
}

/** An empty tank uses nothing, and its gauge says nothing about use. */
const isGaugeAtEnd = (expected: Level, { fillPercentage }: Reading): boolean =>
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
  { loss, doubts }: Known,
  doubted: Reading,
  reading: Reading,
  expected: Level,
  fills: Fills,
): Weighed | null {
  const used = usualUse(expected, doubted.atMs, reading.atMs);
  const difference = fills.second + used - fills.first;
  const isAgreed = Math.abs(difference) <= AGREED_DEVIATIONS * expected.noise + used / 2;
  if (!isAgreed && doubts < 2) return null;
  const after = fills.first + (isAgreed ? difference / 2 : Math.max(0, difference));
  const level = moveLevel(expected, isAgreed ? after - used : fills.second);
  return {
    isDoubted: false,
    level,
    loss: restartLoss(loss, level.level),
    isLossProven: false,
    rise: { before: fills.before, points: after - fills.before },
  };
}

/** Down: the second may well be lower still, for whatever empties the tank goes on. */
function fall({ believed, loss }: Known, doubted: Reading, reading: Reading, expected: Level, fills: Fills): Weighed {
  const onFirst = followLoss(loss, expected, fills.first, doubted.atMs, believed);
  const onSecond = followLoss(onFirst.loss, expected, fills.second, reading.atMs, doubted);
  return {
    isDoubted: false,
    level: moveLevel(expected, fills.second),
    loss: onSecond.loss,
    isLossProven: onSecond.isProven,
    rise: null,
  };
}
