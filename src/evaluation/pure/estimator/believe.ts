import { DAY_MS } from '../../../values/time.ts';
import type { AssessedReading, Doubt, Prediction, PriorKnowledge } from './assessed_reading.ts';
import { isHeld } from './doubt.ts';
import { type GaugeHealth, isAtLimit } from './gauge_health.ts';
import { isLeakRecent, MOST_USE_PER_DAY, restartLeakDetector, updateLeakDetector } from './leak_detector.ts';
import { learnAgility, learnHour, learnNoise, learnSlowRate, learnSpikes, learnWeekdays } from './learning.ts';
import {
  expectedUse,
  innovationOf,
  isWaveObservable,
  type LevelEstimate,
  type LevelReading,
  updateEstimate,
  updateRate,
} from './level_filter.ts';
import { resetLevel, withoutWave } from './reset_level.ts';

const REPEATS_OVERRULE = 4;
const REPEATS_REFUTE_WAVE = 8;

export function believe(known: PriorKnowledge, reading: LevelReading, prediction: Prediction): AssessedReading {
  const { believed, doubt, level, loss, gauge, knownDays } = known;
  const { expected, innovation, repeats, isEmpty } = prediction;
  const fill = expected.level + innovation.points;
  const leak = updateLeakDetector(loss, expected, fill, reading.atMs, believed, knownDays);
  const isLearning = !isLeakRecent(loss, reading.atMs) && !isEmpty;
  const isUsual = isLearning && !leak.isSuspected;
  const rate = isLearning ? updateRate(expected, innovation) : expected.rate;
  const days = (reading.atMs - believed.atMs) / DAY_MS;
  const { slowRate, peakRate } = isUsual ? learnSlowRate(expected, rate, days, knownDays) : expected;
  const noise = isUsual ? learnNoise(expected, innovation) : expected.noise;
  const updated = updateEstimate(expected, innovation, isLearning, {
    rate,
    slowRate,
    peakRate,
    week: isUsual ? learnWeekdays(expected, innovation, believed.atMs, reading.atMs) : expected.week,
    agility: isUsual ? learnAgility(expected, innovation) : 1,
    noise: doubt === null ? noise : learnNoiseOfDoubt({ ...expected, noise }, doubt),
    hourCosine: learnHour(expected.hourCosine, innovation.cos),
    hourSine: learnHour(expected.hourSine, innovation.sin),
    repeats,
    spikeShare: learnSpikes(expected.spikeShare, spikeLength(doubt, reading)),
  });
  const next = isWaveObservable(updated) ? updated : withoutWave(updated);
  const result: AssessedReading = {
    verdict: { kind: 'believed' },
    level: next,
    loss: leak.loss,
    gauge: afterBelief(known, reading, doubt),
    isLossProven: leak.isProven && (gauge.isFullReal || leak.loss.from?.fillPercentage !== 100),
    used: isUsual ? level.level - next.level : expectedUse(expected, believed.atMs, reading.atMs),
    rise: null,
  };
  return repeats < REPEATS_OVERRULE ? result : overrule(result, reading, expected.level);
}

/** A noisy gauge shows itself by readings far from each prediction. */
const learnNoiseOfDoubt = (expected: LevelEstimate, { latest }: Doubt): number =>
  learnNoise(expected, innovationOf(expected, latest));

/** A gauge that repeats itself is right, and the estimate is not. */
function overrule(result: AssessedReading, reading: LevelReading, predicted: number): AssessedReading {
  const { level } = result;
  const rest = innovationOf(level, reading).points;
  const wave = reading.fillPercentage - level.level - rest;
  const isWaveRefuted = level.repeats >= REPEATS_REFUTE_WAVE && Math.abs(wave) > 1;
  if (Math.abs(rest) <= 1 && !isWaveRefuted) return result;
  const base = Math.abs(wave) > 1 ? withoutWave(level) : level;
  const next = resetLevel(base, reading.fillPercentage - (base === level ? wave : 0));
  const points = next.level - predicted;
  return {
    ...result,
    level: next,
    loss: points > 0 ? restartLeakDetector(result.loss, next.level) : result.loss,
    used: Math.max(0, result.used),
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

/** A doubt that ends with a reading near the prediction was a spike, unless its level was held for hours. */
function spikeLength(doubt: Doubt | null, reading: LevelReading): number {
  if (doubt === null || isAtLimit(doubt.latest) || isUse(doubt.latest, reading) || isHeld(doubt)) return 0;
  return Math.abs(doubt.latest.fillPercentage - reading.fillPercentage) < LEAST_SPIKE ? 0 : doubt.count;
}

/** Exactly 100 next to a reading near it is a full tank. */
function afterBelief({ gauge, believed }: PriorKnowledge, reading: LevelReading, doubt: Doubt | null): GaugeHealth {
  const low = Math.min(believed.fillPercentage, reading.fillPercentage);
  const high = Math.max(believed.fillPercentage, reading.fillPercentage);
  if (gauge.isFullReal || doubt !== null || high !== 100 || low < 97 || low === 100) return gauge;
  return { ...gauge, isFullReal: true };
}
