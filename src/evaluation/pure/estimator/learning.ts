import { DAY_MS } from '../../../values/time.ts';
import {
  type Innovation,
  type LevelEstimate,
  readingDeviation,
  roundToMillionth,
  roundToTenThousandth,
} from './level_filter.ts';

/** Most gauges round to whole percent. Rounding alone has a deviation of 0.3, which equal readings never show. */
export const MIN_NOISE_POINTS = 0.5;
/** Gauges in use have less noise. Without a limit, a level that lags behind would be learned as noise. */
export const MAX_NOISE_POINTS = 4;
/** Innovations are clipped to this many deviations before the noise is learned from them. */
const CLIP_DEVIATIONS = 3;
const MIN_IRREGULARITY = 0.1;
const MAX_IRREGULARITY = 1.2;
const IRREGULARITY_GAIN = 0.08;
const MAX_SURPRISE_SHARE = 2;
const MIN_MEAN_POINTS_PER_DAY = 0.5;
const MAX_AGILITY = 20;
const AGILITY_GAIN = 0.3;
const AGILITY_FADES = 0.93;
/** The prior variance of weekday shares: weekdays differ from their mean by about a seventh. */
const WEEKDAY_VARIANCE = 0.02;
const MAX_WEEKDAY_SHARE = 0.6;
const HOUR_GAIN = 0.05;

/**
 * Moves the mean cosine or sine of the hours of the readings. Every accepted reading counts, including those of a
 * leaking tank.
 */
export const learnHour = (mean: number, shown: number): number =>
  roundToTenThousandth(mean + HOUR_GAIN * (shown - mean));

const SPIKE_GAIN = 1 / 600;
/** The largest number of readings that one spike counts as. */
const MAX_SPIKE_READINGS = 5;
/**
 * The spike share of the worst measured gauge. Without a limit, one long run of outliers would make the next runs
 * longer.
 */
const MAX_SPIKE_SHARE = 1 / 46;

/** `readings` is the length of the spike that ends before this reading, or 0. */
export const learnSpikes = (spikeShare: number, readings: number): number =>
  roundToMillionth(
    Math.min(MAX_SPIKE_SHARE, spikeShare + SPIKE_GAIN * (Math.min(MAX_SPIKE_READINGS, readings) - spikeShare)),
  );

/**
 * Learns the noise of the gauge from the differences between neighboring innovations: a level that lags behind makes
 * all innovations similar, which is not noise. It is a mean of absolute values, clipped so that spikes hardly change
 * it.
 */
export function learnNoise(
  at: Pick<LevelEstimate, 'noise' | 'seen' | 'deviations'>,
  { deviations, variance }: Innovation,
): number {
  const ofReading = readingDeviation(at);
  const difference = Math.abs(clip(deviations) - clip(at.deviations)) / Math.SQRT2;
  // For normal noise the mean absolute deviation is 0.798 of the standard deviation.
  const shown = (Math.min(CLIP_DEVIATIONS, difference) / 0.798) * ofReading;
  // While the level is uncertain, an innovation says little about the gauge.
  const gain = (Math.max(0.03, 1 / (at.seen + 10)) * ofReading * ofReading) / variance;
  return roundToTenThousandth(
    Math.min(MAX_NOISE_POINTS, Math.max(MIN_NOISE_POINTS, at.noise + gain * (shown - at.noise))),
  );
}

const clip = (deviations: number): number => Math.min(CLIP_DEVIATIONS, Math.max(-CLIP_DEVIATIONS, deviations));

/**
 * Learns how irregular the days are from the surprise of one day: the points used beyond those expected at its
 * beginning. The noise of the gauge is subtracted, so that nothing is learned if a day's use is smaller than the noise.
 */
export function learnIrregularity(at: LevelEstimate, surprise: number, days: number): number {
  const mean = Math.max(at.rate, at.slowRate, MIN_MEAN_POINTS_PER_DAY);
  const noise = (at.noise / mean) ** 2;
  const share = Math.min(MAX_SURPRISE_SHARE, Math.abs(surprise) / days / mean);
  const squared = at.irregularity ** 2 + IRREGULARITY_GAIN * (Math.max(0, share ** 2 - noise) - at.irregularity ** 2);
  return roundToTenThousandth(Math.min(MAX_IRREGULARITY, Math.max(MIN_IRREGULARITY, Math.sqrt(squared))));
}

/**
 * Two consecutive innovations of more than one deviation on the same side show that the use has changed. Noise alone
 * causes this once in 20 readings; the agility falls again in between.
 */
export function learnAgility(at: LevelEstimate, { deviations }: Innovation): number {
  const likeness = at.deviations * deviations;
  const isDrifting = likeness > 0 && Math.abs(deviations) > 1 && Math.abs(at.deviations) > 1;
  const factor = isDrifting ? 1 + AGILITY_GAIN * Math.min(4, likeness) : AGILITY_FADES;
  return roundToTenThousandth(Math.min(MAX_AGILITY, Math.max(1, at.agility * factor)));
}

/**
 * Learns how much the weekdays differ from an innovation over at most 1.5 days. The gain grows with the use of the
 * tank.
 */
export function learnWeekdays(
  at: LevelEstimate,
  innovation: Innovation,
  fromMs: number,
  toMs: number,
): readonly number[] {
  const days = (toMs - fromMs) / DAY_MS;
  if (days > 1.5) return at.week;
  const used = at.rate * days;
  const gain = (WEEKDAY_VARIANCE * used) / (innovation.variance + at.noise * at.noise + WEEKDAY_VARIANCE * used * used);
  const shift = -gain * innovation.points;
  const day = Math.floor(toMs / DAY_MS);
  const today = Math.min(1, (toMs - day * DAY_MS) / (toMs - fromMs));
  const weekday = day % 7;
  const yesterday = (day + 6) % 7;
  const week = [0, 0, 0, 0, 0, 0, 0];
  // One loop without copies of the array, because this function is a tenth of the cost of an evaluation.
  for (let n = 0; n < 7; n++) {
    const part = n === weekday ? today : n === yesterday ? 1 - today : 0;
    const share = (at.week[n] ?? 0) + shift * (part - 1 / 7);
    week[n] = roundToTenThousandth(Math.min(MAX_WEEKDAY_SHARE, Math.max(-MAX_WEEKDAY_SHARE, share)));
  }
  return week;
}

const SLOW_DAYS = 30;
/** The peak rises slowly, so that a leak is found before it becomes the peak. */
const PEAK_RISES_DAYS = 1.5;
const PEAK_FADES_DAYS = 150;

/** The slow mean of the rate, and its peak over some days of the last months. */
export function learnSlowRate(
  { slowRate, peakRate }: LevelEstimate,
  rate: number,
  days: number,
  knownDays: number,
): Pick<LevelEstimate, 'slowRate' | 'peakRate'> {
  const weight = Math.min(1, days / (Math.min(SLOW_DAYS, knownDays) + days));
  const rise = Math.min(1, days / PEAK_RISES_DAYS) * (rate - peakRate);
  return {
    slowRate: roundToMillionth(slowRate + weight * (rate - slowRate)),
    peakRate: roundToTenThousandth(rise > 0 ? peakRate + rise : peakRate * Math.max(0, 1 - days / PEAK_FADES_DAYS)),
  };
}
