import { DAY_MS } from '../../../values/time.ts';
import type { AssessedReading, OutlierRun, Prediction, PriorKnowledge } from './assessed_reading.ts';
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
import { AGREED_DEVIATIONS } from './outlier_run.ts';
import { EMPTY_PERCENT } from './prediction.ts';
import { resetLevel } from './reset_level.ts';

type AssessmentEffects = Omit<AssessedReading, 'assessment'>;

const UNKNOWN_RATE_DEVIATION = 5;

/** Sets the level to the readings without an event. */
export function setLevelToReadings(
  { loss, gauge }: PriorKnowledge,
  reading: LevelReading,
  { expected, innovation, repeats }: Prediction,
): AssessmentEffects {
  const reset = resetLevel({ ...expected, repeats }, expected.level + innovation.points);
  // The estimated use led away from the readings, so it is unknown now.
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

/** Makes the rate at least this uncertain. */
const withRateVariance = (level: LevelEstimate, minVariance: number): LevelEstimate => ({
  ...level,
  rr: roundToMillionth(Math.max(level.rr, minVariance)),
});

/** Updates the means of the rate after days of normal use. */
const withSlowRate = (level: LevelEstimate, days: number, knownDays: number): LevelEstimate => ({
  ...level,
  ...learnSlowRate(level, level.rate, days, knownDays),
});

/** Marks a step back to about the level before the latest step: it may end a gauge fault, so it proves no loss. */
export const markStepUncertain = (effects: AssessmentEffects): AssessmentEffects => ({
  ...effects,
  loss: restartLeakDetector(effects.loss, effects.level.level),
  isLossProven: false,
  rise: effects.rise && { ...effects.rise, isMaybeFault: true },
});

/**
 * Corrects the effects of a step back to the level before the latest step. A gauge fault has ended: the step is neither
 * a delivery nor a loss.
 */
export const undoStep = (effects: AssessmentEffects, { filledTo }: GaugeHealth): AssessmentEffects => ({
  ...effects,
  loss: restartLeakDetector(effects.loss, effects.level.level),
  level: { ...effects.level, spikeShare: learnSpikes(effects.level.spikeShare, 4) },
  gauge: { ...effects.gauge, stepAtMs: null, filledTo },
  isLossProven: false,
  rise: null,
});

/** The levels of a step without the daily wave: the expected one at its first reading, and those of its first and its latest reading. */
export function stepLevels(
  { level, accepted }: PriorKnowledge,
  first: LevelReading,
  { expected, innovation }: Prediction,
): { expectedFill: number; firstFill: number; secondFill: number } {
  const expectedFirst = predict(level, accepted.atMs, first.atMs);
  return {
    expectedFill: expectedFirst.level,
    firstFill: expectedFirst.level + innovationOf(expectedFirst, first).points,
    secondFill: expected.level + innovation.points,
  };
}

/**
 * Accepts a delivery. The truck came between the last accepted reading and the first reading of the step, and the tank
 * was used in between. The readings of the step show the use now, which may differ from the rate before.
 */
export function acceptRise(
  known: PriorKnowledge,
  { first }: OutlierRun,
  reading: LevelReading,
  prediction: Prediction,
): AssessmentEffects {
  const { level: before, accepted, loss, gauge, knownDays } = known;
  const { expected, repeats } = prediction;
  const { expectedFill, firstFill, secondFill } = stepLevels(known, first, prediction);
  const days = (reading.atMs - first.atMs) / DAY_MS;
  const { rate, rr } = rateOfStep(expected, firstFill - secondFill, days);
  // The first reading may have been taken while the truck pumped, so it corrects the last one by at most the noise.
  const difference = (firstFill - secondFill - rate * days) / 2;
  const correction = Math.min(expected.noise, Math.max(-expected.noise, difference));
  // Limited to what the readings show, so that a wrong rate does not enlarge a delivery.
  const shown = Math.max(firstFill, secondFill) + expected.noise / 2;
  const seen = Math.min(shown, secondFill + correction + rate * days);
  const used = rate * ((first.atMs - accepted.atMs) / DAY_MS);
  // For an empty tank, the use between the delivery and its first reading is unknown, so the event has the observed levels.
  const isEmpty = accepted.fillPercentage <= EMPTY_PERCENT;
  const after = isEmpty ? Math.min(seen, Math.max(firstFill, secondFill)) : seen;
  const from = isEmpty ? before.level : levelAfterUse(before.level, used);
  const newUse = { ...expected, repeats, rate: roundToMillionth(rate), rr, rc: 0, rs: 0 };
  const daysSinceAccepted = (reading.atMs - accepted.atMs) / DAY_MS;
  const level = withSlowRate(resetLevel(newUse, secondFill + correction), daysSinceAccepted, knownDays);
  return {
    level,
    loss: restartLeakDetector(loss, level.level),
    gauge: {
      ...gauge,
      ...riseOf(gauge, first, { from: expectedFill, before: before.level, to: level.level }),
      isFullReal: gauge.isFullReal || reading.fillPercentage === 100,
      filledTo: roundToTenThousandth(level.level),
    },
    isLossProven: false,
    used: used + rate * days,
    rise: { before: from, points: after - from },
  };
}

/** The rate after a step, from the previous rate and the fall between two readings of the step. */
function rateOfStep(expected: LevelEstimate, fallen: number, days: number): { rate: number; rr: number } {
  if (days === 0) return expected;
  const shown = Math.max(0, fallen / days);
  // A reading that was taken while the truck pumps shows no use.
  if (shown > plausibleUsePerDay(expected)) return expected;
  const uncertain = expected.rr + dailyUseDeviation(expected) ** 2;
  const gain = uncertain / (uncertain + 2 * (expected.noise / days) ** 2);
  return {
    rate: expected.rate + gain * (shown - expected.rate),
    rr: Math.max(expected.rr * (1 - gain), dailyUseDeviation(expected) ** 2),
  };
}

/** Readings that lie closer together show more noise than use. */
const MIN_SHOWN_DAYS = 0.4;

/** The rate that the readings of a fall show. The uncertainty stays, because the next readings decide. */
function withShownRate(
  level: LevelEstimate,
  fallen: number,
  first: LevelReading,
  reading: LevelReading,
): LevelEstimate {
  const days = (reading.atMs - first.atMs) / DAY_MS;
  if (days < MIN_SHOWN_DAYS) return level;
  const { rate } = rateOfStep(level, fallen, days);
  return { ...level, rate: roundToMillionth(Math.max(level.rate, rate)) };
}

/** A loss that lasts longer than this counts as use. */
const NEW_USE_MS = 2 * DAY_MS;

export function acceptFall(
  known: PriorKnowledge,
  { first }: OutlierRun,
  reading: LevelReading,
  prediction: Prediction,
): AssessmentEffects {
  const { level: before, accepted, loss, gauge, knownDays } = known;
  const { expected, innovation, repeats } = prediction;
  const { expectedFill, firstFill, secondFill } = stepLevels(known, first, prediction);
  const onFirst = updateLeakDetector(loss, expected, firstFill, first.atMs, accepted, knownDays);
  const onSecond = updateLeakDetector(onFirst.loss, expected, secondFill, reading.atMs, first, knownDays);
  const reset = resetLevel({ ...expected, repeats }, secondFill);
  // A fall from exactly 100 is not a loss: the gauge was stuck at its limit, because the use of a full tank is accepted reading by reading.
  const isFromLimit = accepted.fillPercentage === 100;
  const isNew = !isSameLeak(loss, reading.atMs);
  const used = expectedUse(expected, first.atMs, reading.atMs);
  // A spike just after a delivery makes the delivery look larger. The fall after it is not a loss.
  const isCorrection =
    isSoonAfterStep(gauge, first) &&
    firstFill > gauge.stepFrom &&
    firstFill - secondFill <= AGREED_DEVIATIONS * expected.noise + 2 * used;
  const isLeak = (onFirst.isExceeded || onSecond.isExceeded) && !isFromLimit && !isCorrection;
  const isNewUse = !isLeak || (!isNew && loss.raisedAtMs !== null && reading.atMs - loss.raisedAtMs >= NEW_USE_MS);
  const days = (reading.atMs - accepted.atMs) / DAY_MS;
  // The rate may be anything up to what these readings show. The next readings decide.
  const newUse = withRateVariance(reset, Math.min(20, -innovation.points / days) ** 2);
  const fallen = isNewUse ? withShownRate(newUse, firstFill - secondFill, first, reading) : reset;
  const level = isLeak ? fallen : withSlowRate(fallen, days, knownDays);
  const levels = { from: expectedFill, before: before.level, first: firstFill, to: secondFill };
  return {
    level,
    loss:
      isFromLimit || isCorrection
        ? restartLeakDetector(onSecond.loss, level.level)
        : { ...onSecond.loss, from: onSecond.loss.from ?? onFirst.loss.from },
    gauge: {
      ...gauge,
      // The level before the run at the limit is not known.
      ...(isFromLimit ? { stepAtMs: null } : fallOf(gauge, first, levels)),
      isFullReal: gauge.isFullReal && !isFromLimit,
    },
    isLossProven: isLeak,
    used: isLeak ? expectedUse(expected, accepted.atMs, reading.atMs) : before.level - level.level,
    rise: null,
  };
}

type Step = Pick<GaugeHealth, 'stepAtMs' | 'stepFrom' | 'isStepSudden'>;

/** The level has recovered from a fall if it is less than this below the level before the fall. */
const MIN_FALL_POINTS = 5;
/** A sudden fall that continues by more than this share of itself no longer counts as sudden. */
const GOES_ON_SHARE = 0.5;

/** Returns true if the latest step was a fall, and the level is still below the level before that step. */
const isDown = (gauge: GaugeHealth, first: LevelReading, before: number): boolean =>
  isSoonAfterStep(gauge, first) && gauge.stepFrom - before >= MIN_FALL_POINTS;

/** The step to remember after a rise. A failing gauge shows several levels, so a small rise does not end the fall. */
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

/** The step to remember after a fall. A fall that continues is the same step. */
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
