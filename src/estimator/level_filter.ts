import { DAY_MS } from '../values/time.ts';

export interface LevelReading {
  atMs: number;
  fillPercentage: number;
}

/**
 * What a tank's readings say of its true level: a Kalman filter over the level, the rate of use and the daily wave that
 * warmth puts on a gauge. The lower-case pairs are covariances (l level, r rate, c cosine, s sine). Numbers are kept to a
 * roundToMillionth, by the filter itself and not when stored, so that a state saved after every reading and one folded in one
 * go are the same.
 */
export interface LevelEstimate {
  /** Percent, without the daily wave. */
  level: number;
  /** Points a day, never negative. */
  rate: number;
  /** How much more or less than the mean each day of the week uses, as a share; UTC, from Thursday, as time began. */
  week: readonly number[];
  /** Standard deviation of a day's use from what is usual on its weekday, as a share of it. */
  irregularity: number;
  cosine: number;
  sine: number;
  /** How far the reading before lay from its prediction. */
  deviations: number;
  /** Standard deviation of one reading, as this gauge has shown it. */
  noise: number;
  /** Readings believed, up to a hundred. */
  seen: number;
  ll: number;
  lr: number;
  lc: number;
  ls: number;
  rr: number;
  rc: number;
  rs: number;
  cc: number;
  cs: number;
  ss: number;
}

/** What a reading differs from its prediction, in points and in standard deviations. */
export interface Innovation {
  points: number;
  deviations: number;
  variance: number;
  cos: number;
  sin: number;
}

/** A gauge of which nothing is known may be off by this, until its own readings say how noisy it is. */
const FIRST_NOISE = 2;
/** Most gauges round to whole percent: that alone has a deviation of 0.3, and never shows between equal readings. */
const LEAST_NOISE = 0.5;
/** Nearly all bulk tanks lie between 0 and 8 points a day; three readings overrule this. */
const FIRST_RATE = 1;
const FIRST_RATE_DEVIATION = 2;
/** Liquid gas and heating oil swell by 1 to 1.5 % for ten degrees: a wave of some points between night and noon. */
const FIRST_WAVE_DEVIATION = 1.5;
const MOST_SEEN = 100;
const EVEN_WEEK: readonly number[] = [0, 0, 0, 0, 0, 0, 0];
/** Weekdays differ by a fifth or so from their mean, where nothing is known of them. */
const WEEKDAY_VARIANCE = 0.04;
/** One day is like another to within a seventh, until the tank's own days tell; beyond half, it is no use but events. */
const FIRST_IRREGULARITY = 0.15;
const LEAST_IRREGULARITY = 0.1;
const MOST_IRREGULARITY = 0.6;
const IRREGULARITY_GAIN = 0.2;
/** Beyond this many deviations a reading counts no more than this towards the noise. */
const CLIP_DEVIATIONS = 3;

export function initialEstimate(fill: number): LevelEstimate {
  return {
    level: fill,
    rate: FIRST_RATE,
    week: EVEN_WEEK,
    irregularity: FIRST_IRREGULARITY,
    cosine: 0,
    sine: 0,
    deviations: 0,
    noise: FIRST_NOISE,
    seen: 1,
    ll: FIRST_NOISE ** 2,
    lr: 0,
    lc: 0,
    ls: 0,
    rr: FIRST_RATE_DEVIATION ** 2,
    rc: 0,
    rs: 0,
    cc: FIRST_WAVE_DEVIATION ** 2,
    cs: 0,
    ss: FIRST_WAVE_DEVIATION ** 2,
  };
}

/**
 * The level after usual use. A level that would have run out on the way comes out negative, as far as a truck that came at
 * any time on the way would leave its reading short of what it delivered: on average half of what was used after the end.
 */
export function predict(at: LevelEstimate, fromMs: number, toMs: number): LevelEstimate {
  const days = (toMs - fromMs) / DAY_MS;
  const { rate } = at;
  const use = expectedUse(at, fromMs, toMs);
  const short = Math.max(0, use - at.level);
  const levelWander = dailyUseDeviation(at) ** 2 * days;
  // Use doubles within about three months when winter comes: some 20 % in a month.
  const rateWander = (0.03 * Math.max(rate, 0.5)) ** 2 * days;
  const waveWander = 0.01 * days;
  return {
    ...at,
    level: short === 0 ? at.level - use : -short * (1 - short / (2 * use)),
    ll: at.ll - 2 * days * at.lr + days * days * at.rr + levelWander,
    lr: at.lr - days * at.rr,
    lc: at.lc - days * at.rc,
    ls: at.ls - days * at.rs,
    rr: at.rr + rateWander,
    cc: at.cc + waveWander,
    ss: at.ss + waveWander,
  };
}

/** What a day's use differs by from the usual, in points: something even in a tank hardly used. */
export const dailyUseDeviation = ({ rate, irregularity }: LevelEstimate): number => 0.1 + irregularity * rate;

/**
 * How irregular the days are. If they are more so than is thought, the level lags behind, and one surprise resembles the
 * next; if less, it overshoots, and they alternate. Where a day's use is lost in the noise there is nothing to learn, and
 * nothing depends on it.
 */
export function learnIrregularity(at: LevelEstimate, { deviations }: Innovation, days: number): number {
  const wander = dailyUseDeviation(at) ** 2 * days;
  const weight = wander / (wander + at.noise * at.noise);
  const likeness = Math.min(2, Math.max(-2, at.deviations * deviations));
  const learned = at.irregularity * (1 + IRREGULARITY_GAIN * weight * likeness);
  return roundToMillionth(Math.min(MOST_IRREGULARITY, Math.max(LEAST_IRREGULARITY, learned)));
}

