import { DAY_MS } from '../values/time.ts';
import {
  countSpike,
  type GaugeHealth,
  isAtLimit,
  isStuckForLong,
  isUndoing,
  requiredReadings,
  SELDOM_MS,
} from './gauge_health.ts';
import {
  isLeakRecent,
  isRateKnown,
  isSameLeak,
  type LeakTest,
  plausibleUsePerDay,
  restartLeakTest,
  updateLeakTest,
} from './leak_test.ts';
import { learnFrom, learnHours, learnNoise } from './learning.ts';
import {
  countRepeat,
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
  roundToTenThousandth,
  updateEstimate,
  withoutWave,
} from './level_filter.ts';

/** One reading in 2,000 of a well-behaved gauge lies outside; then the next ones decide. */
const DOUBT_DEVIATIONS = 3.5;
/** A reading after a doubted one that lies this far out on the same side belongs to the same step. */
const STEP_DEVIATIONS = 5;
const SECOND_DEVIATIONS = 2.5;
/** How far two readings of one step may differ, in deviations of the noise, beside what is used between them. */
const AGREED_DEVIATIONS = 5;
/** After so many doubted readings the level follows them, whether they agree or not. */
const MOST_DOUBTS = 12;
const MOST_SELDOM_DOUBTS = 5;
const EMPTY = 1;
/** A delivery brings this much to a tank below this level. Less, or to a fuller tank, is more likely a spike. */
const LIKELY_DELIVERY = 15;
const LIKELY_LEVEL = 50;
/** Readings that differ by no more repeat each other. After this many, the level must be near them. */
const REPEAT_POINTS = 0.5;
const REPEATS_OVERRULE = 4;
const REPEATS_REFUTE_WAVE = 8;
/** Seven equal readings are right, however many spikes there were. */
const REPEATS_CONFIRM = 6;

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
  /** Days of believed readings. */
  knownDays: number;
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
  /** Whether enough readings agree on a step, up or down, that ends with this reading. */
  isStep: boolean;
  /** Whether the reading says something about use: not in a leak, nor on an empty tank. */
  isUsual: boolean;
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
  const latest = doubt?.latest ?? believed;
  expected.repeats = countRepeat(level, Math.abs(reading.fillPercentage - latest.fillPercentage) <= REPEAT_POINTS);
  const isEmpty = isGaugeAtEnd(expected, reading);
  if (isEmpty) expected.level = Math.max(0, expected.level);
  const innovation = innovationWithNewUse(expected, reading, (reading.atMs - believed.atMs) / DAY_MS);
  const deviations = deviationsOf(innovation, level, expected, Math.max(0, level.level - expected.level));
  const isFar = Math.abs(deviations) > DOUBT_DEVIATIONS;
  if (!isFar && (doubt === null || !isSameStep(known, doubt, deviations))) {
    return believe(known, reading, expected, innovation, isEmpty);
  }
  const next = extendDoubt(known, doubt, reading, expected, innovation.points);
  if (isFailureValue(gauge, doubt, reading)) {
    if (isStuckForLong(next.first, reading, next.agreeing)) return follow(known, reading, expected, innovation);
    return { ...doubtReading(known, next), isFailureValue: true, level: { ...level, repeats: expected.repeats } };
  }
  const isLikely = innovation.points > LIKELY_DELIVERY && expected.level < LIKELY_LEVEL;
  const required = requiredReadings(gauge, cadenceMs, innovation.points > 0, isLikely);
  const isReturn =
    cadenceMs < SELDOM_MS &&
    isUndoing(gauge, expected.level + innovation.points, reading.atMs, level.level - expected.level);
  const isConfirming = doubt === null || next.first !== doubt.first || next.agreeing > doubt.agreeing;
  const isRepeated = expected.repeats >= REPEATS_CONFIRM;
  if (isRepeated || (isConfirming && next.agreeing >= required)) {
    const accepted =
      innovation.points > 0
        ? acceptRise(known, next, reading, expected, innovation)
        : acceptFall(known, next, reading, expected, innovation);
    return isReturn ? undoStep(accepted) : accepted;
  }
  const mostDoubts = cadenceMs > SELDOM_DAYS * DAY_MS ? MOST_SELDOM_DOUBTS : MOST_DOUBTS;
  if (next.count >= mostDoubts) return follow(known, reading, expected, innovation);
  return { ...doubtReading(known, next), level: { ...level, repeats: expected.repeats } };
}

