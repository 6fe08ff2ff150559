import { DAY_MS } from '../../../values/time.ts';
import type { AssessedReading, OutlierRun, Prediction, PriorKnowledge } from './assessed_reading.ts';
import { type GaugeHealth, isAtLimit } from './gauge_health.ts';
import { isLeakRecent, MAX_USE_POINTS_PER_DAY, restartLeakDetector, updateLeakDetector } from './leak_detector.ts';
import { learnAgility, learnHour, learnNoise, learnSlowRate, learnSpikes, learnWeekdays } from './learning.ts';
import {
  countReading,
  innovationOf,
  isWaveObservable,
  type LevelEstimate,
  type LevelReading,
  pointsFrom,
  roundToMillionth,
  roundToTenThousandth,
} from './level_filter.ts';
import { isHeld } from './outlier_run.ts';
import { resetLevel, withoutWave } from './reset_level.ts';

const REPEATS_OVERRULE = 4;
const REPEATS_REFUTE_WAVE = 8;

const ACCEPTED = { kind: 'accepted' } as const;

export function acceptReading(known: PriorKnowledge, reading: LevelReading, prediction: Prediction): AssessedReading {
  const { accepted, outliers, level, loss, gauge, knownDays } = known;
  const { expected, innovation, use, repeats, isEmpty } = prediction;
  const fill = expected.level + innovation.points;
  const leak = updateLeakDetector(loss, expected, fill, reading.atMs, accepted, knownDays, use);
  const isLearning = !isLeakRecent(loss, reading.atMs) && !isEmpty;
  const isUsual = isLearning && !leak.isSuspected;
  const updated = updateEstimate(known, reading, prediction, isLearning, isUsual);
  const next = isWaveObservable(updated) ? updated : withoutWave(updated);
  const result: AssessedReading = {
    assessment: ACCEPTED,
    level: next,
    loss: leak.loss,
    gauge: gaugeAfterAccepting(known, reading, outliers),
    isLossProven: leak.isProven && (gauge.isFullReal || leak.loss.from?.fillPercentage !== 100),
    used: isUsual ? level.level - next.level : use,
    rise: null,
  };
  return repeats < REPEATS_OVERRULE ? result : overrule(result, reading, prediction);
}

/**
 * Updates the estimate with an accepted reading. While nothing is learned (a leak, an empty tank), only the level is
 * updated; the means, the noise and the weekdays are learned from usual use. Learned values are written directly into
 * the new estimate, because a temporary object would cost time at every reading.
 */
function updateEstimate(
  { accepted, outliers, knownDays }: PriorKnowledge,
  reading: LevelReading,
  { expected: at, innovation, repeats }: Prediction,
  isLearning: boolean,
  isUsual: boolean,
): LevelEstimate {
  const { points, variance, cos, sin } = innovation;
  const l = (at.ll + cos * at.lc + sin * at.ls) / variance;
  const r = at.lr + cos * at.rc + sin * at.rs;
  const c = at.lc + cos * at.cc + sin * at.cs;
  const s = at.ls + cos * at.cs + sin * at.ss;
  const share = isLearning ? 1 / variance : 0;
  const rate = isLearning ? roundToMillionth(Math.max(0, at.rate + share * r * points)) : at.rate;
  const days = (reading.atMs - accepted.atMs) / DAY_MS;
  const { slowRate, peakRate } = isUsual ? learnSlowRate(at, rate, days, knownDays) : at;
  const noise = isUsual ? learnNoise(at, innovation) : at.noise;
  return {
    level: roundToMillionth(Math.min(100, Math.max(0, at.level + l * points))),
    rate,
    week: isUsual ? learnWeekdays(at, innovation, accepted.atMs, reading.atMs) : at.week,
    irregularity: at.irregularity,
    agility: isUsual ? learnAgility(at, innovation) : 1,
    cosine: roundToMillionth(at.cosine + share * c * points),
    sine: roundToMillionth(at.sine + share * s * points),
    hourCosine: learnHour(at.hourCosine, cos),
    hourSine: learnHour(at.hourSine, sin),
    deviations: isLearning ? roundToTenThousandth(innovation.deviations) : 0,
    noise: outliers === null ? noise : learnNoiseFromOutliers({ ...at, noise }, outliers),
    seen: countReading(at.seen),
    repeats,
    spikeShare: learnSpikes(at.spikeShare, spikeLength(outliers, reading)),
    slowRate,
    peakRate,
    ll: roundToMillionth(at.ll - l * l * variance),
    lr: roundToMillionth(at.lr - l * r),
    lc: roundToMillionth(at.lc - l * c),
    ls: roundToMillionth(at.ls - l * s),
    rr: roundToMillionth(at.rr - share * r * r),
    rc: roundToMillionth(at.rc - share * r * c),
    rs: roundToMillionth(at.rs - share * r * s),
    cc: roundToMillionth(at.cc - share * c * c),
    cs: roundToMillionth(at.cs - share * c * s),
    ss: roundToMillionth(at.ss - share * s * s),
  };
}

/** Outliers that were not confirmed also show how noisy the gauge is. */
const learnNoiseFromOutliers = (expected: LevelEstimate, { latest }: OutlierRun): number =>
  learnNoise(expected, innovationOf(expected, latest));

/** Repeated equal readings overrule the estimate. */
function overrule(
  result: AssessedReading,
  reading: LevelReading,
  { expected, innovation: { cos, sin } }: Prediction,
): AssessedReading {
  const { level } = result;
  const predicted = expected.level;
  const rest = pointsFrom(level, reading, cos, sin);
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

/** Returns true if the use of a busy tank explains the fall between two readings. */
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

/** A reading of exactly 100 beside one from 97 to 100 shows that this gauge shows 100 for a full tank. */
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
