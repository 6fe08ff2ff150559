import { DAY_MS } from '../../../values/time.ts';
import { type LevelEstimate, roundToMillionth } from './level_filter.ts';
import type { WeatherView } from './place_weather.ts';
import {
  comparedDays,
  logError,
  MEMORY_DAYS,
  type Means,
  meansOf,
  trendedMeans,
  type UseHistory,
  weightedByError,
} from './use_history.ts';

/**
 * How much of a tank's use follows the weather: use = base + slope x degrees. Learned once a day from the points that the
 * tank has used, in a row of its own. The estimate of the level, and with it every event, does not know the weather.
 */
export interface WeatherModel {
  /** Up to where it has learned, and the odometer of the tank then. */
  asOfMs: number;
  total: number;
  /** About one a day since then, for as long as the weather has not been observed. */
  waiting: readonly Odometer[];
  /** Days of learning. */
  days: number;
  /** Fading sums of about the last week: points used, degree days, days. */
  used: number;
  degreeDays: number;
  weight: number;
  /** Relative deviations from that week: of the use and the degrees (product), of the degrees (square). */
  product: number;
  square: number;
  /** Squares of what the weather does not explain, and their number. */
  residual: number;
  count: number;
  /** The running comparison: since when, the odometer then, and base and slope of each mean then. */
  sinceMs: number;
  sinceTotal: number;
  bases: Means;
  slopes: Means;
  /** Mean absolute errors of the logarithm of the use for each mean, given the weather that came. */
  errors: Means;
}

/** What a tank had used at a time, and what the means of its use said. */
export interface Odometer {
  atMs: number;
  total: number;
  means: Means;
  trended: Means;
}

/** What tanks of the same place and use have shown, or what is assumed of every tank. */
export interface SharePrior {
  /** Chance that the weather explains anything at all. */
  chance: number;
  share: number;
}

export const FIRST_PRIOR: SharePrior = { chance: 0.5, share: 0.9 };

/** Days between two odometers: somewhat less than one, because devices are not punctual. */
const LEAST_INTERVAL = 0.9;
/** Days: a longer interval teaches nothing. */
const LONGEST_INTERVAL = 15;
/** Weather that is late is waited for by this many odometers. */
export const MOST_WAITING = 15;
/** A share below this is none: the forecast is then exactly that without weather. */
const LEAST_SHARE = 0.15;
/** Use of more than all: a tank whose base is negative uses nothing on mild days. */
const MOST_SHARE = 1.1;
/** Days that one interval counts as, at most. */
const MOST_WEIGHT = 3;
const FIRST_DAYS = 4;
const REFERENCE_DAYS = 8;
const FADING_DAYS = 90;
/** Degrees near zero must not make a share of anything. */
const LEAST_DEGREES = 2;
/** Points a day: below, a relative deviation is noise. */
const LEAST_USE = 0.3;
/** The prior counts as much as this sum of squares: two or three weeks. */
const PRIOR_SQUARE = 1;
const FIRST_RESIDUAL = 0.25;
const FIRST_RESIDUAL_COUNT = 10;
const LEAST_RESIDUAL_COUNT = 5;
const LEAST_RESIDUAL = 0.02;
/** Days resemble the day before, so they show half of what they seem to. */
const ALIKE = 2;
const MOST_EVIDENCE = 30;
/** Points by which the noise of a gauge may turn an odometer back. More: the tank was evaluated again. */
const MOST_TURNED_BACK = 3;
const FIRST_ERRORS: Means = [0.26, 0.22, 0.25, 0.3];
const NONE: Means = [0, 0, 0, 0];
const ERROR_GAIN = 0.08;

export const initialModel = ({ atMs, total }: Odometer): WeatherModel => ({
  asOfMs: atMs,
  total,
  waiting: [],
  days: 0,
  used: 0,
  degreeDays: 0,
  weight: 0,
  product: 0,
  square: 0,
  residual: 0,
  count: 0,
  sinceMs: atMs,
  sinceTotal: total,
  bases: NONE,
  slopes: NONE,
  errors: FIRST_ERRORS,
});

