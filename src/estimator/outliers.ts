import { countSpike, type GaugeHealth, isAtLimit, isStuckForLong, requiredReadings } from './gauge_health.ts';
import { isLeakRecent, isSameLeak, type LeakTest, restartLeakTest, updateLeakTest } from './leak_test.ts';
import { learnFrom, learnHours } from './learning.ts';
import {
  countRepeat,
  DAY_MS,
  expectedUse,
  type Innovation,
  innovationOf,
  isWaveObservable,
  type LevelEstimate,
  type LevelReading,
  predict,
  readingDeviation,
  resetLevel,
  roundToMillionth,
  updateEstimate,
  withoutWave,
} from './level_filter.ts';

/** One reading in 2,000 of a well-behaved gauge lies outside; then the next ones decide. */
const DOUBT_DEVIATIONS = 3.5;
/** A reading after a doubted one that lies this far out on the same side belongs to the same step. */
const STEP_DEVIATIONS = 5;
const SECOND_DEVIATIONS = 2.5;
/** How far two readings of one step may differ, in deviations of the noise, beside what is used between them. */
const AGREED_DEVIATIONS = 4;
/** After so many doubted readings the level follows them, whether they agree or not. */
const MOST_DOUBTS = 12;
const EMPTY = 1;
/** Readings that differ by no more repeat each other. After this many, the level must be near them. */
const REPEAT_POINTS = 0.5;
const REPEATS_OVERRULE = 4;
const REPEATS_REFUTE_WAVE = 7;

/** Readings in a row that are too far from their predictions to be believed so far. */
export interface Doubt {
  /** The first of those at the end that agree with each other, and how many they are. */
  first: LevelReading;
  agreeing: number;
  latest: LevelReading;
  /** All of them, also those that agree with no other. */
  count: number;
}

/** What is known before a reading, as of the last believed one. */
export interface PriorKnowledge {
  believed: LevelReading;
  doubt: Doubt | null;
  cadenceMs: number;
  level: LevelEstimate;
  loss: LeakTest;
  gauge: GaugeHealth;
}

export interface AssessedReading {
  /** Null if the reading is believed. */
  doubt: Doubt | null;
  /** Exactly 0 or 100, where neither use nor a delivery explains it. */
  isFailureValue: boolean;
  level: LevelEstimate;
  loss: LeakTest;
  gauge: GaugeHealth;
  isLossProven: boolean;
  /** Points used since the last believed reading. */
  used: number;
  /** Where enough readings agree that the level rose: from where, and by how much. */
  rise: { before: number; points: number } | null;
}

/**
 * A reading near its prediction is believed. One far from it is doubted until the next ones agree with it (the level has
 * jumped) or with the prediction (it was a spike).
 */
export function assessReading(known: PriorKnowledge, reading: LevelReading): AssessedReading {
  const { believed, doubt, level, gauge, cadenceMs } = known;
  const expected = predict(level, believed.atMs, reading.atMs);
  const isEmpty = isGaugeAtEnd(expected, reading);
  if (isEmpty) expected.level = Math.max(0, expected.level);
  const innovation = innovationOf(expected, reading);
  const deviations = deviationsOf(innovation, level, expected, Math.max(0, level.level - expected.level));
  const isFar = Math.abs(deviations) > DOUBT_DEVIATIONS;
  if (!isFar && (doubt === null || !isSameStep(known, doubt, deviations))) {
    return believe(known, reading, expected, innovation, isEmpty);
  }
  const next = extendDoubt(known, doubt, reading, expected, innovation.points);
  if (isFailureValue(gauge, doubt, reading)) {
    if (isStuckForLong(next.first, reading, next.agreeing)) return follow(known, reading, expected, innovation);
    return { ...doubtReading(known, next), isFailureValue: true };
  }
  if (next.agreeing >= requiredReadings(gauge, cadenceMs, innovation.points > 0)) {
    return innovation.points > 0
      ? acceptRise(known, next, reading, expected, innovation)
      : acceptFall(known, next, reading, expected, innovation);
  }
  return next.count >= MOST_DOUBTS ? follow(known, reading, expected, innovation) : doubtReading(known, next);
}

/**
 * Deviations of an innovation. Uncertain use explains a fall, but never a rise above the level of the reading before: for
 * that only gauge and level may be wrong.
 */
function deviationsOf(
  { points, deviations }: Innovation,
  before: LevelEstimate,
  expected: LevelEstimate,
  use: number,
): number {
  const rise = points - use;
  if (rise <= 0) return deviations;
  const variance = before.ll + Math.max(expected.cc, expected.ss) + readingDeviation(expected) ** 2 + LEVEL_SLACK;
  return Math.max(deviations, rise / Math.sqrt(variance));
}

/** Weather moves a level by more than a filter that has settled believes. */
const LEVEL_SLACK = 0.25;

/** An empty tank uses nothing, and its gauge says nothing about use. */
const isGaugeAtEnd = (expected: LevelEstimate, { fillPercentage }: LevelReading): boolean =>
  fillPercentage <= EMPTY || (expected.level < 0 && fillPercentage <= 3 * expected.noise);

