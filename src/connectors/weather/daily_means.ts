import { DAY_MS, HOUR_MS } from '../../values/time.ts';
import { offsetMs } from '../../values/zoned_time.ts';

export interface Measured {
  atMs: number;
  celsius: number;
}

/** A day with fewer measured hours has no mean. The Deutscher Wetterdienst uses the same number. */
const MIN_HOURS = 21;

/** The mean of each local day of the place, by its number since 1970. Each hour has the same weight. */
export function dailyMeans(measured: readonly Measured[], timeZone: string): Map<number, number> {
  const hours = Map.groupBy(measured, ({ atMs }) => Math.floor(atMs / HOUR_MS));
  const days = Map.groupBy(
    [...hours].map(([hour, values]) => ({ atMs: hour * HOUR_MS, celsius: meanOf(values) })),
    ({ atMs }) => localDay(atMs, timeZone),
  );
  return new Map(
    [...days].filter(([, values]) => values.length >= MIN_HOURS).map(([day, values]) => [day, meanOf(values)]),
  );
}

export const localDay = (atMs: number, timeZone: string): number =>
  Math.floor((atMs + offsetMs(atMs, timeZone)) / DAY_MS);

const meanOf = (values: readonly { celsius: number }[]): number =>
  values.reduce((sum, { celsius }) => sum + celsius, 0) / values.length;
