import { DAY_MS } from '../../../values/time.ts';
import type { AssessedReading, OutlierRun, Prediction, PriorKnowledge } from './assessed_reading.ts';
import { type GaugeHealth, isAtLimit } from './gauge_health.ts';
import { isLeakRecent, MAX_USE_POINTS_PER_DAY, restartLeakDetector, updateLeakDetector } from './leak_detector.ts';
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
import { isHeld } from './outlier_run.ts';
import { resetLevel, withoutWave } from './reset_level.ts';

const REPEATS_OVERRULE = 4;
const REPEATS_REFUTE_WAVE = 8;

export function acceptReading(known: PriorKnowledge, reading: LevelReading, prediction: Prediction): AssessedReading {
  const { accepted, outliers, level, loss, gauge, knownDays } = known;
  const { expected, innovation, repeats, isEmpty } = prediction;
  const fill = expected.level + innovation.points;
  const leak = updateLeakDetector(loss, expected, fill, reading.atMs, accepted, knownDays);
  const isLearning = !isLeakRecent(loss, reading.atMs) && !isEmpty;
  const isUsual = isLearning && !leak.isSuspected;
  const rate = isLearning ? updateRate(expected, innovation) : expected.rate;
  const days = (reading.atMs - accepted.atMs) / DAY_MS;
  const { slowRate, peakRate } = isUsual ? learnSlowRate(expected, rate, days, knownDays) : expected;
  const noise = isUsual ? learnNoise(expected, innovation) : expected.noise;
  const updated = updateEstimate(expected, innovation, isLearning, {
    rate,
    slowRate,
    peakRate,
    week: isUsual ? learnWeekdays(expected, innovation, accepted.atMs, reading.atMs) : expected.week,
    agility: isUsual ? learnAgility(expected, innovation) : 1,
    noise: outliers === null ? noise : learnNoiseFromOutliers({ ...expected, noise }, outliers),
    hourCosine: learnHour(expected.hourCosine, innovation.cos),
    hourSine: learnHour(expected.hourSine, innovation.sin),
    repeats,
    spikeShare: learnSpikes(expected.spikeShare, spikeLength(outliers, reading)),
  });
  const next = isWaveObservable(updated) ? updated : withoutWave(updated);
  const result: AssessedReading = {
    assessment: { kind: 'accepted' },
    level: next,
    loss: leak.loss,
    gauge: gaugeAfterAccepting(known, reading, outliers),
    isLossProven: leak.isProven && (gauge.isFullReal || leak.loss.from?.fillPercentage !== 100),
    used: isUsual ? level.level - next.level : expectedUse(expected, accepted.atMs, reading.atMs),
    rise: null,
  };
  return repeats < REPEATS_OVERRULE ? result : overrule(result, reading, expected.level);
}

/** A noisy gauge has readings far from each prediction. */
const learnNoiseFromOutliers = (expected: LevelEstimate, { latest }: OutlierRun): number =>
  learnNoise(expected, innovationOf(expected, latest));

/** Repeated equal readings overrule the estimate. */
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

/** Whether the use of a busy tank explains the fall between two readings. */
const isUse = (before: LevelReading, reading: LevelReading): boolean => {
  const fallen = before.fillPercentage - reading.fillPercentage;
  return fallen > 0 && fallen <= (MAX_USE_POINTS_PER_DAY * (reading.atMs - before.atMs)) / DAY_MS;
};

/** A spike is at least this far from the readings after it. */
const MIN_SPIKE_POINTS = 5;

/**
 * The length of the spike that ends with this reading, or 0. Outliers before a reading near the prediction were a
 * spike, unless they showed one level for hours.
 */
function spikeLength(outliers: OutlierRun | null, reading: LevelReading): number {
  if (outliers === null || isAtLimit(outliers.latest) || isUse(outliers.latest, reading) || isHeld(outliers)) return 0;
  return Math.abs(outliers.latest.fillPercentage - reading.fillPercentage) < MIN_SPIKE_POINTS ? 0 : outliers.count;
}

/** Exactly 100 next to a reading near it is a full tank. */
function gaugeAfterAccepting(
  { gauge, accepted }: PriorKnowledge,
  reading: LevelReading,
  outliers: OutlierRun | null,
): GaugeHealth {
  const low = Math.min(accepted.fillPercentage, reading.fillPercentage);
  const high = Math.max(accepted.fillPercentage, reading.fillPercentage);
  if (gauge.isFullReal || outliers !== null || high !== 100 || low < 97 || low === 100) return gauge;
  return { ...gauge, isFullReal: true };
}
