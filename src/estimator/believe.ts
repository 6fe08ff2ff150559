import { DAY_MS } from '../values/time.ts';
import type { AssessedReading, Doubt, PriorKnowledge } from './assessed_reading.ts';
import { MOST_USE_PER_DAY } from './doubt.ts';
import { countSpike, type GaugeHealth, isAtLimit } from './gauge_health.ts';
import { isLeakRecent, restartLeakTest, updateLeakTest } from './leak_test.ts';
import { learnFrom, learnHours, learnNoise } from './learning.ts';
import {
  expectedUse,
  type Innovation,
  innovationOf,
  isWaveObservable,
  type LevelEstimate,
  type LevelReading,
  resetLevel,
  updateEstimate,
  withoutWave,
} from './level_filter.ts';

const REPEATS_OVERRULE = 4;
const REPEATS_REFUTE_WAVE = 8;

export function believe(
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
