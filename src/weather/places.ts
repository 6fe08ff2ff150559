import type { Db, Tx } from '../db/pool.ts';
import { UserError } from '../values/user_error.ts';

export interface ListedPlace {
  place: string;
  postal_code: string | null;
  latitude: number | null;
  longitude: number | null;
  tanks: number;
  /** The number of tanks whose use follows the weather. */
  following: number;
  observed_until: string | null;
  forecast_until: string | null;
  /** When the newest forecast was issued. */
  issued_at: string | null;
  source: string | null;
  days_of_archive: number;
  normals: boolean;
}

/** Reads the places of an organization, with the age and the source of their weather. */
export async function listPlaces(db: Db, organizationNo: number, name: string | null = null): Promise<ListedPlace[]> {
  const { rows } = await db.query<ListedPlace>(
    `select p.name as place, p.postal_code, p.latitude, p.longitude,
            (select count(*) from tank_weather w where w.place_no = p.no) as tanks,
            (select count(*) from tank_weather w where w.place_no = p.no and w.share > 0) as following,
            t.observed_until, t.forecast_until, t.issued_at, t.source, t.days_of_archive, p.normals is not null as normals
     from places p
     cross join lateral (
       select max(on_date) filter (where kind = 'observed')::text as observed_until,
              max(on_date) filter (where kind = 'forecast')::text as forecast_until,
              max(issued_at) filter (where kind = 'forecast') as issued_at,
              (array_agg(source order by issued_at desc))[1] as source,
              count(distinct on_date) filter (where kind = 'observed') as days_of_archive
       from place_temperatures where place_no = p.no
     ) as t
     where p.organization_no = $1 and ($2::text is null or p.name = $2)
     order by p.name`,
    [organizationNo, name],
  );
  return rows;
}

export interface PlaceDay {
  date: string;
  kind: string;
  mean_c: number;
  issued_at: string;
  source: string;
}

/** Reads the temperatures that forecasts use for a place, from two weeks ago on. */
export async function listPlaceDays(db: Db, organizationNo: number, name: string): Promise<PlaceDay[]> {
  const { rows } = await db.query<PlaceDay>(
    `select distinct on (t.on_date) t.on_date::text as date, t.kind, t.mean_c, t.issued_at, t.source
     from places p join place_temperatures t on t.place_no = p.no
     where p.organization_no = $1 and p.name = $2 and t.kind <> 'normal' and t.on_date >= current_date - 14
     order by t.on_date, t.kind desc, t.issued_at desc`,
    [organizationNo, name],
  );
  return rows;
}

/** Chooses the place of a tank; null lets Tankwatch find it again. */
export async function choosePlace(tx: Tx, organizationNo: number, tankNo: number, name: string | null): Promise<void> {
  // The next run of the worker matches the tanks of the organization with places again, and computes the dates of this tank.
  await tx.query('update places set matched_at = null where organization_no = $1', [organizationNo]);
  if (name === null) {
    await tx.query('delete from tank_weather where tank_no = $1', [tankNo]);
    return;
  }
  const { rowCount } = await tx.query(
    `with place as (
       update places set changed_at = clock_timestamp() where organization_no = $1 and name = $3 returning no
     )
     insert into tank_weather (tank_no, place_no, matched_by) select $2, no, 'choice' from place
     on conflict (tank_no) do update set place_no = excluded.place_no, matched_by = 'choice'`,
    [organizationNo, tankNo, name],
  );
  if (rowCount === 0) throw unknownPlace(name);
}

export async function deletePlace(tx: Tx, organizationNo: number, name: string): Promise<void> {
  const { rowCount } = await tx.query('delete from places where organization_no = $1 and name = $2', [
    organizationNo,
    name,
  ]);
  if (rowCount === 0) throw unknownPlace(name);
}

export const unknownPlace = (name: string): UserError =>
  new UserError(`there is no place ${name} with weather; list them with: tankwatch weather list`);