/** Two innovations on one side are a step if the second is nearer to the first than to the prediction. */
function isSameStep({ level, believed }: PriorKnowledge, { latest }: Doubt, second: number): boolean {
  if (isAtLimit(latest)) return false;
  const first = innovationOf(predict(level, believed.atMs, latest.atMs), latest).deviations;
  const a = Math.abs(first);
  const b = Math.abs(second);
  return first * second > 0 && b >= SECOND_DEVIATIONS && b >= a / 2 && (a + b) / Math.SQRT2 >= STEP_DEVIATIONS;
}

/**
 * Up, readings agree if they differ by no more than noise and use: a truck may still be pumping, or one is a spike. Down,
 * the next may well be lower still, for the loss goes on; and a reading clearly below the one before counts twice, because
 * spikes do not fall steadily.
 */
function extendDoubt(
  { level, believed }: PriorKnowledge,
  doubt: Doubt | null,
  reading: LevelReading,
  expected: LevelEstimate,
  points: number,
): Doubt {
  if (doubt === null) return { first: reading, agreeing: 1, latest: reading, count: 1 };
  const { latest } = doubt;
  const days = (reading.atMs - latest.atMs) / DAY_MS;
  const used = expectedUse(expected, latest.atMs, reading.atMs);
  const plausible = used / 2 + 2 * Math.min(Math.sqrt(expected.rr), 8) * days;
  const tolerance = AGREED_DEVIATIONS * expected.noise + plausible;
  const change = withoutWaveAt(expected, reading) - withoutWaveAt(expected, latest) + used;
  const isSameSide = points * (latest.fillPercentage - predict(level, believed.atMs, latest.atMs).level) > 0;
  const isAgreed = isSameSide && (points > 0 ? Math.abs(change) <= tolerance : change <= tolerance);
  const count = doubt.count + 1;
  if (!isAgreed || isAtLimit(reading) !== isAtLimit(latest)) {
    const isDraining = isAgreed && points < 0 && !isAtLimit(latest);
    if (!isDraining) return { first: reading, agreeing: 1, latest: reading, count };
  }
  const weight = points < 0 && change < -tolerance ? 2 : 1;
  return { first: doubt.first, agreeing: doubt.agreeing + weight, latest: reading, count };
}

const withoutWaveAt = (expected: LevelEstimate, reading: LevelReading): number =>
  expected.level + innovationOf(expected, reading).points;

/** A run that begins with exactly 0 or 100. A tank that drains or is filled shows other readings before. */
function isFailureValue(gauge: GaugeHealth, doubt: Doubt | null, reading: LevelReading): boolean {
  if (!isAtLimit(reading) || (reading.fillPercentage === 100 && gauge.isFullReal)) return false;
  if (doubt === null) return true;
  return isAtLimit(doubt.latest) ? isAtLimit(doubt.first) : !isOnTheWay(doubt, reading);
}

/** The doubted readings before lie on the way to the limit: two of them, or one that the reading continues. */
const isOnTheWay = ({ latest }: Doubt, { fillPercentage }: LevelReading): boolean =>
  fillPercentage === 0 ? latest.fillPercentage < 40 : latest.fillPercentage > 60;

const doubtReading = ({ level, loss, gauge }: PriorKnowledge, doubt: Doubt): AssessedReading => ({
  doubt,
  isFailureValue: false,
  level,
  loss,
  gauge,
  isLossProven: false,
  used: 0,
  rise: null,
});

function believe(
  known: PriorKnowledge,
  reading: LevelReading,
  expected: LevelEstimate,
  innovation: Innovation,
  isEmpty: boolean,
): AssessedReading {
  const { believed, doubt, level, loss } = known;
  const fill = expected.level + innovation.points;
  const leak = updateLeakTest(loss, expected, fill, reading.atMs, believed);
  const isUsual = !leak.isSuspected && !isLeakRecent(loss, reading.atMs) && !isEmpty;
  if (isUsual) learnFrom(expected, innovation, believed.atMs, reading.atMs);
  learnHours(expected, innovation);
  const isRepeat = Math.abs(reading.fillPercentage - believed.fillPercentage) <= REPEAT_POINTS;
  expected.repeats = countRepeat(expected, isRepeat);
  const updated = updateEstimate(expected, innovation, isUsual);
  const next = isWaveObservable(updated) ? updated : withoutWave(updated);
  const assessed: AssessedReading = {
    doubt: null,
    isFailureValue: false,
    level: next,
    loss: leak.loss,
    gauge: afterBelief(known, reading, doubt),
    isLossProven: leak.isProven && (known.gauge.isFullReal || leak.loss.from?.fillPercentage !== 100),
    used: isUsual ? level.level - next.level : expectedUse(expected, believed.atMs, reading.atMs),
    rise: null,
  };
  return next.repeats < REPEATS_OVERRULE ? assessed : overrule(assessed, reading, expected.level);
}

