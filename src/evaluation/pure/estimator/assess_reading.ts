import { DAY_MS } from '../../../values/time.ts';
import { acceptReading } from './accept_reading.ts';
import type { AssessedReading, OutlierRun, Prediction, PriorKnowledge, ReadingAssessment } from './assessed_reading.ts';
import {
  isAtLimit,
  isSoonAfterStep,
  isStuckForLong,
  requiredForStep,
  type StepReturn,
  stepReturn,
} from './gauge_health.ts';
import type { LevelReading } from './level_filter.ts';
import { extendOutlierRun, isFailureValue, isSameStep, OUTLIER_DAILY_CADENCE_DAYS } from './outlier_run.ts';
import { predictReading } from './prediction.ts';
import { acceptFall, acceptRise, markStepUncertain, setLevelToReadings, stepLevels, undoStep } from './steps.ts';

/** One reading in 2,000 of a gauge with normal noise is outside of this limit. The next readings decide about it. */
const OUTLIER_DEVIATIONS = 3.5;
/** After this many outliers in a row the level is set to them, even if they do not agree. */
const MAX_OUTLIERS = 12;
const MAX_DAILY_OUTLIERS = 5;
/**
 * A rise of more than 8 points in a tank less than 20 points above its threshold is likely a delivery. Other rises are
 * more likely spikes.
 */
const LIKELY_DELIVERY_POINTS = 8;
const LIKELY_ABOVE_THRESHOLD_POINTS = 20;
/** Three readings are enough to show that the gauge is back at the level before a fall. */
const MAX_REQUIRED_RETURN_READINGS = 3;
/** Seven equal readings (six repeats) confirm a level, even if the gauge has many spikes. */
const REPEATS_CONFIRM = 6;

/**
 * Accepts a reading near its prediction. A reading far from it is an outlier until the next readings agree with it (the
 * level has jumped) or with the prediction (it was a spike).
 */
export function assessReading(known: PriorKnowledge, reading: LevelReading): AssessedReading {
  const prediction = predictReading(known, reading);
  const assessment = classifyReading(known, reading, prediction);
  if (assessment.kind === 'accepted') return acceptReading(known, reading, prediction);
  if (assessment.kind === 'outlier') return { assessment, ...ignore(known, prediction) };
  if (assessment.kind === 'level_set') return { assessment, ...setLevelToReadings(known, reading, prediction) };
  const accept = prediction.innovation.points > 0 ? acceptRise : acceptFall;
  const effects = accept(known, assessment.step, reading, prediction);
  if (assessment.stepReturn === 'none') return { assessment, ...effects };
  return {
    assessment,
    ...(assessment.stepReturn === 'gauge_fault' ? undoStep(effects, known.gauge) : markStepUncertain(effects)),
  };
}

function classifyReading(known: PriorKnowledge, reading: LevelReading, prediction: Prediction): ReadingAssessment {
  const { outliers, gauge } = known;
  const isNear = Math.abs(prediction.deviations) <= OUTLIER_DEVIATIONS;
  if (isNear && !(outliers !== null && isSameStep(known, outliers, reading, prediction))) return { kind: 'accepted' };

  const next = extendOutlierRun(known, reading, prediction);
  if (isFailureValue(gauge, outliers, reading)) {
    return isStuckForLong(next.first, reading, next.agreeing)
      ? { kind: 'level_set', isFailureValue: true }
      : { kind: 'outlier', outliers: next, isFailureValue: true };
  }
  const leadsTo = returnOf(known, next, prediction);
  if (isStepConfirmed(known, next, prediction, leadsTo)) return { kind: 'step', step: next, stepReturn: leadsTo };
  if (next.count >= maxOutliers(known)) return { kind: 'level_set', isFailureValue: isAtLimit(reading) };
  return { kind: 'outlier', outliers: next, isFailureValue: false };
}

/** Returns true if enough outliers agree. A gauge with more spikes needs more readings. */
function isStepConfirmed(
  { accepted, outliers, level, gauge, cadenceMs, threshold, isBatchTank }: PriorKnowledge,
  next: OutlierRun,
  { expected, innovation: { points }, repeats }: Prediction,
  leadsTo: StepReturn,
): boolean {
  if (repeats >= REPEATS_CONFIRM) return true;
  const isConfirming = outliers === null || next.first !== outliers.first || next.agreeing > outliers.agreeing;
  if (!isConfirming) return false;
  const isBackFromFault = gauge.fault !== null && isAtLimit(accepted);
  const isLikely =
    isBatchTank || (points > LIKELY_DELIVERY_POINTS && expected.level < threshold + LIKELY_ABOVE_THRESHOLD_POINTS);
  if (isBackFromFault) return next.agreeing >= 2;
  const required = requiredForStep(level.spikeShare, cadenceMs, points > 0, isLikely);
  return (
    next.agreeing >=
    (leadsTo === 'gauge_fault' && points > 0 ? Math.min(MAX_REQUIRED_RETURN_READINGS, required) : required)
  );
}

/** Checks if the step leads back to the level before the latest step: see `stepReturn`. */
function returnOf(known: PriorKnowledge, { first }: OutlierRun, prediction: Prediction): StepReturn {
  const { level, gauge, cadenceMs, isBatchTank } = known;
  if (isBatchTank || !isSoonAfterStep(gauge, first)) return 'none';
  const { firstFill, secondFill } = stepLevels(known, first, prediction);
  const step = {
    atMs: first.atMs,
    first: firstFill,
    latest: secondFill,
    before: level.level,
    noise: level.noise,
    usePerDay: Math.max(level.rate, level.slowRate),
  };
  return stepReturn(gauge, step, cadenceMs);
}

const maxOutliers = ({ cadenceMs }: PriorKnowledge): number =>
  cadenceMs > OUTLIER_DAILY_CADENCE_DAYS * DAY_MS ? MAX_DAILY_OUTLIERS : MAX_OUTLIERS;

/** An outlier changes only the number of equal readings. */
const ignore = (
  { level, loss, gauge }: PriorKnowledge,
  { repeats }: Prediction,
): Omit<AssessedReading, 'assessment'> => ({
  level: { ...level, repeats },
  loss,
  gauge,
  isLossProven: false,
  used: 0,
  rise: null,
});
