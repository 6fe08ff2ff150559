export const DAY_MS = 86_400_000;

export interface Reading {
  atMs: number;
  fillPercentage: number;
}

/**
 * What a tank's readings say of its true level: a Kalman filter over the level, the rate of use and the daily wave that
 * warmth puts on a gauge. The lower-case pairs are covariances (l level, r rate, c cosine, s sine). Numbers are kept to a
 * millionth, by the filter itself and not when stored, so that a state saved after every reading and one folded in one
 * go are the same.
 */
export interface Level {
  /** Percent, without the daily wave. */
  level: number;
  /** Points a day, never negative. */
  rate: number;
  cosine: number;
  sine: number;
  /** Standard deviation of one reading, as this gauge has shown it. */
  noise: number;
  /** Readings seen, up to a hundred. */
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
export interface Surprise {
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
/** Beyond this many deviations a reading counts no more than this towards the noise. */
const CLIP_DEVIATIONS = 3;

export function firstLevel(fill: number): Level {
  return {
    level: fill,
    rate: FIRST_RATE,
    cosine: 0,
    sine: 0,
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

/** The level after some days of usual use. */
export function predict(at: Level, days: number): Level {
  const { rate } = at;
  // A day's use differs from the mean by a third with the weekday, and a little for a tank hardly used.
  const levelWander = (0.1 + 0.15 * rate) ** 2 * days;
  // Use doubles within about three months when winter comes: some 20 % in a month.
  const rateWander = (0.03 * Math.max(rate, 0.5)) ** 2 * days;
  const waveWander = 0.01 * days;
  return {
    ...at,
    level: Math.max(0, at.level - rate * days),
    ll: at.ll - 2 * days * at.lr + days * days * at.rr + levelWander,
    lr: at.lr - days * at.rr,
    lc: at.lc - days * at.rc,
    ls: at.ls - days * at.rs,
    rr: at.rr + rateWander,
    cc: at.cc + waveWander,
    ss: at.ss + waveWander,
  };
}

export function surpriseOf(at: Level, reading: Reading): Surprise {
  const angle = ((2 * Math.PI) / DAY_MS) * (reading.atMs % DAY_MS);
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const points = reading.fillPercentage - at.level - at.cosine * cos - at.sine * sin;
  const variance =
    at.ll +
    cos * cos * at.cc +
    sin * sin * at.ss +
    2 * (cos * at.lc + sin * at.ls + cos * sin * at.cs) +
    at.noise * at.noise;
  return { points, deviations: points / Math.sqrt(variance), variance, cos, sin };
}

/** A reading believed. Where the use is not the usual one (a leak, an empty tank) the rate does not learn from it. */
export function absorb(at: Level, surprise: Surprise, isRateLearned: boolean): Level {
  const { points, variance, cos, sin } = surprise;
  const l = at.ll + cos * at.lc + sin * at.ls;
  const r = isRateLearned ? at.lr + cos * at.rc + sin * at.rs : 0;
  const c = at.lc + cos * at.cc + sin * at.cs;
  const s = at.ls + cos * at.cs + sin * at.ss;
  const step = points / variance;
  return {
    level: millionth(Math.min(100, Math.max(0, at.level + l * step))),
    rate: millionth(Math.max(0, at.rate + r * step)),
    cosine: millionth(at.cosine + c * step),
    sine: millionth(at.sine + s * step),
    noise: at.noise,
    seen: Math.min(100, at.seen + 1),
    ll: millionth(at.ll - (l * l) / variance),
    lr: millionth(at.lr - (l * r) / variance),
    lc: millionth(at.lc - (l * c) / variance),
    ls: millionth(at.ls - (l * s) / variance),
    rr: millionth(at.rr - (r * r) / variance),
    rc: millionth(at.rc - (r * c) / variance),
    rs: millionth(at.rs - (r * s) / variance),
    cc: millionth(at.cc - (c * c) / variance),
    cs: millionth(at.cs - (c * s) / variance),
    ss: millionth(at.ss - (s * s) / variance),
  };
}

/** The level is another one from here on (a refill, a loss); use, wave and noise are what they were. */
export function moveLevel(at: Level, level: number): Level {
  return {
    level: millionth(Math.min(100, Math.max(0, level))),
    rate: at.rate,
    cosine: at.cosine,
    sine: at.sine,
    noise: at.noise,
    seen: at.seen,
    ll: millionth(at.noise * at.noise),
    lr: 0,
    lc: 0,
    ls: 0,
    rr: millionth(at.rr),
    rc: at.rc,
    rs: at.rs,
    cc: millionth(at.cc),
    cs: at.cs,
    ss: millionth(at.ss),
  };
}

/** The gauge's own noise from how much readings surprise: a mean of absolute values, clipped, so that no spike moves it. */
export function learnNoise(at: Level, surprise: Surprise): number {
  const deviations = Math.min(CLIP_DEVIATIONS, Math.abs(surprise.deviations));
  const gain = Math.max(0.03, 1 / (at.seen + 5));
  // For normal noise the mean absolute deviation is 0.798 of the standard one.
  return millionth(Math.max(LEAST_NOISE, at.noise * (1 + gain * (deviations / 0.798 - 1))));
}

export const millionth = (value: number): number => Math.round(value * 1e6) / 1e6;
