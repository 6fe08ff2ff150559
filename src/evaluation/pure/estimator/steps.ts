import { DAY_MS } from '../../../values/time.ts';
import type { AssessedReading, Doubt, Prediction, PriorKnowledge } from './assessed_reading.ts';
import { AGREED_DEVIATIONS } from './doubt.ts';
import { type GaugeHealth, isAtLimit, isChaotic, isSoonAfterStep, isSudden } from './gauge_health.ts';
import { isSameLeak, plausibleUsePerDay, restartLeakDetector, updateLeakDetector } from './leak_detector.ts';
import { learnSlowRate, learnSpikes } from './learning.ts';
import {
  dailyUseDeviation,
  expectedUse,
  innovationOf,
  type LevelEstimate,
  type LevelReading,
  levelAfterUse,
  predict,
  roundToMillionth,
  roundToTenThousandth,
} from './level_filter.ts';
import { resetLevel } from './reset_level.ts';

type Accepted = Omit<AssessedReading, 'verdict'>;

const UNKNOWN_RATE_DEVIATION = 5;

/** The level follows the reading, and no event explains it. */
export function follow(
  { loss, gauge }: PriorKnowledge,
  reading: LevelReading,
  { expected, innovation, repeats }: Prediction,
): Accepted {
  const reset = resetLevel({ ...expected, repeats }, expected.level + innovation.points);
  // What was known of the use has led away from the readings.
  const level = isAtLimit(reading) ? reset : withRateVariance(reset, UNKNOWN_RATE_DEVIATION ** 2);
  return {
    level,
    loss: restartLeakDetector(loss, level.level),
    gauge,
    isLossProven: false,
    used: 0,
    rise: null,
  };
}

/** The rate is at least as uncertain as this. */
const withRateVariance = (level: LevelEstimate, least: number): LevelEstimate => ({
  ...level,
  rr: roundToMillionth(Math.max(level.rr, least)),
});

/** The means of the rate, after days of usual use. */
const withSlowRate = (level: LevelEstimate, days: number, knownDays: number): LevelEstimate => ({
  ...level,
  ...learnSlowRate(level, level.rate, days, knownDays),
});

/** The level is back about where it was before the latest step. It may have been a fault of the gauge: this is no loss. */
export const doubtStep = (accepted: Accepted): Accepted => ({
  ...accepted,
  loss: restartLeakDetector(accepted.loss, accepted.level.level),
  isLossProven: false,
  rise: accepted.rise && { ...accepted.rise, isMaybeFault: true },
});

/** The level is back where it was before the latest step: a fault of the gauge, and neither a delivery nor a loss. */
export const undoStep = (accepted: Accepted, { filledTo }: GaugeHealth): Accepted => ({
  ...accepted,
  loss: restartLeakDetector(accepted.loss, accepted.level.level),
  level: { ...accepted.level, spikeShare: learnSpikes(accepted.level.spikeShare, 4) },
  gauge: { ...accepted.gauge, stepAtMs: null, filledTo },
  isLossProven: false,
  rise: null,
});

/**
 * The truck came between the last believed reading and the first of the step, and the tank was used meanwhile. The readings
 * of the step show how much it is used now, which the rate before may not.
 */
export function acceptRise(
  { level: before, believed, loss, gauge, knownDays }: PriorKnowledge,
  { first }: Doubt,
  reading: LevelReading,
  { expected, innovation, repeats }: Prediction,
): Accepted {
  const expectedFirst = predict(before, believed.atMs, first.atMs);
  const firstFill = expectedFirst.level + innovationOf(expectedFirst, first).points;
  const secondFill = expected.level + innovation.points;
  const days = (reading.atMs - first.atMs) / DAY_MS;
  const { rate, rr } = rateOfStep(expected, firstFill - secondFill, days);
  // The first reading may have been taken while the truck pumped, so it corrects the last one by no more than noise.
  const difference = (firstFill - secondFill - rate * days) / 2;
  const correction = Math.min(expected.noise, Math.max(-expected.noise, difference));
  // No higher than the readings show: a wrong rate must not add to a delivery.
  const shown = Math.max(firstFill, secondFill) + expected.noise / 2;
  const after = Math.min(shown, secondFill + correction + rate * days);
  const used = rate * ((first.atMs - believed.atMs) / DAY_MS);
  const from = levelAfterUse(before.level, used);
  const newUse = { ...expected, repeats, rate: roundToMillionth(rate), rr, rc: 0, rs: 0 };
  const daysSinceBelieved = (reading.atMs - believed.atMs) / DAY_MS;
  const level = withSlowRate(resetLevel(newUse, secondFill + correction), daysSinceBelieved, knownDays);
  return {
    level,
    loss: restartLeakDetector(loss, level.level),
    gauge: {
      ...gauge,
      ...riseOf(gauge, first, { from: expectedFirst.level, before: before.level, to: level.level }),
      isFullReal: gauge.isFullReal || reading.fillPercentage === 100,
      filledTo: roundToTenThousandth(level.level),
    },
    isLossProven: false,
    used: used + rate * days,
    rise: { before: from, points: after - from },
  };
}

