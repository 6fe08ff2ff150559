import { FORECAST_Z_SCORE_P90 } from '../../../values/normal_distribution.ts';
import { DAY_MS } from '../../../values/time.ts';
import { ANOMALY_DAYS, ANOMALY_PERSISTENCE, normalOn } from './normals.ts';

/** Heating begins at about this daily mean. The limit is softened, because a daily mean hides cold nights. */
const BALANCE_C = 15;
const SOFT_C = 2;
/** The days of weather that are kept. No mean of the use needs more. */
export const REMEMBERED_DAYS = 90;
/** Gaps of up to this many days are interpolated. */
const MAX_GAP_DAYS = 2;
/** Without normals, a weather forecast of fewer days is not used. */
const MIN_FORECAST_DAYS = 2;

/** How far a day's mean is below the temperature at which heating begins, softened. */
export const degreesBelow = (celsius: number): number => {
  const x = (BALANCE_C - celsius) / SOFT_C;
  return x > 20 ? BALANCE_C - celsius : SOFT_C * Math.log1p(Math.exp(x));
};

export interface PlaceFacts {
  /** Mean temperatures of days, in °C: observed, then forecast. Days count from 1970-01-01, by the clock of the place. */
  temperatures: ReadonlyMap<number, number>;
  /** The first day that has not been observed. */
  observedBefore: number;
  /** The usual temperatures of a year, see normals.ts; null while the place has no archive of a year. */
  normals: readonly number[] | null;
  spreadC: number;
  /** The offset of the place's clock from UTC. */
  offsetMs: number;
}

/** The weather of a place: observed, forecast and normal temperatures. */
export class PlaceWeather {
  readonly facts: PlaceFacts;
  readonly #knownDays: number | null;
  #view: WeatherView | null = null;

  /** @param knownDays for a back-test: the days of forecast of every view; all days before its own day are observed */
  constructor(facts: PlaceFacts, knownDays: number | null = null) {
    this.facts = facts;
    this.#knownDays = knownDays;
  }

  /**
   * The weather as it is known at a time. The last view is kept, because many tanks need the same day one after
   * another.
   */
  asOf(nowMs: number): WeatherView {
    const today = this.dayOf(nowMs);
    if (this.#view?.today !== today) this.#view = new WeatherView(this, today, this.#knownDays);
    return this.#view;
  }

  dayOf(ms: number): number {
    return Math.floor((ms + this.facts.offsetMs) / DAY_MS);
  }

  /** When a day begins. */
  startOf(day: number): number {
    return day * DAY_MS - this.facts.offsetMs;
  }
}

export type WeatherScenario = 'colder' | 'expected' | 'warmer';
const DEVIATIONS: Readonly<Record<WeatherScenario, number>> = { colder: -1, expected: 0, warmer: 1 };

/** The weather as it is known on one day. */
export class WeatherView {
  readonly #place: PlaceWeather;
  readonly today: number;
  /** The first day from today on that is neither observed nor forecast. */
  readonly knownUntil: number;
  readonly observedBefore: number;
  readonly #near: number | null;
  readonly #nearNormal: number;
  readonly #references = new Map<number, number | null>();
  readonly #degrees: Readonly<Record<WeatherScenario, Map<number, number>>> = {
    colder: new Map(),
    expected: new Map(),
    warmer: new Map(),
  };

  constructor(place: PlaceWeather, today: number, knownDays: number | null) {
    const { temperatures, observedBefore, normals } = place.facts;
    this.#place = place;
    this.today = today;
    this.observedBefore = knownDays === null ? observedBefore : today;
    let until = today;
    for (let day = today; day < today + (knownDays ?? Infinity) && day <= until + MAX_GAP_DAYS; day++) {
      if (temperatures.has(day)) until = day + 1;
    }
    this.knownUntil = until;
    let sum = 0;
    let normal = 0;
    let count = 0;
    for (let day = today - ANOMALY_DAYS; day < Math.min(until, today + ANOMALY_DAYS); day++) {
      const celsius = this.#celsius(day, until);
      if (celsius === undefined) continue;
      sum += celsius;
      normal += normals === null ? 0 : normalOn(normals, day);
      count++;
    }
    this.#near = count < ANOMALY_DAYS ? null : sum / count;
    this.#nearNormal = count === 0 ? 0 : normal / count;
  }