export function odometerOf(history: UseHistory, level: LevelEstimate, atMs: number): Odometer {
  const [fast, week, fortnight, slow] = trendedMeans(history, level);
  return {
    atMs,
    total: history.total,
    means: meansOf(history, level),
    trended: [fast, roundToMillionth(week), fortnight, slow],
  };
}

type Evidence = Pick<WeatherModel, 'product' | 'square' | 'residual' | 'count'>;

/** The chance that the weather explains anything, and the share of the use that then follows it. */
export function posteriorOf({ product, square, residual, count }: Evidence, prior: SharePrior): SharePrior {
  const share = (product + PRIOR_SQUARE * prior.share) / (square + PRIOR_SQUARE);
  const variance =
    count > LEAST_RESIDUAL_COUNT
      ? (residual + FIRST_RESIDUAL_COUNT * FIRST_RESIDUAL) / (count + FIRST_RESIDUAL_COUNT)
      : FIRST_RESIDUAL;
  const noise = ALIKE * Math.max(LEAST_RESIDUAL, variance);
  // How much better the deviations are explained with the share than without it (Bayes factor).
  const evidence =
    0.5 * Math.log(PRIOR_SQUARE / (square + PRIOR_SQUARE)) +
    ((square + PRIOR_SQUARE) * share ** 2 - PRIOR_SQUARE * prior.share ** 2) / (2 * noise);
  const chance = 1 / (1 + (1 / prior.chance - 1) * Math.exp(-Math.min(MOST_EVIDENCE, evidence)));
  return { chance, share: Math.min(MOST_SHARE, Math.max(0, share)) };
}

/** The share of the use that follows the weather: 0 where the weather explains nothing. */
export function shareOf(evidence: Evidence, prior: SharePrior): number {
  const { chance, share } = posteriorOf(evidence, prior);
  return chance * share < LEAST_SHARE ? 0 : chance * share;
}

/** Base and slope of each mean, from its use and the weather that it has seen; null where that is not known. */
function linesOf(
  { means, trended, atMs }: Odometer,
  share: number,
  view: WeatherView,
): { bases: Means; slopes: Means } | null {
  const day = view.dayOf(atMs);
  const lineOf = (n: 0 | 1 | 2 | 3): { base: number; slope: number } | null => {
    const reference = view.reference(MEMORY_DAYS[n], day);
    if (reference === null) return null;
    const rate = means[n];
    // Growth that the weather explains is not a trend.
    const kept = rate <= 0 ? 0 : rate * (trended[n] / rate) ** (1 - Math.min(1, share));
    const slope = (share * kept) / (reference + LEAST_DEGREES);
    return { base: kept - slope * reference, slope };
  };
  const [a, b, c, d] = [lineOf(0), lineOf(1), lineOf(2), lineOf(3)];
  if (a === null || b === null || c === null || d === null) return null;
  return { bases: [a.base, b.base, c.base, d.base], slopes: [a.slope, b.slope, c.slope, d.slope] };
}

/** Base and slope for the next days, in points a day and points a degree day. */
export function baseAndSlope(
  odometer: Odometer,
  share: number,
  errors: Means,
  view: WeatherView,
): { base: number; slope: number } | null {
  const lines = linesOf(odometer, share, view);
  return lines && { base: weightedByError(errors, lines.bases), slope: weightedByError(errors, lines.slopes) };
}

/** Notes the odometer, and learns from all days whose weather has been observed by now. To be called about once a day. */
export function learnWeather(
  before: WeatherModel,
  odometer: Odometer,
  view: WeatherView,
  prior: SharePrior,
): WeatherModel {
  let { waiting } = before;
  const latest = waiting.at(-1) ?? { atMs: before.asOfMs, total: before.total };
  if (odometer.total < latest.total - MOST_TURNED_BACK) return restart(before, odometer);
  if (odometer.atMs - latest.atMs >= LEAST_INTERVAL * DAY_MS) waiting = [...waiting, odometer];
  let next = before;
  for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
    const isObserved = view.dayOf(first.atMs - 1) < view.observedBefore;
    if (!isObserved && waiting.length <= MOST_WAITING) break;
    const degreeDays = isObserved ? view.observedSum(next.asOfMs, first.atMs) : null;
    next =
      degreeDays === null
        ? // The weather of these days will not come: they teach nothing.
          { ...next, asOfMs: first.atMs, total: first.total }
        : rounded(compare(learnInterval(next, first, degreeDays, prior), first, view, prior));
    waiting = waiting.slice(1);
  }
  return { ...next, waiting };
}

