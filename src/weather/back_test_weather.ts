import { INITIAL_SPREAD_C } from '../evaluation/pure/estimator/normals.ts';
import { PlaceWeather } from '../evaluation/pure/estimator/place_weather.ts';
import { UserError } from '../values/user_error.ts';
import type { FileTemperature } from './temperature_file.ts';

/**
 * Reads the weather of one place for a back-test: at each time, the earlier days count as observed, and `knownDays` days from the day of
 * that time on count as forecast.
 */
export async function backTestWeather(
  rows: AsyncIterable<FileTemperature[]>,
  knownDays: number,
): Promise<PlaceWeather> {
  const temperatures = new Map<number, number>();
  const places = new Set<string>();
  for await (const batch of rows) {
    for (const row of batch) {
      if ('error' in row) {
        const { column, problem } = row.error;
        throw new UserError(`the file of temperatures, line ${row.line}: ${column ?? 'row'}: ${problem}.`);
      }
      places.add(row.temperature.place);
      if (places.size > 1)
        throw new UserError(`the file of temperatures has several places, such as ${[...places].join(' and ')}.`);
      temperatures.set(row.temperature.day, row.temperature.meanC);
    }
  }
  const facts = { temperatures, observedBefore: 0, normals: null, spreadC: INITIAL_SPREAD_C, offsetMs: 0 };
  return new PlaceWeather(facts, knownDays);
}