/** Between these innovations, a fall that plausible use explains is taken for a change of the rate. */
const NEW_USE_DEVIATIONS = 2;
const MOST_NEW_USE_DEVIATIONS = 4;
const MOST_NEW_USE_POINTS = 4.5;

/** The innovation of a reading. Use may begin or grow at any time: the rate becomes as uncertain as the fall suggests. */
function innovationWithNewUse(expected: LevelEstimate, reading: LevelReading, days: number): Innovation {
  const innovation = innovationOf(expected, reading);
  const isBetween = innovation.deviations < -NEW_USE_DEVIATIONS && innovation.deviations > -MOST_NEW_USE_DEVIATIONS;
  // If it was a spike after all, the way back must be too short for a delivery.
  if (!isBetween || -innovation.points > MOST_NEW_USE_POINTS) return innovation;
  const growth = (-innovation.points - expected.noise) / days;
  if (growth > plausibleUsePerDay(expected) - expected.rate) return innovation;
  const variance = growth * growth;
  expected.ll += days * days * variance;
  expected.lr -= days * variance;
  expected.rr += variance;
  return innovationOf(expected, reading);
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

/** The busiest tanks use this much. */
const MOST_USE_PER_DAY = 20;
const SELDOM_DAYS = 0.6;
const OFTEN_DAYS = 0.12;

/**
 * Up, readings agree if they differ by no more than noise and use: a truck may still be pumping, or one is a spike. Down,
 * the next may well be lower still, for the loss goes on; and a reading clearly below the one before counts
 * twice where spikes do not last, because a spike does not fall steadily.
 */
function extendDoubt(
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
  isStep: false,
  isUsual: false,
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
  const leak = updateLeakTest(loss, expected, fill, reading.atMs, believed, known.knownDays);
  const isLearning = !isLeakRecent(loss, reading.atMs) && !isEmpty;
  const isUsual = isLearning && !leak.isSuspected;
  if (isUsual) learnFrom(expected, innovation, believed.atMs, reading.atMs);
  // A noisy gauge shows itself by readings far from each prediction.
  if (doubt !== null) expected.noise = learnNoise(expected, innovationOf(expected, doubt.latest));
  learnHours(expected, innovation);
  const updated = updateEstimate(expected, innovation, isLearning);
  const next = isWaveObservable(updated) ? updated : withoutWave(updated);
  const assessed: AssessedReading = {
    doubt: null,
    isFailureValue: false,
    level: next,
    loss: leak.loss,
    gauge: afterBelief(known, reading, doubt),
    isStep: false,
    isUsual,
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

/** A fall that the use of a busy tank explains. */
const isUse = (before: LevelReading, reading: LevelReading): boolean => {
  const fallen = before.fillPercentage - reading.fillPercentage;
  return fallen > 0 && fallen <= (MOST_USE_PER_DAY * (reading.atMs - before.atMs)) / DAY_MS;
};

/** A doubt that ends with a reading near the prediction was a spike. Exactly 100 next to a reading near it is a full tank. */
function afterBelief({ gauge, believed }: PriorKnowledge, reading: LevelReading, doubt: Doubt | null): GaugeHealth {
  const isSpike = doubt !== null && !isAtLimit(doubt.latest) && !isUse(doubt.latest, reading);
  const next = isSpike ? countSpike(gauge, doubt.count) : gauge;
  const low = Math.min(believed.fillPercentage, reading.fillPercentage);
  const high = Math.max(believed.fillPercentage, reading.fillPercentage);
  if (next.isFullReal || doubt !== null || high !== 100 || low < 97 || low === 100) return next;
  return { ...next, isFullReal: true };
}

const UNKNOWN_RATE_DEVIATION = 5;

/** The level follows the reading, and no event explains it. */
function follow(
  { loss, gauge }: PriorKnowledge,
  reading: LevelReading,
  expected: LevelEstimate,
  innovation: Innovation,
): AssessedReading {
  const level = resetLevel(expected, expected.level + innovation.points);
  // What was known of the use has led away from the readings.
  if (!isAtLimit(reading)) level.rr = roundToMillionth(Math.max(level.rr, UNKNOWN_RATE_DEVIATION ** 2));
  return {
    doubt: null,
    isFailureValue: isAtLimit(reading),
    level,
    loss: restartLeakTest(loss, level.level),
    gauge,
    isStep: false,
    isUsual: false,
    isLossProven: false,
    used: 0,
    rise: null,
  };
}

/** The level is back where it was before the latest step: a spike of the gauge, and neither a delivery nor a loss. */
const undoStep = (accepted: AssessedReading): AssessedReading => ({
  ...accepted,
  loss: restartLeakTest(accepted.loss, accepted.level.level),
  gauge: { ...countSpike(accepted.gauge, 2), stepAtMs: null },
  isLossProven: false,
  rise: null,
});

const CORRECTED_DEVIATIONS = 2;

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
  // The last reading corrects the first one only by noise: the rest of the difference is use that was not expected.
  const difference = secondFill + used - firstFill;
  const most = CORRECTED_DEVIATIONS * expected.noise;
  const correction = Math.min(most, Math.max(-most, difference / 2));
  // No higher than the readings show: a wrong rate must not add to a delivery.
  const after = Math.min(firstFill + correction, Math.max(firstFill, secondFill) + expected.noise / 2);
  const level = resetLevel(expected, secondFill - correction);
  return {
    doubt: null,
    isFailureValue: false,
    level,
    loss: restartLeakTest(loss, level.level),
    gauge: {
      ...gauge,
      isFullReal: gauge.isFullReal || reading.fillPercentage === 100,
      stepAtMs: reading.atMs,
      stepFrom: roundToTenThousandth(Math.max(0, expectedFirst.level)),
    },
    isStep: true,
    isUsual: true,
    isLossProven: false,
    used: expectedUse(expected, believed.atMs, reading.atMs),
    rise: { before: expectedFirst.level, points: after - expectedFirst.level },
  };
}

/** What a tank loses for longer than this is its use. */
const NEW_USE_MS = 2 * DAY_MS;

function acceptFall(
  { level: before, believed, loss, gauge, knownDays }: PriorKnowledge,
  { first }: Doubt,
  reading: LevelReading,
  expected: LevelEstimate,
  innovation: Innovation,
): AssessedReading {
  const expectedFirst = predict(before, believed.atMs, first.atMs);
  const firstFill = expectedFirst.level + innovationOf(expectedFirst, first).points;
  const secondFill = expected.level + innovation.points;
  const onFirst = updateLeakTest(loss, expected, firstFill, first.atMs, believed, knownDays);
  const onSecond = updateLeakTest(onFirst.loss, expected, secondFill, reading.atMs, first, knownDays);
  const level = resetLevel(expected, secondFill);
  const isFromLimit = believed.fillPercentage === 100 && !gauge.isFullReal;
  const isNew = !isSameLeak(loss, reading.atMs);
  const isProven = (onFirst.isExceeded || onSecond.isProven) && !isFromLimit;
  const isLeak = isProven;
  const isNewUse = !isLeak || (!isNew && loss.raisedAtMs !== null && reading.atMs - loss.raisedAtMs >= NEW_USE_MS);
  const days = (reading.atMs - believed.atMs) / DAY_MS;
  // The rate may be anything up to what these readings show; the next readings say which.
  if (isNewUse) level.rr = roundToMillionth(Math.max(level.rr, Math.min(20, -innovation.points / days) ** 2));
  // A leak goes on falling; a spike does not.
  const isSteady = firstFill - secondFill <= AGREED_DEVIATIONS * level.noise;
  return {
    doubt: null,
    isFailureValue: false,
    level,
    loss: isFromLimit
      ? restartLeakTest(onSecond.loss, level.level)
      : { ...onSecond.loss, from: onSecond.loss.from ?? onFirst.loss.from },
    gauge: isSteady
      ? { ...gauge, stepAtMs: reading.atMs, stepFrom: roundToTenThousandth(Math.max(0, expectedFirst.level)) }
      : gauge,
    isStep: true,
    isUsual: !isLeak,
    isLossProven: isProven,
    used: isLeak ? expectedUse(expected, believed.atMs, reading.atMs) : before.level - level.level,
    rise: null,
  };
}