/** As it is stored, so that it does not matter whether days are learned one by one or together. */
function rounded(model: WeatherModel): WeatherModel {
  const each = ([a, b, c, d]: Means): Means => [
    roundToMillionth(a),
    roundToMillionth(b),
    roundToMillionth(c),
    roundToMillionth(d),
  ];
  return {
    ...model,
    days: roundToMillionth(model.days),
    used: roundToMillionth(model.used),
    degreeDays: roundToMillionth(model.degreeDays),
    weight: roundToMillionth(model.weight),
    product: roundToMillionth(model.product),
    square: roundToMillionth(model.square),
    residual: roundToMillionth(model.residual),
    count: roundToMillionth(model.count),
    bases: each(model.bases),
    slopes: each(model.slopes),
    errors: each(model.errors),
  };
}

/** A re-evaluation counts from another beginning. What the tank has shown of the weather stays. */
const restart = (before: WeatherModel, { atMs, total }: Odometer): WeatherModel => ({
  ...before,
  asOfMs: atMs,
  total,
  waiting: [],
  sinceMs: atMs,
  sinceTotal: total,
  bases: NONE,
  slopes: NONE,
});

function learnInterval(
  before: WeatherModel,
  { atMs, total }: Odometer,
  degreeDays: number,
  prior: SharePrior,
): WeatherModel {
  const days = (atMs - before.asOfMs) / DAY_MS;
  const used = total - before.total;
  const next = { ...before, asOfMs: atMs, total, days: before.days + days };
  const use = before.weight > 0 ? before.used / before.weight : 0;
  if (before.days >= FIRST_DAYS && days < LONGEST_INTERVAL && use >= LEAST_USE) {
    const mean = before.degreeDays / before.weight;
    const y = Math.max(-1, Math.min(1, used / days / use - 1));
    const x = (degreeDays / days - mean) / (mean + LEAST_DEGREES);
    const fade = Math.exp(-days / FADING_DAYS);
    const weight = Math.min(days, MOST_WEIGHT);
    const unexplained = y - shareOf(before, prior) * x;
    next.product = fade * before.product + weight * x * y;
    next.square = fade * before.square + weight * x * x;
    next.residual = fade * before.residual + weight * unexplained * unexplained;
    next.count = fade * before.count + weight;
  }
  const keep = Math.exp(-days / REFERENCE_DAYS);
  next.used = keep * before.used + used;
  next.degreeDays = keep * before.degreeDays + degreeDays;
  next.weight = keep * before.weight + days;
  return next;
}

/** Every few days, what was said is compared with what was used, given the weather that came. */
function compare(model: WeatherModel, odometer: Odometer, view: WeatherView, prior: SharePrior): WeatherModel {
  const { sinceMs, sinceTotal, bases, slopes, asOfMs, total } = model;
  const days = (asOfMs - sinceMs) / DAY_MS;
  const isRunning = bases.some((base, n) => base + (slopes[n] ?? 0) > 0);
  if (isRunning && days < comparedDays(odometer.means[3])) return model;
  const degreeDays = isRunning ? view.observedSum(sinceMs, asOfMs) : null;
  let { errors } = model;
  if (degreeDays !== null) {
    const measured = Math.max(0, (total - sinceTotal) / days);
    const learned = (n: 0 | 1 | 2 | 3): number => {
      const said = Math.max(0, bases[n] + (slopes[n] * degreeDays) / days);
      return errors[n] + ERROR_GAIN * (logError(measured, said) - errors[n]);
    };
    errors = [learned(0), learned(1), learned(2), learned(3)];
  }
  const lines = linesOf(odometer, shareOf(model, prior), view) ?? { bases: NONE, slopes: NONE };
  return { ...model, sinceMs: asOfMs, sinceTotal: total, ...lines, errors };
}
