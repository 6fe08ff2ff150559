import { DAY_MS } from '../../../values/time.ts';
import type { AssessedReading, Doubt, Prediction, PriorKnowledge, Verdict } from './assessed_reading.ts';
import { believe } from './believe.ts';
import { extendDoubt, isFailureValue, isSameStep, SELDOM_DAYS } from './doubt.ts';
import {
  isAtLimit,
  isSoonAfterStep,
  isStuckForLong,
  requiredForStep,
  type StepReturn,
  stepReturn,
} from './gauge_health.ts';
import { innovationOf, type LevelReading, predict } from './level_filter.ts';
import { predictReading } from './prediction.ts';
import { acceptFall, acceptRise, doubtStep, follow, undoStep } from './steps.ts';

/** One reading in 2,000 of a well-behaved gauge lies outside; then the next ones decide. */
const DOUBT_DEVIATIONS = 3.5;
/** After so many doubted readings the level follows them, whether they agree or not. */
const MOST_DOUBTS = 12;
const MOST_SELDOM_DOUBTS = 5;
/** A delivery brings this much to a tank below this level. Less, or to a fuller tank, is more likely a spike. */
const LIKELY_DELIVERY = 8;
const LIKELY_ABOVE = 20;
/** So many readings are enough to show that the gauge is back at the level before a fall. */
const MOST_REQUIRED_BACK = 3;
/** Seven equal readings are right, however many spikes there were. */
const REPEATS_CONFIRM = 6;

/**
 * A reading near its prediction is believed. One far from it is doubted until the next ones agree with it (the level has
 * jumped) or with the prediction (it was a spike).
 */
export function assessReading(known: PriorKnowledge, reading: LevelReading): AssessedReading {
  const prediction = predictReading(known, reading);
  const verdict = decideVerdict(known, reading, prediction);
  if (verdict.kind === 'believed') return believe(known, reading, prediction);
  if (verdict.kind === 'doubted') return { verdict, ...ignore(known, prediction) };
  if (verdict.kind === 'followed') return { verdict, ...follow(known, reading, prediction) };
  const accept = prediction.innovation.points > 0 ? acceptRise : acceptFall;
  const accepted = accept(known, verdict.step, reading, prediction);
  if (verdict.stepReturn === 'none') return { verdict, ...accepted };
  return { verdict, ...(verdict.stepReturn === 'gauge_fault' ? undoStep(accepted, known.gauge) : doubtStep(accepted)) };
}

function decideVerdict(known: PriorKnowledge, reading: LevelReading, prediction: Prediction): Verdict {
  const { doubt, gauge } = known;
  const isNear = Math.abs(prediction.deviations) <= DOUBT_DEVIATIONS;
  if (isNear && !(doubt !== null && isSameStep(known, doubt, reading, prediction))) return { kind: 'believed' };

  const next = extendDoubt(known, reading, prediction);
  if (isFailureValue(gauge, doubt, reading)) {
    return isStuckForLong(next.first, reading, next.agreeing)
      ? { kind: 'followed', isFailureValue: true }
      : { kind: 'doubted', doubt: next, isFailureValue: true };
  }
  const leadsTo = returnOf(known, next, prediction);
  if (isStepConfirmed(known, next, prediction, leadsTo)) return { kind: 'step', step: next, stepReturn: leadsTo };
  if (next.count >= mostDoubts(known)) return { kind: 'followed', isFailureValue: isAtLimit(reading) };
  return { kind: 'doubted', doubt: next, isFailureValue: false };
}

/** Whether enough doubted readings agree: the more spikes the gauge has, the more are required. */
function isStepConfirmed(
  { believed, doubt, level, gauge, cadenceMs, threshold, isBatchTank }: PriorKnowledge,
  next: Doubt,
  { expected, innovation: { points }, repeats }: Prediction,
  leadsTo: StepReturn,
): boolean {
  if (repeats >= REPEATS_CONFIRM) return true;
  const isConfirming = doubt === null || next.first !== doubt.first || next.agreeing > doubt.agreeing;
  if (!isConfirming) return false;
  const isBackFromFault = gauge.fault !== null && isAtLimit(believed);
  const isLikely = isBatchTank || (points > LIKELY_DELIVERY && expected.level < threshold + LIKELY_ABOVE);
  if (isBackFromFault) return next.agreeing >= 2;
  const required = requiredForStep(level.spikeShare, cadenceMs, points > 0, isLikely);
  return next.agreeing >= (leadsTo === 'gauge_fault' && points > 0 ? Math.min(MOST_REQUIRED_BACK, required) : required);
}

/** Whether the step leads back to the level before the latest step. */
function returnOf(
  { level, gauge, cadenceMs, believed, isBatchTank }: PriorKnowledge,
  { first }: Doubt,
  { expected, innovation }: Prediction,
): StepReturn {
  if (isBatchTank || !isSoonAfterStep(gauge, first)) return 'none';
  const expectedFirst = predict(level, believed.atMs, first.atMs);
  const step = {
    atMs: first.atMs,
    first: expectedFirst.level + innovationOf(expectedFirst, first).points,
    latest: expected.level + innovation.points,
    before: level.level,
    noise: level.noise,
    usePerDay: Math.max(level.rate, level.slowRate),
  };
  return stepReturn(gauge, step, cadenceMs);
}

const mostDoubts = ({ cadenceMs }: PriorKnowledge): number =>
  cadenceMs > SELDOM_DAYS * DAY_MS ? MOST_SELDOM_DOUBTS : MOST_DOUBTS;

/** A doubted reading changes nothing but the number of equal readings. */
const ignore = ({ level, loss, gauge }: PriorKnowledge, { repeats }: Prediction): Omit<AssessedReading, 'verdict'> => ({
  level: { ...level, repeats },
  loss,
  gauge,
  isLossProven: false,
  used: 0,
  rise: null,
});
