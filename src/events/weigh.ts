import {
  absorb,
  DAY_MS,
  type Level,
  learnNoise,
  moveLevel,
  predict,
  type Reading,
  type Surprise,
  surpriseOf,
} from './level.ts';
import { followLoss, isRateKept, type Loss, restartLoss } from './loss.ts';

/** One reading in 2,000 of a well-behaved gauge lies outside; then the next one decides. */
const DOUBT_DEVIATIONS = 3.5;
/** What both readings of a step must show together, and the second one alone. */
const STEP_DEVIATIONS = 5;
const SECOND_DEVIATIONS = 2.5;
/** Two readings after a step that differ by more than this, in deviations: the truck was still pumping at the first. */
const PUMPING_DEVIATIONS = 4;
/** A gauge at its end says nothing about use. */
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
  const expected = predict(level, (reading.atMs - believed.atMs) / DAY_MS);
  const surprise = surpriseOf(expected, reading);
  const noise = learnNoise(level, surprise);
  if (doubted !== null) {
    const first = surpriseOf(predict(level, (doubted.atMs - believed.atMs) / DAY_MS), doubted);
    if (isStep(first.deviations, surprise.deviations)) {
      return takeStep(known, doubted, first, reading, surprise, { ...expected, noise });
    }
  }
  if (Math.abs(surprise.deviations) > DOUBT_DEVIATIONS) {
    return { isDoubted: true, level: { ...level, noise }, loss, isLossProven: false, rise: null };
  }
  const followed = followLoss(loss, expected, expected.level + surprise.points, reading.atMs, believed);
  const isRateLearned = !followed.isSuspected && !isRateKept(loss, reading.atMs) && reading.fillPercentage > EMPTY;
  return {
    isDoubted: false,
    level: absorb({ ...expected, noise }, surprise, isRateLearned),
    loss: followed.loss,
    isLossProven: followed.isProven,
    rise: null,
  };
}

/** Two surprises to the same side are a step if the second is nearer to the first than to nothing. */
function isStep(first: number, second: number): boolean {
  const a = Math.abs(first);
  const b = Math.abs(second);
  return first * second > 0 && b >= SECOND_DEVIATIONS && b >= a / 2 && (a + b) / Math.SQRT2 >= STEP_DEVIATIONS;
}

function takeStep(
  { believed, loss }: Known,
  doubted: Reading,
  first: Surprise,
  reading: Reading,
  second: Surprise,
  expected: Level,
): Weighed {
  const isPumping = Math.abs(first.points - second.points) > PUMPING_DEVIATIONS * expected.noise;
  const points = isPumping ? second.points : (first.points + second.points) / 2;
  const level = moveLevel(expected, expected.level + points);
  if (points > 0) {
    const before = expected.level + (expected.rate * (reading.atMs - doubted.atMs)) / DAY_MS;
    return {
      isDoubted: false,
      level,
      loss: restartLoss(loss, level.level),
      isLossProven: false,
      rise: { before, points },
    };
  }
  const expectedFirst = expected.level + (expected.rate * (reading.atMs - doubted.atMs)) / DAY_MS;
  const onFirst = followLoss(loss, expected, expectedFirst + first.points, doubted.atMs, believed);
  const onSecond = followLoss(onFirst.loss, expected, expected.level + second.points, reading.atMs, doubted);
  return { isDoubted: false, level, loss: onSecond.loss, isLossProven: onSecond.isProven, rise: null };
}