/** The rate after a step, from the rate before and from how much the level fell between two readings of the step. */
function rateOfStep(expected: LevelEstimate, fallen: number, days: number): { rate: number; rr: number } {
  if (days === 0) return expected;
  const shown = Math.max(0, fallen / days);
  // A reading while the truck pumps says nothing about use.
  if (shown > plausibleUsePerDay(expected)) return expected;
  const uncertain = expected.rr + dailyUseDeviation(expected) ** 2;
  const gain = uncertain / (uncertain + 2 * (expected.noise / days) ** 2);
  return {
    rate: expected.rate + gain * (shown - expected.rate),
    rr: Math.max(expected.rr * (1 - gain), dailyUseDeviation(expected) ** 2),
  };
}

/** What a tank loses for longer than this is its use. */
const NEW_USE_MS = 2 * DAY_MS;

export function acceptFall(
  { level: before, believed, loss, gauge, knownDays }: PriorKnowledge,
  { first }: Doubt,
  reading: LevelReading,
  { expected, innovation, repeats }: Prediction,
): Accepted {
  const expectedFirst = predict(before, believed.atMs, first.atMs);
  const firstFill = expectedFirst.level + innovationOf(expectedFirst, first).points;
  const secondFill = expected.level + innovation.points;
  const onFirst = updateLeakDetector(loss, expected, firstFill, first.atMs, believed, knownDays);
  const onSecond = updateLeakDetector(onFirst.loss, expected, secondFill, reading.atMs, first, knownDays);
  const reset = resetLevel({ ...expected, repeats }, secondFill);
  // A tank that was truly full falls from it by use, and is believed all the way.
  const isFromLimit = believed.fillPercentage === 100;
  const isNew = !isSameLeak(loss, reading.atMs);
  const used = expectedUse(expected, first.atMs, reading.atMs);
  // A spike just after a delivery makes it look larger. What follows is no loss.
  const isCorrection =
    isSoonAfterStep(gauge, first) &&
    firstFill > gauge.stepFrom &&
    firstFill - secondFill <= AGREED_DEVIATIONS * expected.noise + 2 * used;
  const isLeak = (onFirst.isExceeded || onSecond.isExceeded) && !isFromLimit && !isCorrection;
  const isNewUse = !isLeak || (!isNew && loss.raisedAtMs !== null && reading.atMs - loss.raisedAtMs >= NEW_USE_MS);
  const days = (reading.atMs - believed.atMs) / DAY_MS;
  // The rate may be anything up to what these readings show; the next readings say which.
  const fallen = isNewUse ? withRateVariance(reset, Math.min(20, -innovation.points / days) ** 2) : reset;
  const level = isLeak ? fallen : withSlowRate(fallen, days, knownDays);
  const levels = { from: expectedFirst.level, before: before.level, first: firstFill, to: secondFill };
  return {
    level,
    loss:
      isFromLimit || isCorrection
        ? restartLeakDetector(onSecond.loss, level.level)
        : { ...onSecond.loss, from: onSecond.loss.from ?? onFirst.loss.from },
    gauge: {
      ...gauge,
      // What came before a limit is not known.
      ...(isFromLimit ? { stepAtMs: null } : fallOf(gauge, first, levels)),
      isFullReal: gauge.isFullReal && !isFromLimit,
    },
    isLossProven: isLeak,
    used: isLeak ? expectedUse(expected, believed.atMs, reading.atMs) : before.level - level.level,
    rise: null,
  };
}

type Step = Pick<GaugeHealth, 'stepAtMs' | 'stepFrom' | 'isStepSudden'>;

/** Less than this below the level before the latest step, the tank is not down any more. */
const LEAST_DOWN = 5;
/** A fall that was sudden and goes on for more than this share of itself is not. */
const GOES_ON_SHARE = 0.5;

/** Whether the latest step was a fall, and the level is still below the one before it. */
const isDown = (gauge: GaugeHealth, first: LevelReading, before: number): boolean =>
  isSoonAfterStep(gauge, first) && gauge.stepFrom - before >= LEAST_DOWN;

/** The step to remember after a rise. A gauge that fails shows several levels: a small way back does not end the fall. */
function riseOf(
  gauge: GaugeHealth,
  first: LevelReading,
  { from, before, to }: { from: number; before: number; to: number },
): Step {
  const isSmall = to - before < (gauge.stepFrom - before) / 2;
  if (!isDown(gauge, first, before) || !isSmall) return newStep(first, from, true);
  const { stepAtMs, stepFrom, isStepSudden } = gauge;
  return { stepAtMs, stepFrom, isStepSudden };
}

/** The step to remember after a fall. One that goes on is the same fall. */
function fallOf(
  gauge: GaugeHealth,
  first: LevelReading,
  { from, before, first: shown, to }: { from: number; before: number; first: number; to: number },
): Step {
  if (!isDown(gauge, first, before)) return newStep(first, from, isSudden(from, shown, to) || isChaotic(gauge));
  const { stepAtMs, stepFrom, isStepSudden } = gauge;
  return { stepAtMs, stepFrom, isStepSudden: isStepSudden && before - to <= GOES_ON_SHARE * (stepFrom - before) };
}

const newStep = ({ atMs }: LevelReading, from: number, isStepSudden: boolean): Step => ({
  stepAtMs: atMs,
  stepFrom: roundToTenThousandth(Math.max(0, from)),
  isStepSudden,
});
