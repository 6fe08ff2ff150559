import { DAY_MS } from '../values/time.ts';
import type { AssessedReading, Doubt, PriorKnowledge } from './assessed_reading.ts';
import { AGREED_DEVIATIONS } from './doubt.ts';
import { countSpike, isAtLimit } from './gauge_health.ts';
import { isSameLeak, restartLeakTest, updateLeakTest } from './leak_test.ts';
import {
  expectedUse,
  type Innovation,
  innovationOf,
  type LevelEstimate,
  type LevelReading,
  predict,
  resetLevel,
  roundToMillionth,
  roundToTenThousandth,
} from './level_filter.ts';

const UNKNOWN_RATE_DEVIATION = 5;

/** The level follows the reading, and no event explains it. */
export function follow(
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
export const undoStep = (accepted: AssessedReading): AssessedReading => ({
  ...accepted,
  loss: restartLeakTest(accepted.loss, accepted.level.level),
  gauge: { ...countSpike(accepted.gauge, 2), stepAtMs: null },
  isLossProven: false,
  rise: null,
});

const CORRECTED_DEVIATIONS = 2;

export function acceptRise(
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

export function acceptFall(
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
