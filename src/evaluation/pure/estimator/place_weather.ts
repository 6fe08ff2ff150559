import { DAY_MS } from '../../../values/time.ts';
import { LASTING, NEAR_DAYS, normalOn } from './normals.ts';

/** Heating begins about here. Softened, because a daily mean hides cold nights. */
const BALANCE_C = 15;
const SOFT_C = 2;
/** Deviations of the weather that the range of a forecast covers. */
const RANGE_DEVIATIONS = 1.28;
/** The memory of the longest mean of use ends here. */
export const REMEMBERED_DAYS = 90;
/** Days without a temperature that their neighbours stand for. */
const LONGEST_GAP = 2;
/** Without normals, a forecast of the weather for fewer days changes no forecast of use. */
const LEAST_FORECAST_DAYS = 2;

/** Degrees of a day below the temperature at which heating begins. */
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
  /** How far the clock of the place is ahead of UTC. */
  offsetMs: number;
}

/** The weather of a place: what is observed, what is forecast, and what is usual. */
export class PlaceWeather {
  readonly facts: PlaceFacts;
  readonly #knownDays: number | null;
  #view: WeatherView | null = null;

  /** @param knownDays for a back-test: every view knows so many days of forecast, and all days before its own */
  constructor(facts: PlaceFacts, knownDays: number | null = null) {
    this.facts = facts;
    this.#knownDays = knownDays;
  }

  /** What is known of the weather at a time. Tanks ask for the same day one after the other, so the last view is kept. */
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

export type Weather = 'colder' | 'expected' | 'warmer';
const DEVIATIONS: Readonly<Record<Weather, number>> = { colder: -1, expected: 0, warmer: 1 };

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
  readonly #degrees: Readonly<Record<Weather, Map<number, number>>> = {
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
    for (let day = today; day < today + (knownDays ?? Infinity) && day <= until + LONGEST_GAP; day++) {
      if (temperatures.has(day)) until = day + 1;
    }
    this.knownUntil = until;
    let sum = 0;
    let normal = 0;
    let count = 0;
    for (let day = today - NEAR_DAYS; day < Math.min(until, today + NEAR_DAYS); day++) {
      const celsius = this.#celsius(day, until);
      if (celsius === undefined) continue;
      sum += celsius;
      normal += normals === null ? 0 : normalOn(normals, day);
      count++;
    }
    this.#near = count < NEAR_DAYS ? null : sum / count;
    this.#nearNormal = count === 0 ? 0 : normal / count;
  }

  dayOf(ms: number): number {
    return this.#place.dayOf(ms);
  }

  startOf(day: number): number {
    return this.#place.startOf(day);
  }

  /** Whether it says more about the days ahead than the use of the last days does. */
  get isUseful(): boolean {
    const isForecast = this.knownUntil >= this.today + LEAST_FORECAST_DAYS;
    return this.#near !== null && (isForecast || this.#place.facts.normals !== null);
  }

  /** Of a day before `until`. Its neighbours stand for it in a short gap. */
  #celsius(day: number, until: number): number | undefined {
    const { temperatures } = this.#place.facts;
    const exact = day < until ? temperatures.get(day) : undefined;
    if (exact !== undefined) return exact;
    for (let before = day - 1; before >= day - LONGEST_GAP; before--) {
      const left = temperatures.get(before);
      if (left === undefined) continue;
      for (let after = day + 1; after <= before + LONGEST_GAP + 1 && after < until; after++) {
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

  /** Degrees of any day; of days after the forecast also if they are colder or warmer than expected. */
  degreesOn(day: number, weather: Weather): number {
    const known = this.#degrees[weather].get(day);
    if (known !== undefined) return known;
    const celsius = this.#celsius(day, this.knownUntil) ?? this.#laterCelsius(day, weather);
    const degrees = degreesBelow(celsius);
    this.#degrees[weather].set(day, degrees);
    return degrees;
  }

  #laterCelsius(day: number, weather: Weather): number {
    const { normals, spreadC } = this.#place.facts;
    const near = this.#near ?? 0;
    const likely = normals === null ? near : normalOn(normals, day) + LASTING * (near - this.#nearNormal);
    return likely + DEVIATIONS[weather] * RANGE_DEVIATIONS * spreadC;
  }

  /** Degree days of a time whose days have all been observed; null where days are missing. */
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

  /** Fading mean of the degrees of the days before `day`, as a mean of the use with the same memory has seen them. */
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
