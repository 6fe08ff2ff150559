import { DAY_MS } from '../../../values/time.ts';
import {
  type Innovation,
  type LevelEstimate,
  readingDeviation,
  roundToMillionth,
  roundToTenThousandth,
} from './level_filter.ts';

/** Most gauges round to whole percent: that alone has a deviation of 0.3, and never shows between equal readings. */
const LEAST_NOISE = 0.5;
/** No gauge that is worth reading is noisier. Without a bound, a level that lags behind is taken for noise. */
export const MOST_NOISE = 4;
/** An innovation beyond this many deviations counts no more than this towards the noise. */
const CLIP_DEVIATIONS = 3;
const LEAST_IRREGULARITY = 0.1;
const MOST_IRREGULARITY = 1.2;
const IRREGULARITY_GAIN = 0.08;
const MOST_SURPRISE = 2;
const LEAST_MEAN = 0.5;
const MOST_AGILITY = 20;
const AGILITY_GAIN = 0.3;
const AGILITY_FADES = 0.93;
/** Weekdays differ by about a seventh from their mean, where nothing is known of them. */
const WEEKDAY_VARIANCE = 0.02;
const MOST_WEEKDAY_SHARE = 0.6;
const HOUR_GAIN = 0.05;

/** Moves the mean cosine or sine of the hours of the readings. Every believed reading counts, also that of a leaking tank. */
export const learnHour = (mean: number, shown: number): number =>
  roundToTenThousandth(mean + HOUR_GAIN * (shown - mean));

const SPIKE_GAIN = 1 / 600;
/** A spike counts for no more readings than this. */
const LONGEST_SPIKE = 5;
/** The most of any measured gauge in use. Without a bound, a level that is doubted too long makes the next doubt longer. */
const MOST_SPIKE_SHARE = 1 / 46;

/** `readings` is the length of the spike that ends before this reading, or 0. */
export const learnSpikes = (spikeShare: number, readings: number): number =>
  roundToMillionth(
    Math.min(MOST_SPIKE_SHARE, spikeShare + SPIKE_GAIN * (Math.min(LONGEST_SPIKE, readings) - spikeShare)),
  );

/**
 * The noise of the gauge, from the difference between neighbouring innovations: a level that lags behind makes all
 * innovations alike and must not be taken for noise. A mean of absolute values, clipped, so that no spike moves it.
 */
export function learnNoise(
  at: Pick<LevelEstimate, 'noise' | 'seen' | 'deviations'>,
  { deviations, variance }: Innovation,
): number {
  const ofReading = readingDeviation(at);
  const difference = Math.abs(clip(deviations) - clip(at.deviations)) / Math.SQRT2;
  // For normal noise the mean absolute deviation is 0.798 of the standard deviation.
  const shown = (Math.min(CLIP_DEVIATIONS, difference) / 0.798) * ofReading;
  // While the level itself is uncertain, an innovation says less about the gauge.
  const gain = (Math.max(0.03, 1 / (at.seen + 10)) * ofReading * ofReading) / variance;
  return roundToTenThousandth(Math.min(MOST_NOISE, Math.max(LEAST_NOISE, at.noise + gain * (shown - at.noise))));
}

const clip = (deviations: number): number => Math.min(CLIP_DEVIATIONS, Math.max(-CLIP_DEVIATIONS, deviations));

/**
 * How irregular the days are, from the surprise of one day: the points used beyond those expected at its beginning. Noise of
 * the gauge is taken off, so that nothing is learned where a day's use is lost in it.
 */
export function learnIrregularity(at: LevelEstimate, surprise: number, days: number): number {
  const mean = Math.max(at.rate, at.slowRate, LEAST_MEAN);
  const noise = (at.noise / mean) ** 2;
  const share = Math.min(MOST_SURPRISE, Math.abs(surprise) / days / mean);
  const squared = at.irregularity ** 2 + IRREGULARITY_GAIN * (Math.max(0, share ** 2 - noise) - at.irregularity ** 2);
  return roundToTenThousandth(Math.min(MOST_IRREGULARITY, Math.max(LEAST_IRREGULARITY, Math.sqrt(squared))));
}

/**
 * Two innovations in a row of more than a deviation on the same side say that the use has changed. Noise does that once in
 * 20 readings, and between them the agility falls again.
 */
export function learnAgility(at: LevelEstimate, { deviations }: Innovation): number {
  const likeness = at.deviations * deviations;
  const isDrifting = likeness > 0 && Math.abs(deviations) > 1 && Math.abs(at.deviations) > 1;
  const factor = isDrifting ? 1 + AGILITY_GAIN * Math.min(4, likeness) : AGILITY_FADES;
  return roundToTenThousandth(Math.min(MOST_AGILITY, Math.max(1, at.agility * factor)));
}

/** An innovation within a day or two says something about those days of the week, more the more the tank uses. */
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
  const yesterday = (day + 6) % 7;
  const week = [0, 0, 0, 0, 0, 0, 0];
  // One loop instead of copies of the array: this is a tenth of the cost of an evaluation.
  for (let n = 0; n < 7; n++) {
    const part = n === day % 7 ? today : n === yesterday ? 1 - today : 0;
    const share = (at.week[n] ?? 0) + shift * (part - 1 / 7);
    week[n] = roundToTenThousandth(Math.min(MOST_WEEKDAY_SHARE, Math.max(-MOST_WEEKDAY_SHARE, share)));
  }
  return week;
}

const SLOW_DAYS = 30;
/** A leak must not become the peak before it is found. */
const PEAK_RISES_DAYS = 1.5;
const PEAK_FADES_DAYS = 150;

/** The slow mean of the rate, and the highest it was for some days in the last months. */
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
