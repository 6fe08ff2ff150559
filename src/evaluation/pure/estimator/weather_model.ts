import { DAY_MS } from '../../../values/time.ts';
import { roundToMillionth } from './level_filter.ts';
import type { WeatherView } from './place_weather.ts';
import { comparedDays, logError, type Means } from './use_history.ts';
import {
  type CumulativeUse,
  type Evidence,
  fitUseByDegrees,
  MIN_DEGREES,
  type SharePrior,
  shareOf,
} from './weather_share.ts';

/**
 * How much of a tank's use follows the weather: use = base + slope x degrees. It is learned once a day from the points
 * that the tank has used, and stored apart from the tank state. The estimate of the level, and so every event, does not
 * depend on the weather.
 */
export interface WeatherModel extends Evidence {
  /** The time up to which the model has learned, and the cumulative use of the tank at that time. */
  asOfMs: number;
  total: number;
  /** The cumulative use since then, about once a day. It waits until the weather of its days has been observed. */
  waiting: readonly CumulativeUse[];
  /** The number of days that the model has learned from. */
  days: number;
  /** Fading sums over about the last week: points used, degree days, days. */
  used: number;
  degreeDays: number;
  weight: number;
  /** The current comparison: its start, the cumulative use at that time, and base and slope of each mean at that time. */
  sinceMs: number;
  sinceTotal: number;
  bases: Means;
  slopes: Means;
  /** Mean absolute errors of the logarithm of the use for each mean, with the observed weather. */
  errors: Means;
}

/**
 * The shortest interval between two values of the cumulative use: a little less than a day, because devices are not
 * punctual.
 */
const MIN_INTERVAL_DAYS = 0.9;
/** Longer intervals are not used for learning. */
const MAX_INTERVAL_DAYS = 15;
/** The model waits for late weather for at most this many days. */
export const MAX_WAITING_DAYS = 15;
/** The largest weight of one interval. */
const MAX_WEIGHT_DAYS = 3;
const REFERENCE_START_DAYS = 4;
const REFERENCE_DAYS = 8;
const FADING_DAYS = 90;
/** Below this use, a relative deviation is only noise. */
const MIN_USE_POINTS_PER_DAY = 0.3;
/**
 * Gauge noise can lower the cumulative use by up to this many points. A larger decrease means that the tank was
 * re-evaluated.
 */
const MAX_DECREASE_POINTS = 3;
const INITIAL_ERRORS: Means = [0.26, 0.22, 0.25, 0.3];
const NONE: Means = [0, 0, 0, 0];
const ERROR_GAIN = 0.08;

export const initialModel = ({ atMs, total }: CumulativeUse): WeatherModel => ({
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
  errors: INITIAL_ERRORS,
});

/**
 * Adds a value of the cumulative use, and learns from all days whose weather has been observed. To be called about once
 * a day.
 */
export function learnWeather(
  before: WeatherModel,
  cumulative: CumulativeUse,
  view: WeatherView,
  prior: SharePrior,
): WeatherModel {
  let { waiting } = before;
  const latest = waiting.at(-1) ?? { atMs: before.asOfMs, total: before.total };
  if (cumulative.total < latest.total - MAX_DECREASE_POINTS) return restart(before, cumulative);
  if (cumulative.atMs - latest.atMs >= MIN_INTERVAL_DAYS * DAY_MS) waiting = [...waiting, cumulative];
  let next = before;
  for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
    const isObserved = view.dayOf(first.atMs - 1) < view.observedBefore;
    if (!isObserved && waiting.length <= MAX_WAITING_DAYS) break;
    const degreeDays = isObserved ? view.observedSum(next.asOfMs, first.atMs) : null;
    next =
      degreeDays === null
        ? // The weather of these days will not arrive, so nothing is learned from them.
          { ...next, asOfMs: first.atMs, total: first.total }
        : rounded(compare(learnInterval(next, first, degreeDays, prior), first, view, prior));
    waiting = waiting.slice(1);
  }
  return { ...next, waiting };
}

/** Rounds the model as it is stored, so that learning days one by one or together gives the same result. */
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

/**
 * Restarts the cumulative use after a re-evaluation, which counts from another beginning. What was learned about the
 * weather stays.
 */
const restart = (before: WeatherModel, { atMs, total }: CumulativeUse): WeatherModel => ({
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
  { atMs, total }: CumulativeUse,
  degreeDays: number,
  prior: SharePrior,
): WeatherModel {
  const days = (atMs - before.asOfMs) / DAY_MS;
  const used = total - before.total;
  const next = { ...before, asOfMs: atMs, total, days: before.days + days };
  const use = before.weight > 0 ? before.used / before.weight : 0;
  if (before.days >= REFERENCE_START_DAYS && days < MAX_INTERVAL_DAYS && use >= MIN_USE_POINTS_PER_DAY) {
    const mean = before.degreeDays / before.weight;
    const y = Math.max(-1, Math.min(1, used / days / use - 1));
    const x = (degreeDays / days - mean) / (mean + MIN_DEGREES);
    const fade = Math.exp(-days / FADING_DAYS);
    const weight = Math.min(days, MAX_WEIGHT_DAYS);
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

/** Compares, every few days, the predicted use with the measured use, with the observed weather. */
function compare(model: WeatherModel, cumulative: CumulativeUse, view: WeatherView, prior: SharePrior): WeatherModel {
  const { sinceMs, sinceTotal, bases, slopes, asOfMs, total } = model;
  const days = (asOfMs - sinceMs) / DAY_MS;
  const isRunning = bases.some((base, n) => base + (slopes[n] ?? 0) > 0);
  if (isRunning && days < comparedDays(cumulative.means[3])) return model;
  const degreeDays = isRunning ? view.observedSum(sinceMs, asOfMs) : null;
  let { errors } = model;
  if (degreeDays !== null) {
    const measured = Math.max(0, (total - sinceTotal) / days);
    const learned = (n: 0 | 1 | 2 | 3): number => {
      const predicted = Math.max(0, bases[n] + (slopes[n] * degreeDays) / days);
      return errors[n] + ERROR_GAIN * (logError(measured, predicted) - errors[n]);
    };
    errors = [learned(0), learned(1), learned(2), learned(3)];
  }
  const lines = fitUseByDegrees(cumulative, shareOf(model, prior), view) ?? { bases: NONE, slopes: NONE };
  return { ...model, sinceMs: asOfMs, sinceTotal: total, ...lines, errors };
}
