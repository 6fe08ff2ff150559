import {
  absorb,
  type Level,
  learnNoise,
  learnWeek,
  moveLevel,
  predict,
  type Reading,
  type Surprise,
  surpriseOf,
  usualUse,
} from './level.ts';
import { followLoss, isUseUnusual, type Loss, restartLoss } from './loss.ts';

/** One reading in 2,000 of a well-behaved gauge lies outside; then the next one decides. */
const DOUBT_DEVIATIONS = 3.5;
/** What both readings of a step must show together, and the second one alone. */
const STEP_DEVIATIONS = 5;
const SECOND_DEVIATIONS = 2.5;
/** What two readings after a step may differ by. */
const AGREED_DEVIATIONS = 4;
const EMPTY = 1;

/** What is known of the level, as of the last believed reading. */
export interface Known {
  believed: Reading;
  /** The reading after it, if that was too far from its prediction to be believed. */
  doubted: Reading | null;
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
      const fillFirst = expectedFirst.level + first.points;
      return takeStep(
        known,
        { ...doubted, fillPercentage: fillFirst },
        expectedFirst.level,
        reading,
        surprise,
        expected,
      );
    }
    expected.noise = learnNoise(expected, first);
  }
  if (Math.abs(surprise.deviations) > DOUBT_DEVIATIONS) {
    return { isDoubted: true, level: { ...level, noise: expected.noise }, loss, isLossProven: false, rise: null };
  }
  const followed = followLoss(loss, expected, expected.level + surprise.points, reading.atMs, believed);
  const isUsual = !followed.isSuspected && !isUseUnusual(loss, reading.atMs) && !isEmpty;
  if (isUsual) {
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

/** `first` and the second reading, both without the daily wave, have left the level expected at the first behind. */
function takeStep(
  { believed, loss }: Known,
  first: Reading,
  before: number,
  reading: Reading,
  surprise: Surprise,
  expected: Level,
): Weighed {
  const second = expected.level + surprise.points;
  const used = usualUse(expected, first.atMs, reading.atMs);
  const difference = second + used - first.fillPercentage;
  // Both are taken, unless they differ by more than noise: then the higher one, for a truck may still have been pumping
  // at the first reading, and more than usual may have been used by the second.
  const isAgreed = Math.abs(difference) <= AGREED_DEVIATIONS * expected.noise;
  const after = first.fillPercentage + (isAgreed ? difference / 2 : Math.max(0, difference));
  if (after > before) {
    const level = moveLevel(expected, isAgreed ? after - used : second);
    const rise = { before, points: after - before };
    return { isDoubted: false, level, loss: restartLoss(loss, level.level), isLossProven: false, rise };
  }
  const level = moveLevel(expected, isAgreed ? after - used : second);
  const onFirst = followLoss(loss, expected, first.fillPercentage, first.atMs, believed);
  const onSecond = followLoss(onFirst.loss, expected, second, reading.atMs, first);
  return { isDoubted: false, level, loss: onSecond.loss, isLossProven: onSecond.isProven, rise: null };
}
