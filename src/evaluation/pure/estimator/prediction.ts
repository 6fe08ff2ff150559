import { DAY_MS } from '../../../values/time.ts';
import type { Prediction, PriorKnowledge } from './assessed_reading.ts';
import { REPEAT_POINTS } from './doubt.ts';
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

const EMPTY = 1;

export function predictReading({ believed, doubt, level }: PriorKnowledge, reading: LevelReading): Prediction {
  const usual = predict(level, believed.atMs, reading.atMs);
  const latest = doubt?.latest ?? believed;
  const isRepeat = Math.abs(reading.fillPercentage - latest.fillPercentage) <= REPEAT_POINTS;
  const isEmpty = isGaugeAtEnd(usual, reading);
  const notBelowEmpty = isEmpty && usual.level < 0 ? { ...usual, level: 0 } : usual;
  const { expected, innovation } = withNewUse(notBelowEmpty, reading, (reading.atMs - believed.atMs) / DAY_MS);
  const use = Math.max(0, level.level - expected.level);
  return {
    expected,
    innovation,
    repeats: countRepeat(level, isRepeat),
    deviations: deviationsOf(innovation, level, expected, use),
    isEmpty,
  };
}

/** An empty tank uses nothing, and its gauge says nothing about use. */
const isGaugeAtEnd = (expected: LevelEstimate, { fillPercentage }: LevelReading): boolean =>
  fillPercentage <= EMPTY || (expected.level < 0 && fillPercentage <= 3 * expected.noise);

/** Between these innovations, a fall that plausible use explains is taken for a change of the rate. */
const NEW_USE_DEVIATIONS = 2;
const MOST_NEW_USE_DEVIATIONS = 4;
// If it was a spike after all, the way back must be too short for a delivery.
const MOST_NEW_USE_POINTS = 4.5;
/** Any fall is use if the tank was used as much before. */
const PEAK_AGAIN = 1.2;

/** Use may begin or grow at any time: the rate becomes as uncertain as the fall to the reading suggests. */
function withNewUse(
  expected: LevelEstimate,
  reading: LevelReading,
  days: number,
): Pick<Prediction, 'expected' | 'innovation'> {
  const innovation = innovationOf(expected, reading);
  const { points, deviations } = innovation;
  if (deviations > -NEW_USE_DEVIATIONS) return { expected, innovation };
  const growth = (-points - expected.noise) / days;
  const isSmall = deviations > -MOST_NEW_USE_DEVIATIONS && -points <= MOST_NEW_USE_POINTS;
  const most = isSmall ? plausibleUsePerDay(expected) : PEAK_AGAIN * expected.peakRate;
  if (growth > most - expected.rate) return { expected, innovation };
  const variance = growth * growth;
  const uncertain = {
    ...expected,
    ll: expected.ll + days * days * variance,
    lr: expected.lr - days * variance,
    rr: expected.rr + variance,
  };
  return { expected: uncertain, innovation: innovationOf(uncertain, reading) };
}

/** Weather moves a level by more than a filter that has settled believes. */
const LEVEL_SLACK = 0.25;

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
