import { DAY_MS } from '../../../values/time.ts';

export interface LevelReading {
  atMs: number;
  fillPercentage: number;
}

/**
 * The estimate of a tank's true level: a Kalman filter over the level, the rate of use and the daily wave that warmth puts
 * on a gauge. The two-letter fields are covariances (l level, r rate, c cosine, s sine). The filter itself rounds every
 * number to a millionth, so that a state saved after every reading equals one that was evaluated in one go.
 */
export interface LevelEstimate {
  /** Percent, without the daily wave. */
  readonly level: number;
  /** Points a day, never negative. */
  readonly rate: number;
  /** How much more or less than the mean each day of the week uses, as a share; UTC, from Thursday (1970-01-01). */
  readonly week: readonly number[];
  /** Standard deviation of a day's use from the expected use, as a share of it. */
  readonly irregularity: number;
  /** How much faster than normal the rate is allowed to change: 1 unless successive innovations lie on one side. */
  readonly agility: number;
  readonly cosine: number;
  readonly sine: number;
  /** Mean cosine and sine of the hours of the readings. Near the unit circle, all readings have the same hour. */
  readonly hourCosine: number;
  readonly hourSine: number;
  /** The innovation of the reading before, in standard deviations. */
  readonly deviations: number;
  /** Standard deviation of one reading of this gauge. */
  readonly noise: number;
  /** Number of readings believed, up to a hundred. */
  readonly seen: number;
  /** Number of readings in a row that repeat the one before, up to 15. */
  readonly repeats: number;
  /** The share of the readings that are spikes, a fading mean. */
  readonly spikeShare: number;
  /** The mean use of the last weeks, in points a day, and the highest mean of several days in the last months. */
  readonly slowRate: number;
  readonly peakRate: number;
  readonly ll: number;
  readonly lr: number;
  readonly lc: number;
  readonly ls: number;
  readonly rr: number;
  readonly rc: number;
  readonly rs: number;
  readonly cc: number;
  readonly cs: number;
  readonly ss: number;
}

/** The difference between a reading and its prediction, in points and in standard deviations. */
export interface Innovation {
  points: number;
  deviations: number;
  variance: number;
  cos: number;
  sin: number;
}

/** Noise of a gauge before its readings show it. Measured gauges have 0.05 to 0.3, propane gauges up to 1. */
const FIRST_NOISE = 1.5;
/** Measured gauges: between one spike in 46 readings and one in 1,000. */
const FIRST_SPIKE_SHARE = 1 / 400;
/** Nearly all tanks use between 0 and 8 points a day; a few readings overrule this. */
const FIRST_RATE = 1;
const FIRST_RATE_DEVIATION = 3;
/** Propane and heating oil expand by 1 to 1.5 % for ten degrees: up to 2.5 points between night and noon. */
const WAVE_DEVIATION = 1.2;
/** The wave changes with the season, and is forgotten where nothing shows it. */
const WAVE_DAYS = 90;
/** Above this, the readings lie within about two hours of the day, and a wave cannot be distinguished from the level. */
const SAME_HOUR = 0.93;
const MOST_SEEN = 100;
const MOST_REPEATS = 15;
const EVEN_WEEK: readonly number[] = [0, 0, 0, 0, 0, 0, 0];
const FIRST_IRREGULARITY = 0.2;
/** Standard deviation of the change of the rate in a day, as a share of that of a day's use: days resemble the day before. */
const RATE_WANDER = 0.5;
/** The rest of a day's irregularity, which does not last. */
const LEVEL_SHARE = 0.7;
/** A tank without use may begin to be used. */
const LEAST_WANDERING_RATE = 0.5;

export function initialEstimate({ atMs, fillPercentage }: LevelReading): LevelEstimate {
  const angle = hourAngle(atMs);
  return {
    level: fillPercentage,
    rate: FIRST_RATE,
    week: EVEN_WEEK,
    irregularity: FIRST_IRREGULARITY,
    agility: 1,
    cosine: 0,
    sine: 0,
    hourCosine: roundToTenThousandth(Math.cos(angle)),
    hourSine: roundToTenThousandth(Math.sin(angle)),
    deviations: 0,
    noise: FIRST_NOISE,
    seen: 1,
    repeats: 0,
    spikeShare: FIRST_SPIKE_SHARE,
    slowRate: FIRST_RATE,
    peakRate: 0,
    ll: FIRST_NOISE ** 2,
    lr: 0,
    lc: 0,
    ls: 0,
    rr: FIRST_RATE_DEVIATION ** 2,
    rc: 0,
    rs: 0,
    cc: WAVE_DEVIATION ** 2,
    cs: 0,
    ss: WAVE_DEVIATION ** 2,
  };
}

/**
 * The level after use. For a tank that runs out on the way the level is negative: a truck that came at any time on the way
 * leaves the reading short of the delivery, on average by half of the use after the tank ran out.
 */
export function levelAfterUse(level: number, use: number): number {
  const short = Math.max(0, use - level);
  return short === 0 ? level - use : -short * (1 - short / (2 * use));
}

