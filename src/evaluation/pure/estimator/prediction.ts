import { DAY_MS } from '../../../values/time.ts';
import type { Prediction, PriorKnowledge } from './assessed_reading.ts';
import { plausibleUsePerDay } from './leak_detector.ts';
import {
  countRepeat,
  expectedUse,
  type Innovation,
  innovationOf,
  type LevelEstimate,
  type LevelReading,
  predict,
  readingDeviation,
} from './level_filter.ts';
import { REPEAT_POINTS } from './outlier_run.ts';

/** At or below this level, a tank is empty. */
export const EMPTY_PERCENT = 1;

export function predictReading({ accepted, outliers, level }: PriorKnowledge, reading: LevelReading): Prediction {
  const use = expectedUse(level, accepted.atMs, reading.atMs);
  const usual = predict(level, accepted.atMs, reading.atMs, use);
  const latest = outliers?.latest ?? accepted;
  const isRepeat = Math.abs(reading.fillPercentage - latest.fillPercentage) <= REPEAT_POINTS;
  const isEmpty = showsEmptyTank(usual, reading);
  const notBelowEmpty = isEmpty && usual.level < 0 ? { ...usual, level: 0 } : usual;
  const { expected, innovation } = withNewUse(notBelowEmpty, reading, (reading.atMs - accepted.atMs) / DAY_MS);
  return {
    expected,
    innovation,
    use,
    repeats: countRepeat(level, isRepeat),
    deviations: deviationsOf(innovation, level, expected),
    isEmpty,
  };
}

/** Returns true if the reading shows an empty tank. Use is not learned from it, because an empty tank uses nothing. */
const showsEmptyTank = (expected: LevelEstimate, { fillPercentage }: LevelReading): boolean =>
  fillPercentage <= EMPTY_PERCENT || (expected.level < 0 && fillPercentage <= 3 * expected.noise);

/** Between these innovations, a fall that plausible use explains counts as a change of the rate. */
const NEW_USE_DEVIATIONS = 2;
const MAX_NEW_USE_DEVIATIONS = 4;
// If the fall was a spike, the rise back must be too small to be reported as a delivery.
const MAX_NEW_USE_POINTS = 4.5;
/** Over a longer gap than this, a fall that plausible use explains is use, however large: no spike lasts as long. */
const SLOW_GAP_DAYS = 2.5;
/** A fall of any size counts as use up to this multiple of the peak rate. */
const NEW_USE_PEAK_FACTOR = 1.2;

/** Makes the rate as uncertain as the fall to the reading suggests, because use may begin or grow at any time. */
function withNewUse(
  expected: LevelEstimate,
  reading: LevelReading,
  days: number,
): Pick<Prediction, 'expected' | 'innovation'> {
  const innovation = innovationOf(expected, reading);
  const { points, deviations } = innovation;
  if (deviations > -NEW_USE_DEVIATIONS) return { expected, innovation };
  const growth = (-points - expected.noise) / days;
  const isSmall = days >= SLOW_GAP_DAYS || (deviations > -MAX_NEW_USE_DEVIATIONS && -points <= MAX_NEW_USE_POINTS);
  const maxRate = isSmall ? plausibleUsePerDay(expected) : NEW_USE_PEAK_FACTOR * expected.peakRate;
  if (growth > maxRate - expected.rate) return { expected, innovation };
  const variance = growth * growth;
  const uncertain = {
    ...expected,
    ll: expected.ll + days * days * variance,
    lr: expected.lr - days * variance,
    rr: expected.rr + variance,
  };
  return { expected: uncertain, innovation: innovationOf(uncertain, reading) };
}

/** Added to the variance of the level, because weather moves a level by more than a settled filter expects. */
const LEVEL_SLACK = 0.25;

/**
 * The size of an innovation in standard deviations. Uncertain use can explain a fall, but never a rise above the
 * previous level; only errors of gauge and level can explain that.
 */
function deviationsOf({ points, deviations }: Innovation, before: LevelEstimate, expected: LevelEstimate): number {
  const rise = points - Math.max(0, before.level - expected.level);
  if (rise <= 0) return deviations;
  const variance = before.ll + Math.max(expected.cc, expected.ss) + readingDeviation(expected) ** 2 + LEVEL_SLACK;
  return Math.max(deviations, rise / Math.sqrt(variance));
}
