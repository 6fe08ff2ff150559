import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import { learnNormals, learnSpread } from '../evaluation/pure/estimator/normals.ts';
import { type PlaceFacts, type PlaceWeather, REMEMBERED_DAYS } from '../evaluation/pure/estimator/place_weather.ts';
import { MAX_WAITING_DAYS } from '../evaluation/pure/estimator/weather_model.ts';
import { decodePlaceWeather, encodePlaceWeather } from '../evaluation/weather_codec.ts';
import { DAY_MS } from '../values/time.ts';
import { offsetMs } from '../values/zoned_time.ts';

/** The number of forecast days that are used. After them, weather forecasts are not better than the normals. */
const MAX_USED_FORECAST_DAYS = 16;
/** The normals are learned from the last 5 years. */
const ARCHIVE_YEARS = 5;

export interface Place {
  no: number;
  timeZone: string;
  /** The normals; null if they must be learned. */
  normals: readonly number[] | null;
  spreadC: number | null;
  isNewDay: boolean;
}

interface TemperatureRow {
  day: number;
  kind: 'observed' | 'forecast';
  mean_c: number;
}

/**
 * Computes the weather of a place from its stored temperatures and stores it in the row of the place, so that forecasts do not read
 * temperatures. Returns null if the place has no temperatures yet.
 */
export async function computePlaceWeather(db: Db, place: Place, nowMs: number): Promise<PlaceWeather | null> {
  const offset = offsetMs(nowMs, place.timeZone);
  const today = Math.floor((nowMs + offset) / DAY_MS);
  const { rows } = await db.query<TemperatureRow>(
    `select distinct on (on_date) on_date - date '1970-01-01' as day, kind, mean_c from place_temperatures
     where place_no = $1 and kind in ('observed', 'forecast') and on_date >= date '1970-01-01' + $2::int
       and on_date < date '1970-01-01' + $3::int
     order by on_date, kind desc, issued_at desc`,
    // A tank may learn from a day up to 15 days late, and that day needs the weather of the 90 days before it.
    [place.no, today - REMEMBERED_DAYS - MAX_WAITING_DAYS - 1, today + MAX_USED_FORECAST_DAYS],
  );
  const { normals, spreadC } =
    place.isNewDay || place.spreadC === null ? await learnArchive(db, place.no, today) : place;
  const facts: PlaceFacts | null =
    rows.length === 0
      ? null
      : {
          temperatures: new Map(rows.map(({ day, mean_c }) => [day, mean_c])),
          observedBefore: observedBefore(rows, today),
          normals,
          spreadC: spreadC ?? 0,
          offsetMs: offset,
        };
  const encoded = facts && encodePlaceWeather(facts);
  await db.query(
    `update places set outlook = $2, known_until = date '1970-01-01' + $3::int, normals = $4, spread_c = $5
     where no = $1`,
    [place.no, encoded, rows.at(-1)?.day ?? null, normals, spreadC],
  );
  // The stored text is decoded, so that temperatures are rounded to tenths as for all readers.
  return encoded === null ? null : decodePlaceWeather(encoded);
}

/**
 * Returns the first day without an observation. A gap within the last 15 days may still be filled. Learning waits for it, so that the
 * result does not depend on the order in which observations arrive.
 */
function observedBefore(rows: readonly TemperatureRow[], today: number): number {
  const observed = new Set(rows.filter(({ kind }) => kind === 'observed').map(({ day }) => day));
  if (observed.size === 0) return 0;
  const first = Math.max(today - MAX_WAITING_DAYS, Math.min(...observed));
  let before = Math.max(...observed) + 1;
  for (let day = before - 1; day >= first; day--) if (!observed.has(day)) before = day;
  return before;
}

async function learnArchive(
  db: Db,
  placeNo: number,
  today: number,
): Promise<{ normals: number[] | null; spreadC: number }> {
  const { rows } = await db.query<{ is_normal: boolean; day: number; mean_c: number }>(
    `select distinct on (kind, on_date) kind = 'normal' as is_normal, on_date - date '1970-01-01' as day, mean_c
     from place_temperatures
     where place_no = $1 and (kind = 'normal' or kind = 'observed' and on_date >= date '1970-01-01' + $2::int)
     order by kind, on_date, issued_at desc`,
    [placeNo, today - ARCHIVE_YEARS * 365],
  );
  const archive = (isNormal: boolean): Map<number, number> =>
    new Map(rows.filter(({ is_normal }) => is_normal === isNormal).map(({ day, mean_c }) => [day, mean_c]));
  const observed = archive(false);
  const normals = learnNormals(archive(true), 12) ?? learnNormals(observed);
  return { normals, spreadC: learnSpread(observed, normals) };
}

/** Reads the places whose weather has changed, or was computed more than 20 hours ago. */
export async function duePlaces(db: Db): Promise<Place[]> {
  const { rows } = await db.query<{
    no: number;
    time_zone: string | null;
    normals: number[] | null;
    spread_c: number | null;
    is_new_day: boolean;
  }>(
    `select p.no, o.time_zone, p.normals, p.spread_c,
            coalesce(p.computed_at < now() - interval '20 hours', true) as is_new_day
     from places p join organizations o on o.no = p.organization_no
     where o.deleted_at is null
       and (p.computed_at is null or p.changed_at > p.computed_at or p.computed_at < now() - interval '20 hours')
     order by p.changed_at, p.no`,
  );
  return rows.map(({ no, time_zone, normals, spread_c, is_new_day }) => ({
    no,
    timeZone: time_zone ?? 'UTC',
    normals,
    spreadC: spread_c,
    isNewDay: is_new_day,
  }));
}

export async function databaseTime(db: Db): Promise<string> {
  const { rows } = await db.query<{ at: string }>('select clock_timestamp()::timestamptz(3) as at');
  return onlyRow(rows).at;
}
