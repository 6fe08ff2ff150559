import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import { DAY_MS } from '../values/time.ts';
import type { Temperature } from './temperature_row.ts';

/** The largest number of temperatures per statement. More would hold the lock of the organization's places for too long. */
export const MAX_TEMPERATURES = 1_000;

const temperaturesJson = (temperatures: readonly Temperature[]): string =>
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

/**
 * Stores up to 1,000 temperatures. Returns the number of new or changed temperatures, which is 0 if the same temperatures are stored again.
 */
export async function storeTemperatures(
  db: Db,
  organizationNo: number,
  temperatures: readonly Temperature[],
): Promise<number> {
  const { rows } = await db.query<{ stored: number }>('select store_temperatures($1, $2::jsonb) as stored', [
    organizationNo,
    temperaturesJson(temperatures),
  ]);
  return onlyRow(rows).stored;
}

/**
 * Deletes forecasts that were issued more than 30 days ago. From forecasts that were issued more than a day ago, it keeps the last one
 * for each place, date and UTC day of issue.
 */
export async function deleteOldForecasts(db: Db): Promise<number> {
  const { rowCount } = await db.query(
    `delete from place_temperatures t
     where t.kind = 'forecast' and t.issued_at < now() - interval '1 day' and (
       t.issued_at < now() - interval '30 days' or exists (
         select from place_temperatures later
         where later.place_no = t.place_no and later.kind = 'forecast' and later.on_date = t.on_date
           and later.issued_at > t.issued_at and later.issued_at < date_trunc('day', t.issued_at, 'UTC') + interval '1 day'
       )
     )`,
  );
  return rowCount ?? 0;
}