/** The estimate after the expected use. */
export function predict(at: LevelEstimate, fromMs: number, toMs: number): LevelEstimate {
  const days = (toMs - fromMs) / DAY_MS;
  const use = expectedUse(at, fromMs, toMs);
  const levelWander = (LEVEL_SHARE * dailyUseDeviation(at)) ** 2 * days;
  const rateWander = (RATE_WANDER * at.irregularity * at.agility * Math.max(at.rate, LEAST_WANDERING_RATE)) ** 2 * days;
  const keep = Math.max(0, 1 - days / WAVE_DAYS);
  const waveWander = isWaveObservable(at) ? WAVE_DEVIATION ** 2 * (1 - keep * keep) : 0;
  return {
    ...at,
    level: levelAfterUse(at.level, use),
    cosine: at.cosine * keep,
    sine: at.sine * keep,
    ll: at.ll - 2 * days * at.lr + days * days * at.rr + levelWander,
    lr: at.lr - days * at.rr,
    lc: (at.lc - days * at.rc) * keep,
    ls: (at.ls - days * at.rs) * keep,
    rr: at.rr + rateWander,
    rc: at.rc * keep,
    rs: at.rs * keep,
    cc: at.cc * keep * keep + waveWander,
    cs: at.cs * keep * keep,
    ss: at.ss * keep * keep + waveWander,
  };
}

/** Standard deviation of a day's use, in points: some even for a tank that is hardly used. */
export const dailyUseDeviation = ({ rate, slowRate, irregularity }: LevelEstimate): number =>
  0.1 + irregularity * Math.max(rate, slowRate);

/** Expected use between two times, in points. */
export function expectedUse(at: LevelEstimate, fromMs: number, toMs: number): number {
  let extra = 0;
  // The weekdays cancel out over whole weeks.
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

/** Standard deviation of one reading. A noise known from few readings may be larger than they show. */
export const readingDeviation = ({ noise, seen }: Pick<LevelEstimate, 'noise' | 'seen'>): number =>
  noise * (1 + 1 / seen);

export function innovationOf(at: LevelEstimate, reading: LevelReading): Innovation {
  const angle = hourAngle(reading.atMs);
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const points = reading.fillPercentage - at.level - at.cosine * cos - at.sine * sin;
  const spread = at.ll + cos * cos * at.cc + sin * sin * at.ss + 2 * (cos * at.lc + sin * at.ls + cos * sin * at.cs);
  // Negative only through the rounding of its parts.
  const variance = Math.max(0, spread) + readingDeviation(at) ** 2;
  return { points, deviations: points / Math.sqrt(variance), variance, cos, sin };
}

/** The rate after a believed reading of usual use. */
export function updateRate(at: LevelEstimate, { points, variance, cos, sin }: Innovation): number {
  const r = at.lr + cos * at.rc + sin * at.rs;
  return roundToMillionth(Math.max(0, at.rate + (1 / variance) * r * points));
}

/** What a believed reading teaches beside level and wave. */
export type Learned = Pick<
  LevelEstimate,
  'rate' | 'slowRate' | 'peakRate' | 'week' | 'agility' | 'noise' | 'hourCosine' | 'hourSine' | 'repeats' | 'spikeShare'
>;

/** Takes a believed reading into the estimate. Where use is not as expected (a leak, an empty tank) only the level learns. */
export function updateEstimate(
  at: LevelEstimate,
  innovation: Innovation,
  isUsual: boolean,
  learned: Learned,
): LevelEstimate {
  const { points, variance, cos, sin } = innovation;
  const l = (at.ll + cos * at.lc + sin * at.ls) / variance;
  const r = at.lr + cos * at.rc + sin * at.rs;
  const c = at.lc + cos * at.cc + sin * at.cs;
  const s = at.ls + cos * at.cs + sin * at.ss;
  const share = isUsual ? 1 / variance : 0;
  return {
    level: roundToMillionth(Math.min(100, Math.max(0, at.level + l * points))),
    rate: learned.rate,
    week: learned.week,
    irregularity: at.irregularity,
    agility: learned.agility,
    cosine: roundToMillionth(at.cosine + share * c * points),
    sine: roundToMillionth(at.sine + share * s * points),
    hourCosine: learned.hourCosine,
    hourSine: learned.hourSine,
    deviations: isUsual ? roundToTenThousandth(innovation.deviations) : 0,
    noise: learned.noise,
    seen: Math.min(MOST_SEEN, at.seen + 1),
    repeats: learned.repeats,
    spikeShare: learned.spikeShare,
    slowRate: learned.slowRate,
    peakRate: learned.peakRate,
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

export const countRepeat = (at: LevelEstimate, isRepeat: boolean): number =>
  isRepeat ? Math.min(MOST_REPEATS, at.repeats + 1) : 0;

export const isWaveObservable = ({ hourCosine, hourSine }: LevelEstimate): boolean =>
  hourCosine * hourCosine + hourSine * hourSine < SAME_HOUR * SAME_HOUR;

export const hourAngle = (atMs: number): number => ((2 * Math.PI) / DAY_MS) * (atMs % DAY_MS);

/** Adding zero turns the negative zero, which JSON does not know, into a positive one. */
export const roundToMillionth = (value: number): number => Math.round(value * 1e6) / 1e6 + 0;
export const roundToTenThousandth = (value: number): number => Math.round(value * 1e4) / 1e4 + 0;
