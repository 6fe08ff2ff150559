import { DAY_MS } from '../../../values/time.ts';

export interface LevelReading {
  atMs: number;
  fillPercentage: number;
}

/**
 * The estimate of a tank's true level: a Kalman filter over the level, the rate of use and the daily wave that the
 * warmth of the day causes. The two-letter fields are covariances (l level, r rate, c cosine, s sine). The filter
 * rounds every number to a millionth or a ten-thousandth, as it is stored, so that saving and loading the state between
 * two readings does not change the result.
 */
export interface LevelEstimate {
  /** The fill level in percent, without the daily wave. */
  readonly level: number;
  /** The rate of use in points a day, never negative. */
  readonly rate: number;
  /** The use of each day of the week relative to the mean, as a share; UTC, beginning with Thursday (1970-01-01). */
  readonly week: readonly number[];
  /** Standard deviation of a day's use from the expected use, as a share of it. */
  readonly irregularity: number;
  /** The factor by which the rate may change faster than normal: 1 unless successive innovations lie on one side. */
  readonly agility: number;
  readonly cosine: number;
  readonly sine: number;
  /** Mean cosine and sine of the hours of the readings: a point on the unit circle if all have the same hour. */
  readonly hourCosine: number;
  readonly hourSine: number;
  /** The innovation of the previous reading, in standard deviations. */
  readonly deviations: number;
  /** Standard deviation of one reading of this gauge. */
  readonly noise: number;
  /** The number of accepted readings, counted up to 100. */
  readonly seen: number;
  /** The number of consecutive readings that repeat the previous one, counted up to 15. */
  readonly repeats: number;
  /** The share of the readings that are spikes, as a fading mean. */
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

/** The noise of a gauge before it is learned. Measured gauges have 0.05 to 0.3 points, propane gauges up to 1. */
const INITIAL_NOISE_POINTS = 1.5;
/** Measured gauges have between one spike in 46 readings and one in 1,000. */
const INITIAL_SPIKE_SHARE = 1 / 400;
/** Nearly all tanks use between 0 and 8 points a day; a few readings overrule this. */
const INITIAL_RATE_POINTS_PER_DAY = 1;
const INITIAL_RATE_DEVIATION = 3;
/** Propane and heating oil expand by 1 to 1.5 % for ten degrees: up to 2.5 points between night and noon. */
const WAVE_DEVIATION = 1.2;
/** The wave changes with the season, and fades if the readings do not show it. */
const WAVE_DAYS = 90;
/**
 * If the mean hour is farther from the center of the unit circle, the readings lie within about two hours of the day,
 * and a wave cannot be distinguished from the level.
 */
const SAME_HOUR = 0.93;
const MAX_COUNTED_READINGS = 100;
const MAX_COUNTED_REPEATS = 15;
const EVEN_WEEK: readonly number[] = [0, 0, 0, 0, 0, 0, 0];
const INITIAL_IRREGULARITY = 0.2;
/**
 * The standard deviation of the daily change of the rate, as a share of the deviation of a day's use: consecutive days
 * are correlated.
 */
const RATE_WANDER = 0.5;
/** The share of a day's irregularity that affects the level only and not the rate. */
const LEVEL_SHARE = 0.7;
/** The rate of a tank without use can still change as much as at this rate. */
const MIN_WANDERING_POINTS_PER_DAY = 0.5;

export function initialEstimate({ atMs, fillPercentage }: LevelReading): LevelEstimate {
  const angle = hourAngle(atMs);
  return {
    level: fillPercentage,
    rate: INITIAL_RATE_POINTS_PER_DAY,
    week: EVEN_WEEK,
    irregularity: INITIAL_IRREGULARITY,
    agility: 1,
    cosine: 0,
    sine: 0,
    hourCosine: roundToTenThousandth(Math.cos(angle)),
    hourSine: roundToTenThousandth(Math.sin(angle)),
    deviations: 0,
    noise: INITIAL_NOISE_POINTS,
    seen: 1,
    repeats: 0,
    spikeShare: INITIAL_SPIKE_SHARE,
    slowRate: INITIAL_RATE_POINTS_PER_DAY,
    peakRate: 0,
    ll: INITIAL_NOISE_POINTS ** 2,
    lr: 0,
    lc: 0,
    ls: 0,
    rr: INITIAL_RATE_DEVIATION ** 2,
    rc: 0,
    rs: 0,
    cc: WAVE_DEVIATION ** 2,
    cs: 0,
    ss: WAVE_DEVIATION ** 2,
  };
}

/**
 * The level after use. The level is negative for a tank that runs out in between. If a truck came in that time, the
 * reading is below the delivered level, on average by half of the use after the tank ran out.
 */
export function levelAfterUse(level: number, use: number): number {
  const short = Math.max(0, use - level);
  return short === 0 ? level - use : -short * (1 - short / (2 * use));
}

/** The estimate after the expected use. All fields are named: a spread is slower, and this runs for each reading. */
export function predict(
  at: LevelEstimate,
  fromMs: number,
  toMs: number,
  use: number = expectedUse(at, fromMs, toMs),
): LevelEstimate {
  const days = (toMs - fromMs) / DAY_MS;
  const levelWander = (LEVEL_SHARE * dailyUseDeviation(at)) ** 2 * days;
  const rateWander =
    (RATE_WANDER * at.irregularity * at.agility * Math.max(at.rate, MIN_WANDERING_POINTS_PER_DAY)) ** 2 * days;
  const keep = Math.max(0, 1 - days / WAVE_DAYS);
  const waveWander = isWaveObservable(at) ? WAVE_DEVIATION ** 2 * (1 - keep * keep) : 0;
  return {
    level: levelAfterUse(at.level, use),
    rate: at.rate,
    week: at.week,
    irregularity: at.irregularity,
    agility: at.agility,
    cosine: at.cosine * keep,
    sine: at.sine * keep,
    hourCosine: at.hourCosine,
    hourSine: at.hourSine,
    deviations: at.deviations,
    noise: at.noise,
    seen: at.seen,
    repeats: at.repeats,
    spikeShare: at.spikeShare,
    slowRate: at.slowRate,
    peakRate: at.peakRate,
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

/** The standard deviation of a day's use in points. It is above 0 even for a tank that is hardly used. */
export const dailyUseDeviation = ({ rate, slowRate, irregularity }: LevelEstimate): number =>
  0.1 + irregularity * Math.max(rate, slowRate);

/** Expected use between two times, in points. */
export function expectedUse(at: Pick<LevelEstimate, 'rate' | 'week'>, fromMs: number, toMs: number): number {
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

/**
 * The standard deviation of one reading. It is larger than the noise while the noise was learned from few readings
 * only.
 */
export const readingDeviation = ({ noise, seen }: Pick<LevelEstimate, 'noise' | 'seen'>): number =>
  noise * (1 + 1 / seen);

export function innovationOf(at: LevelEstimate, reading: LevelReading): Innovation {
  const angle = hourAngle(reading.atMs);
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const points = pointsFrom(at, reading, cos, sin);
  const spread = at.ll + cos * cos * at.cc + sin * sin * at.ss + 2 * (cos * at.lc + sin * at.ls + cos * sin * at.cs);
  // The sum can be negative only because its parts are rounded.
  const variance = Math.max(0, spread) + readingDeviation(at) ** 2;
  return { points, deviations: points / Math.sqrt(variance), variance, cos, sin };
}

/** How far a reading is from level and wave, with the cosine and sine of its hour. */
export const pointsFrom = (at: LevelEstimate, reading: LevelReading, cos: number, sin: number): number =>
  reading.fillPercentage - at.level - at.cosine * cos - at.sine * sin;

export const countReading = (seen: number): number => Math.min(MAX_COUNTED_READINGS, seen + 1);

export const countRepeat = (at: LevelEstimate, isRepeat: boolean): number =>
  isRepeat ? Math.min(MAX_COUNTED_REPEATS, at.repeats + 1) : 0;

export const isWaveObservable = ({ hourCosine, hourSine }: LevelEstimate): boolean =>
  hourCosine * hourCosine + hourSine * hourSine < SAME_HOUR * SAME_HOUR;

/** The hour of the day as an angle. It avoids the operator %, which is slow for numbers as large as times. */
const hourAngle = (atMs: number): number => ((2 * Math.PI) / DAY_MS) * (atMs - Math.floor(atMs / DAY_MS) * DAY_MS);

/** Adding zero turns negative zero, which JSON cannot represent, into zero. */
export const roundToMillionth = (value: number): number => Math.round(value * 1e6) / 1e6 + 0;
export const roundToTenThousandth = (value: number): number => Math.round(value * 1e4) / 1e4 + 0;
