import { tenth } from '../../../values/tenth.ts';
import { DAY_MS } from '../../../values/time.ts';
import type { LevelEstimate, LevelReading } from './level_filter.ts';
import type { PlaceWeather, WeatherScenario, WeatherView } from './place_weather.ts';
import type { Means, UseHistory } from './use_history.ts';
import { baseAndSlope, cumulativeUseOf } from './weather_share.ts';

/** The use of a day is at least this share of the mean, in any weather. */
const MIN_USE_SHARE = 0.05;
/** The use is not predicted for longer than two years. */
const MAX_WALKED_DAYS = 730;

interface WalkedDays {
  likely: number;
  earliest: number;
  latest: number;
}

/** The use of a tank day by day, from the weather of each day. */
export class WeatherWalk {
  readonly #view: WeatherView;
  readonly #line: { base: number; slope: number };
  readonly #week: readonly number[];
  readonly #minUse: number;
  readonly #fromMs: number;
  /** The expected level at the start of the forecast. */
  readonly fillPercentage: number;

  /** Null if the weather explains no use of this tank, or if it is not current. */
  static begin(
    { place, share, errors }: { place: PlaceWeather; share: number; errors: Means },
    { accepted, level, history }: { accepted: LevelReading; level: LevelEstimate; history: UseHistory },
    usePerDay: number,
    atMs: number,
  ): WeatherWalk | null {
    if (share <= 0) return null;
    const view = place.asOf(atMs);
    if (!view.isUseful) return null;
    const line = baseAndSlope(cumulativeUseOf(history, level, accepted.atMs), share, errors, view);
    return line && new WeatherWalk(view, line, level, MIN_USE_SHARE * usePerDay, accepted.atMs, atMs);
  }

  private constructor(
    view: WeatherView,
    line: { base: number; slope: number },
    { week, level }: LevelEstimate,
    minUse: number,
    acceptedAtMs: number,
    atMs: number,
  ) {
    this.#view = view;
    this.#line = line;
    this.#week = week;
    this.#minUse = minUse;
    this.#fromMs = atMs;
    this.fillPercentage = Math.max(0, level - this.#usedBetween(acceptedAtMs, atMs));
  }

  /** The mean of the forecast temperatures; null if only normals are known. */
  get forecastC(): number | null {
    const mean = this.#view.forecastMeanC;
    return mean === null ? null : tenth(mean);
  }

  /** Noon of the last day with a forecast. */
  get forecastUntilMs(): number | null {
    const { knownUntil, today } = this.#view;
    return knownUntil === today ? null : this.#view.startOf(knownUntil) - DAY_MS / 2;
  }

  /**
   * The days until a level; Infinity for more than two years. The errors of the use and of the weather after its
   * forecast are independent, so the squares of their logarithms add up.
   */
  daysTo(target: number, { useFactor, spread }: { useFactor: number; spread: number }): WalkedDays {
    const points = this.fillPercentage - target;
    const likely = this.#daysUntil(points, 'expected', 1);
    return {
      likely,
      earliest: combineErrors(
        likely,
        this.#daysUntil(points - spread, 'expected', useFactor),
        this.#daysUntil(points, 'colder', 1),
      ),
      latest: combineErrors(
        likely,
        this.#daysUntil(points + spread, 'expected', 1 / useFactor),
        this.#daysUntil(points, 'warmer', 1),
      ),
    };
  }

  #useOn(day: number, weather: WeatherScenario): number {
    const { base, slope } = this.#line;
    const use = base + slope * this.#view.degreesOn(day, weather);
    return Math.max(this.#minUse, use) * (1 + (this.#week[day % 7] ?? 0));
  }

  /** The expected use between two times, in points. */
  #usedBetween(fromMs: number, toMs: number): number {
    let used = 0;
    for (let atMs = fromMs; atMs < toMs; ) {
      const day = this.#view.dayOf(atMs);
      const nextMs = Math.min(toMs, this.#view.startOf(day + 1));
      used += (this.#useOn(day, 'expected') * (nextMs - atMs)) / DAY_MS;
      atMs = nextMs;
    }
    return used;
  }

  #daysUntil(points: number, weather: WeatherScenario, factor: number): number {
    if (points <= 0) return 0;
    let left = points;
    const firstDay = this.#view.dayOf(this.#fromMs);
    let share = (this.#view.startOf(firstDay + 1) - this.#fromMs) / DAY_MS;
    let passed = 0;
    for (let day = firstDay; passed <= MAX_WALKED_DAYS; day++) {
      const use = this.#useOn(day, weather) * factor;
      if (use * share >= left) return passed + left / use;
      left -= use * share;
      passed += share;
      share = 1;
    }
    return Infinity;
  }
}

/** The days with both errors combined: the squares of their logarithms add up. */
function combineErrors(likely: number, byUse: number, byWeather: number): number {
  if (likely === 0 || likely === Infinity || byUse === 0 || byUse === Infinity) return byUse;
  if (byWeather === Infinity) return Infinity;
  const use = Math.log(byUse / likely);
  return likely * Math.exp(Math.sign(use) * Math.hypot(use, Math.log(byWeather / likely)));
}