/** Points usually used between two times. */
export function expectedUse(at: LevelEstimate, fromMs: number, toMs: number): number {
  let extra = 0;
  // Whole weeks use what the mean does.
  const weekMs = 7 * DAY_MS;
  const endMs = toMs - Math.floor((toMs - fromMs) / weekMs) * weekMs;
  for (let startMs = fromMs; startMs < endMs; ) {
    const day = Math.floor(startMs / DAY_MS);
    const nextMs = Math.min(endMs, (day + 1) * DAY_MS);
    extra += (at.week[day % 7] ?? 0) * (nextMs - startMs);
    startMs = nextMs;
  }
  return (at.rate * (toMs - fromMs + extra)) / DAY_MS;
}

/** Deviation of one reading. A noise known from few readings may be twice what they show. */
export const readingDeviation = ({ noise, seen }: LevelEstimate): number => noise * (1 + 2 / seen);

/** A surprise within one day or two says something about those days of the week, more the more the tank uses. */
export function learnWeekdays(
  at: LevelEstimate,
  surprise: Innovation,
  fromMs: number,
  toMs: number,
): readonly number[] {
  const days = (toMs - fromMs) / DAY_MS;
  if (days > 1.5) return at.week;
  const used = at.rate * days;
  const gain = (WEEKDAY_VARIANCE * used) / (surprise.variance + at.noise * at.noise + WEEKDAY_VARIANCE * used * used);
  const shift = -gain * surprise.points;
  const day = Math.floor(toMs / DAY_MS);
  const today = Math.min(1, (toMs - day * DAY_MS) / (toMs - fromMs));
  const week = [...at.week];
  week[day % 7] = (week[day % 7] ?? 0) + shift * today;
  week[(day + 6) % 7] = (week[(day + 6) % 7] ?? 0) + shift * (1 - today);
  return week.map((share) => Math.round(1e4 * Math.max(-1, share - shift / 7)) / 1e4 + 0);
}

export function innovationOf(at: LevelEstimate, reading: LevelReading): Innovation {
  const angle = ((2 * Math.PI) / DAY_MS) * (reading.atMs % DAY_MS);
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const points = reading.fillPercentage - at.level - at.cosine * cos - at.sine * sin;
  const spread = at.ll + cos * cos * at.cc + sin * sin * at.ss + 2 * (cos * at.lc + sin * at.ls + cos * sin * at.cs);
  // Never negative but for the rounding of its parts.
  const variance = Math.max(0, spread) + readingDeviation(at) ** 2;
  return { points, deviations: points / Math.sqrt(variance), variance, cos, sin };
}

/** A reading believed. Where use is not as usual (a leak, an empty tank) only the level learns from it. */
export function updateEstimate(at: LevelEstimate, surprise: Innovation, isUsual: boolean): LevelEstimate {
  const { points, variance, cos, sin } = surprise;
  const l = (at.ll + cos * at.lc + sin * at.ls) / variance;
  const r = at.lr + cos * at.rc + sin * at.rs;
  const c = at.lc + cos * at.cc + sin * at.cs;
  const s = at.ls + cos * at.cs + sin * at.ss;
  const share = isUsual ? 1 / variance : 0;
  return {
    level: roundToMillionth(Math.min(100, Math.max(0, at.level + l * points))),
    rate: roundToMillionth(Math.max(0, at.rate + share * r * points)),
    week: at.week,
    irregularity: at.irregularity,
    cosine: roundToMillionth(at.cosine + share * c * points),
    sine: roundToMillionth(at.sine + share * s * points),
    deviations: isUsual ? roundToMillionth(surprise.deviations) : 0,
    noise: at.noise,
    seen: Math.min(MOST_SEEN, at.seen + 1),
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

/** The level is another one from here on (a refill, a loss); use, wave and noise are what they were. */
export function resetLevel(at: LevelEstimate, level: number): LevelEstimate {
  return {
    level: roundToMillionth(Math.min(100, Math.max(0, level))),
    rate: at.rate,
    week: at.week,
    irregularity: at.irregularity,
    cosine: at.cosine,
    sine: at.sine,
    deviations: 0,
    noise: at.noise,
    seen: at.seen,
    ll: roundToMillionth(at.noise * at.noise),
    lr: 0,
    lc: 0,
    ls: 0,
    rr: roundToMillionth(at.rr),
    rc: at.rc,
    rs: at.rs,
    cc: roundToMillionth(at.cc),
    cs: at.cs,
    ss: roundToMillionth(at.ss),
  };
}

/** The gauge's own noise from how much readings surprise: a mean of absolute values, clipped, so that no spike moves it. */
export function learnNoise(at: LevelEstimate, { deviations, variance }: Innovation): number {
  const ofReading = readingDeviation(at);
  // For normal noise the mean absolute deviation is 0.798 of the standard one.
  const shown = (Math.min(CLIP_DEVIATIONS, Math.abs(deviations)) / 0.798) * ofReading;
  // While the level itself is uncertain, a surprise says less of the gauge.
  const gain = (Math.max(0.03, 1 / (at.seen + 10)) * ofReading * ofReading) / variance;
  return roundToMillionth(Math.max(LEAST_NOISE, at.noise + gain * (shown - at.noise)));
}

/** Adding nothing makes the negative zero, which JSON does not know, a plain one. */
export const roundToMillionth = (value: number): number => Math.round(value * 1e6) / 1e6 + 0;
