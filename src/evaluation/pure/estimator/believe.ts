import { DAY_MS } from '../../../values/time.ts';
import type { AssessedReading, Doubt, PriorKnowledge } from './assessed_reading.ts';
import { type GaugeHealth, isAtLimit } from './gauge_health.ts';
import { isLeakRecent, MOST_USE_PER_DAY, restartLeakTest, updateLeakTest } from './leak_detector.ts';
import { learnFrom, learnHours, learnNoise, learnSpikes } from './learning.ts';
import {
  expectedUse,
  type Innovation,
  innovationOf,
  isWaveObservable,
  type LevelEstimate,
  type LevelReading,
  updateEstimate,
} from './level_filter.ts';
import { resetLevel, withoutWave } from './reset_level.ts';

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
  else expected.agility = 1;
  // A noisy gauge shows itself by readings far from each prediction.
  if (doubt !== null) expected.noise = learnNoise(expected, innovationOf(expected, doubt.latest));
  expected.spikeShare = learnSpikes(expected.spikeShare, spikeLength(doubt, reading));
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

/** A spike is at least this far from the readings after it. */
const LEAST_SPIKE = 5;

/** A doubt that ends with a reading near the prediction was a spike. */
function spikeLength(doubt: Doubt | null, reading: LevelReading): number {
  if (doubt === null || isAtLimit(doubt.latest) || isUse(doubt.latest, reading)) return 0;
  return Math.abs(doubt.latest.fillPercentage - reading.fillPercentage) < LEAST_SPIKE ? 0 : doubt.count;
}

/** Exactly 100 next to a reading near it is a full tank. */
function afterBelief({ gauge, believed }: PriorKnowledge, reading: LevelReading, doubt: Doubt | null): GaugeHealth {
  const low = Math.min(believed.fillPercentage, reading.fillPercentage);
  const high = Math.max(believed.fillPercentage, reading.fillPercentage);
  if (gauge.isFullReal || doubt !== null || high !== 100 || low < 97 || low === 100) return gauge;
  return { ...gauge, isFullReal: true };
}