  dayOf(ms: number): number {
    return this.#place.dayOf(ms);
  }

  startOf(day: number): number {
    return this.#place.startOf(day);
  }

  /** Returns true if the weather predicts the days ahead better than the use of the last days does. */
  get isUseful(): boolean {
    const isForecast = this.knownUntil >= this.today + MIN_FORECAST_DAYS;
    return this.#near !== null && (isForecast || this.#place.facts.normals !== null);
  }

  /** The temperature of a day before `until`, interpolated in a short gap. */
  #celsius(day: number, until: number): number | undefined {
    const { temperatures } = this.#place.facts;
    const exact = day < until ? temperatures.get(day) : undefined;
    if (exact !== undefined) return exact;
    for (let before = day - 1; before >= day - MAX_GAP_DAYS; before--) {
      const left = temperatures.get(before);
      if (left === undefined) continue;
      for (let after = day + 1; after <= before + MAX_GAP_DAYS + 1 && after < until; after++) {
        const right = temperatures.get(after);
        if (right !== undefined) return left + ((right - left) * (day - before)) / (after - before);
      }
    }
    return undefined;
  }

  /** The mean of the forecast from today on; null if it covers no day. */
  get forecastMeanC(): number | null {
    let sum = 0;
    for (let day = this.today; day < this.knownUntil; day++) sum += this.#celsius(day, this.knownUntil) ?? 0;
    return this.knownUntil === this.today ? null : sum / (this.knownUntil - this.today);
  }

  /** The degrees below the start of heating on any day. The scenario changes only days after the end of the forecast. */
  degreesOn(day: number, weather: WeatherScenario): number {
    const known = this.#degrees[weather].get(day);
    if (known !== undefined) return known;
    const celsius = this.#celsius(day, this.knownUntil) ?? this.#laterCelsius(day, weather);
    const degrees = degreesBelow(celsius);
    this.#degrees[weather].set(day, degrees);
    return degrees;
  }

  #laterCelsius(day: number, weather: WeatherScenario): number {
    const { normals, spreadC } = this.#place.facts;
    const near = this.#near ?? 0;
    const likely = normals === null ? near : normalOn(normals, day) + ANOMALY_PERSISTENCE * (near - this.#nearNormal);
    return likely + DEVIATIONS[weather] * FORECAST_Z_SCORE_P90 * spreadC;
  }

  /** The degree days of a period; null if a day of it has not been observed. */
  observedSum(fromMs: number, toMs: number): number | null {
    let sum = 0;
    for (let atMs = fromMs; atMs < toMs; ) {
      const day = this.dayOf(atMs);
      const nextMs = Math.min(toMs, this.startOf(day + 1));
      const celsius = this.#celsius(day, this.observedBefore);
      if (celsius === undefined) return null;
      sum += (degreesBelow(celsius) * (nextMs - atMs)) / DAY_MS;
      atMs = nextMs;
    }
    return sum;
  }

  /** The fading mean of the degrees of the days before `day`, with the same memory as a mean of the use. */
  reference(memoryDays: number, day: number): number | null {
    const key = day * 1_000 + memoryDays;
    const before = this.#references.get(key);
    if (before !== undefined) return before;
    let sum = 0;
    let weights = 0;
    let weight = 1;
    const fade = Math.exp(-1 / memoryDays);
    for (let past = day - 1; past > day - Math.min(REMEMBERED_DAYS, 5 * memoryDays); past--) {
      const celsius = this.#celsius(past, Math.min(day, this.knownUntil));
      if (celsius !== undefined) {
        sum += weight * degreesBelow(celsius);
        weights += weight;
      }
      weight *= fade;
    }
    const mean = weights > 0.5 ? sum / weights : null;
    this.#references.set(key, mean);
    return mean;
  }
}
