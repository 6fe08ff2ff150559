import { DAY_MS } from '../../../values/time.ts';
import type { AssessedReading, Doubt, PriorKnowledge } from './assessed_reading.ts';
import { believe } from './believe.ts';
import { extendDoubt, isFailureValue, isSameStep, REPEAT_POINTS, SELDOM_DAYS } from './doubt.ts';
import { isAtLimit, isStuckForLong, isUndoing, requiredForStep, SELDOM_MS } from './gauge_health.ts';
import { plausibleUsePerDay } from './leak_detector.ts';
import {
  countRepeat,
  type Innovation,
  innovationOf,
  type LevelEstimate,
  type LevelReading,
  predict,
  readingDeviation,
} from './level_filter.ts';
import { acceptFall, acceptRise, follow, undoStep } from './steps.ts';

/** One reading in 2,000 of a well-behaved gauge lies outside; then the next ones decide. */
const DOUBT_DEVIATIONS = 3.5;
/** After so many doubted readings the level follows them, whether they agree or not. */
const MOST_DOUBTS = 12;
const MOST_SELDOM_DOUBTS = 5;
const EMPTY = 1;
/** Use between a spike and the way back, as a multiple of the usual use. */
const UNDONE_USE = 1.5;
/** A delivery brings this much to a tank below this level. Less, or to a fuller tank, is more likely a spike. */
const LIKELY_DELIVERY = 8;
const LIKELY_ABOVE = 20;
/** Seven equal readings are right, however many spikes there were. */
const REPEATS_CONFIRM = 6;

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
  if (!isFar && (doubt === null || !isSameStep(known, doubt, reading, expected, innovation, deviations))) {
    return believe(known, reading, expected, innovation, isEmpty);
  }
  const next = extendDoubt(known, doubt, reading, expected, innovation.points);
  if (isFailureValue(gauge, doubt, reading)) {
    if (isStuckForLong(next.first, reading, next.agreeing)) return follow(known, reading, expected, innovation);
    return { ...doubtReading(known, next), isFailureValue: true, level: { ...level, repeats: expected.repeats } };
  }
  const isLikely = innovation.points > LIKELY_DELIVERY && expected.level < known.threshold + LIKELY_ABOVE;
  const isBackFromFault = gauge.fault !== null && isAtLimit(believed);
  const required = isBackFromFault ? 2 : requiredForStep(level.spikeShare, cadenceMs, innovation.points > 0, isLikely);
  const isReturn =
    cadenceMs < SELDOM_MS && isUndoing(gauge, next.first, UNDONE_USE * Math.max(level.rate, level.slowRate));
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
// If it was a spike after all, the way back must be too short for a delivery.
const MOST_NEW_USE_POINTS = 4.5;
/** Any fall is use if the tank was used as much before. */
const PEAK_AGAIN = 1.2;

/** The innovation of a reading. Use may begin or grow at any time: the rate becomes as uncertain as the fall suggests. */
function innovationWithNewUse(expected: LevelEstimate, reading: LevelReading, days: number): Innovation {
  const innovation = innovationOf(expected, reading);
  if (innovation.deviations > -NEW_USE_DEVIATIONS) return innovation;
  const growth = (-innovation.points - expected.noise) / days;
  const isSmall = innovation.deviations > -MOST_NEW_USE_DEVIATIONS && -innovation.points <= MOST_NEW_USE_POINTS;
  const most = isSmall ? plausibleUsePerDay(expected) : PEAK_AGAIN * expected.peakRate;
  if (growth > most - expected.rate) return innovation;
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
