import { INITIAL_SPREAD_C } from '../../src/evaluation/pure/estimator/normals.ts';
import { degreesBelow, PlaceWeather } from '../../src/evaluation/pure/estimator/place_weather.ts';
import { DAY_MS, type SeriesReading } from './series.ts';

/** Numbers from 0 to 1 that are the same in each run. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** 2025-10-01, as days since 1970. */
export const FIRST_DAY = Date.UTC(2025, 9, 1) / DAY_MS;

/** Daily means of a cold place: a winter, with spells of warm and cold days. */
export function winterTemperatures(days: number, seed = 7): Map<number, number> {
  const random = randomNumbers(seed);
  let spell = 0;
  return new Map(
    Array.from({ length: days }, (_, n) => {
      spell = 0.75 * spell + 6 * (random() - 0.5);
      const usual = 4 - 12 * Math.cos(((FIRST_DAY + n - 15) / 365.25) * 2 * Math.PI);
      return [FIRST_DAY + n, Math.round((usual + 2 * spell) * 10) / 10 + 0];
    }),
  );
}

interface House {
  readingsPerDay: number;
  /** Points a day, whatever the weather. */
  base: number;
  /** Points for each degree below 15 °C. */
  slope: number;
}

/** The readings of a tank that is filled to 85 % when it is below 20 %, at any hour of the day. */
export function houseReadings(
  temperatures: ReadonlyMap<number, number>,
  { readingsPerDay, base, slope }: House,
  seed = 3,
): SeriesReading[] {
  const random = randomNumbers(seed);
  const readings: SeriesReading[] = [];
  let fill = 80;
  for (const [day, celsius] of temperatures) {
    const use = (base + slope * degreesBelow(celsius)) * (0.85 + 0.3 * random());
    for (let n = 0; n < readingsPerDay; n++) {
      const noise = 0.3 * (random() - 0.5);
      readings.push({
        atMs: day * DAY_MS + ((n + 0.25) * DAY_MS) / readingsPerDay,
        fillPercentage: Math.round((fill + noise) * 10) / 10,
      });
      fill -= use / readingsPerDay;
      if (fill < 20) fill = 85;
    }
  }
  return readings;
}

/** The weather for a back-test: past days are observed, and `knownDays` are forecast. */
export const backTestWeather = (temperatures: ReadonlyMap<number, number>, knownDays = 7): PlaceWeather =>
  new PlaceWeather(
    { temperatures, observedBefore: 0, normals: null, spreadC: INITIAL_SPREAD_C, offsetMs: 0 },
    knownDays,
  );
