import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import type { Statement } from '../db/readers.ts';
import { DAY_MS } from '../values/time.ts';
import type { Temperature } from './temperature_row.ts';

/** More in one statement would hold the lock of the organization's places for long. */
export const MAX_TEMPERATURES = 1_000;

/** Stores up to 1,000 temperatures. Storing the same again changes nothing. */
export const STORE_TEMPERATURES: Statement = {
  name: 'store_temperatures',
  text: 'select store_temperatures($1, $2::jsonb) as stored',
};

export const temperaturesJson = (temperatures: readonly Temperature[]): string =>
  JSON.stringify(
    temperatures.map(({ place, postalCode, latitude, longitude, day, kind, meanC, issuedAtMs, source }) => ({
      place,
      postal_code: postalCode,
      latitude,
      longitude,
      date: new Date(day * DAY_MS).toISOString().slice(0, 10),
      kind,
      mean_c: meanC,
      issued_at: new Date(issuedAtMs).toISOString(),
      source,
    })),
  );

/** Returns the number of temperatures that are new or have changed. */
export async function storeTemperatures(
  db: Db,
  organizationNo: number,
  temperatures: readonly Temperature[],
): Promise<number> {
  const { rows } = await db.query<{ stored: number }>(STORE_TEMPERATURES.text, [
    organizationNo,
    temperaturesJson(temperatures),
  ]);
  return onlyRow(rows).stored;
}