/** A gauge that repeats itself is right, and the estimate is not. */
function overrule(assessed: AssessedReading, reading: LevelReading, predicted: number): AssessedReading {
  const { level } = assessed;
  const rest = innovationOf(level, reading).points;
  const wave = reading.fillPercentage - level.level - rest;
  const isWaveRefuted = level.repeats >= REPEATS_REFUTE_WAVE && Math.abs(wave) > 1;
  if (Math.abs(rest) <= 1 && !isWaveRefuted) return assessed;
  const base = Math.abs(wave) > 1 ? withoutWave(level) : level;
  const next = resetLevel(base, reading.fillPercentage - (base === level ? wave : 0));
  const points = next.level - predicted;
  return {
    ...assessed,
    level: next,
    loss: points > 0 ? restartLeakTest(assessed.loss, next.level) : assessed.loss,
    used: Math.max(0, assessed.used),
    rise: points > 0 ? { before: predicted, points } : null,
  };
}

/** A doubt that ends with a reading near the prediction was a spike. Exactly 100 next to a reading near it is a full tank. */
function afterBelief({ gauge, believed }: PriorKnowledge, reading: LevelReading, doubt: Doubt | null): GaugeHealth {
  const next = doubt === null || isAtLimit(doubt.latest) ? gauge : countSpike(gauge, doubt.count);
  const [low, high] = [believed.fillPercentage, reading.fillPercentage].toSorted((a, b) => a - b);
  if (next.isFullReal || doubt !== null || high !== 100 || (low ?? 0) < 97 || low === 100) return next;
  return { ...next, isFullReal: true };
}

/** The level follows the reading, and no event explains it. */
function follow(
  { loss, gauge }: PriorKnowledge,
  reading: LevelReading,
  expected: LevelEstimate,
  innovation: Innovation,
): AssessedReading {
  const level = resetLevel(expected, expected.level + innovation.points);
  return {
    doubt: null,
    isFailureValue: isAtLimit(reading),
    level,
    loss: restartLeakTest(loss, level.level),
    gauge,
    isLossProven: false,
    used: 0,
    rise: null,
  };
}

function acceptRise(
  { level: before, believed, loss, gauge }: PriorKnowledge,
  { first }: Doubt,
  reading: LevelReading,
  expected: LevelEstimate,
  innovation: Innovation,
): AssessedReading {
  const expectedFirst = predict(before, believed.atMs, first.atMs);
  const used = expectedUse(expected, first.atMs, reading.atMs);
  const firstFill = expectedFirst.level + innovationOf(expectedFirst, first).points;
  const secondFill = expected.level + innovation.points;
  // Both ends of the agreed run say what was delivered; the level is the mean as well.
  const after = (firstFill + secondFill + used) / 2;
  const level = resetLevel(expected, (firstFill - used + secondFill) / 2);
  return {
    doubt: null,
    isFailureValue: false,
    level,
    loss: restartLeakTest(loss, level.level),
    gauge: reading.fillPercentage === 100 ? { ...gauge, isFullReal: true } : gauge,
    isLossProven: false,
    used: expectedUse(expected, believed.atMs, reading.atMs),
    rise: { before: expectedFirst.level, points: after - expectedFirst.level },
  };
}

/** What a tank loses for longer than this is its use. */
const NEW_USE_MS = 2 * DAY_MS;

function acceptFall(
  { level: before, believed, loss, gauge }: PriorKnowledge,
  { first }: Doubt,
  reading: LevelReading,
  expected: LevelEstimate,
  innovation: Innovation,
): AssessedReading {
  const expectedFirst = predict(before, believed.atMs, first.atMs);
  const firstFill = expectedFirst.level + innovationOf(expectedFirst, first).points;
  const secondFill = expected.level + innovation.points;
  const onFirst = updateLeakTest(loss, expected, firstFill, first.atMs, believed);
  const onSecond = updateLeakTest(onFirst.loss, expected, secondFill, reading.atMs, first);
  const level = resetLevel(expected, secondFill);
  const isNew = !isSameLeak(loss, reading.atMs);
  const isLeak = onSecond.isProven || onSecond.isSuspected;
  const isNewUse = !isLeak || (!isNew && loss.raisedAtMs !== null && reading.atMs - loss.raisedAtMs >= NEW_USE_MS);
  const days = (reading.atMs - believed.atMs) / DAY_MS;
  // The rate may be anything up to what these readings show; the next readings say which.
  if (isNewUse) level.rr = roundToMillionth(Math.max(level.rr, Math.min(20, -innovation.points / days) ** 2));
  const isFromLimit = believed.fillPercentage === 100 && !gauge.isFullReal;
  return {
    doubt: null,
    isFailureValue: false,
    level,
    loss: isFromLimit ? restartLeakTest(onSecond.loss, level.level) : onSecond.loss,
    gauge,
    isLossProven: onSecond.isProven && !isFromLimit,
    used: isLeak ? expectedUse(expected, believed.atMs, reading.atMs) : before.level - level.level,
    rise: null,
  };
}
