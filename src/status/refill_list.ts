import { readTimeZone } from '../catalog/organizations.ts';
import type { Db } from '../db/pool.ts';
import { compareUrgency } from '../evaluation/pure/alerts/urgency.ts';
import { zonedDate } from '../values/zoned_time.ts';
import { HANDLED_BITS_JOIN } from './handling.ts';
import {
  EVENT_READING_COLUMNS,
  type GaugeReadings,
  type LatestColumns,
  type LossReadings,
  latestReading,
  lossOf,
} from './loss.ts';
import { plannedDeliverySql } from './planned_delivery.ts';
import { type ProductColumns, productColumns, productFields } from './product_fields.ts';
import { isWithinDaysSql, type Section, sectionSql } from './sections.ts';
import { type CatalogTank, type StoredTank, type TankOwner, type TankStatus, tankStatus } from './tank_status.ts';
import { TANK_WEATHER_COLUMNS, type TankWeatherColumns, tankWeatherJoins, tankWeatherOf } from './weather_use.ts';

export interface RefillSelection {
  organizationNo: number;
  /** Lists only this tank. */
  tankNo?: number | undefined;
  /** Lists only tanks in these cities. Upper and lower case are equal. */
  cities?: readonly string[] | undefined;
  useCase?: string | undefined;
  /**
   * Lists only tanks that reach their threshold within this many days, by the time zone of the organization, losing
   * tanks, and tanks without a forecast.
   */
  withinDays?: number | undefined;
  /** The largest number of tanks to return. */
  limit: number;
}

export interface RefillList {
  /** The most urgent tank first. */
  tanks: readonly TankStatus[];
  /** The number of selected tanks, including those beyond the limit. */
  total: number;
}

/**
 * Lists the tanks to refill next, the most urgent first (see urgency.ts), and tanks without a forecast last. `withinDays`
 * never excludes losing tanks and tanks without a forecast.
 */
export async function listTanksToRefill(db: Db, selection: RefillSelection, nowMs: number): Promise<RefillList> {
  const { limit } = selection;
  let tanks: TankStatus[] = [];
  let total = 0;
  for await (const { isWithinDays, ...stored } of storedTanks(db, selection, nowMs)) {
    const status = tankStatus(stored, nowMs);
    if (status.forecast !== null && status.loss === null && !isWithinDays) continue;
    total++;
    tanks.push(status);
    // Keeps the list short for an organization with 100,000 tanks.
    if (tanks.length >= 2 * limit + BATCH_TANKS) tanks = tanks.toSorted(compareTanks).slice(0, limit);
  }
  return { tanks: tanks.toSorted(compareTanks).slice(0, limit), total };
}

/** The status of one live tank; undefined if there is none with this number. */
export async function findTankStatus(
  db: Db,
  organizationNo: number,
  tankNo: number,
  nowMs: number,
): Promise<TankStatus | undefined> {
  const { tanks } = await listTanksToRefill(db, { organizationNo, tankNo, limit: 1 }, nowMs);
  return tanks[0];
}

/** The order of the list: the most urgent tank first. */
export const compareTanks = (a: TankStatus, b: TankStatus): number =>
  compareUrgency(a.urgency, b.urgency) ||
  Number(a.forecast === null) - Number(b.forecast === null) ||
  (a.forecast?.fillPercentage ?? 0) - (b.forecast?.fillPercentage ?? 0);

/** The number of rows per statement. Evaluating 1,000 takes about 10 ms. */
const BATCH_TANKS = 1_000;

interface StoredTankRow
  extends CatalogTank,
    ProductColumns,
    LossReadings,
    GaugeReadings,
    LatestColumns,
    TankWeatherColumns {
  no: number;
  created_at: string;
  owner_id: string;
  owner_external_key: string | null;
  owner_name: string;
  owner_phone: string | null;
  encoded_state: string | null;
  section: Section | null;
  planned_on: string | null;
  /** Null if the tank is missing in the fleet reads. */
  is_within_days: boolean | null;
}

interface SelectedTank extends StoredTank {
  isWithinDays: boolean;
}

/**
 * Reads the selected tanks in batches, in the order of the index tanks_in_order, so that each batch is one short scan. Their
 * sections and days come from the tables of the fleet reads, so that all lists agree.
 */
export async function* storedTanks(
  db: Db,
  { organizationNo, tankNo, cities, useCase, withinDays }: Omit<RefillSelection, 'limit'>,
  nowMs: number,
): AsyncGenerator<SelectedTank> {
  const today = zonedDate(nowMs, await readTimeZone(db, organizationNo));
  let after = { created_at: '-infinity', no: 0 };
  for (;;) {
    const { rows } = await db.query<StoredTankRow>(
      `select t.no, t.created_at, t.id, t.name, t.assigned_device_id, t.custom_id, t.use_case, t.capacity, t.capacity_unit,
              t.min_fill_alert_percentage, ${productColumns('t')}, t.street, t.street_number, t.district, t.city, t.region, t.postal_code,
              t.country, t.latitude, t.longitude, c.id as owner_id, c.external_key as owner_external_key,
              c.name as owner_name, c.phone as owner_phone, s.latest_at, s.latest_fill_percentage, s.encoded_state,
              ${sectionSql('$8::date')} as section, ${EVENT_READING_COLUMNS}, ${TANK_WEATHER_COLUMNS},
              ${plannedDeliverySql('t.no', '$8::date')} ->> 'date' as planned_on,
              $9::int is null or ${isWithinDaysSql('$8::date', '$9::int')} as is_within_days
       from tanks t
       join customers c on c.no = t.owner_no
       left join tank_states s on s.tank_no = t.no and s.latest_at > '-infinity'
       left join fleet_tanks f on f.tank_no = t.no
       ${HANDLED_BITS_JOIN}
       ${tankWeatherJoins('t.no')}
       where t.organization_no = $1 and t.deleted_at is null and (t.created_at, t.no) > ($2::timestamptz, $3::int)
         and ($4::int is null or t.no = $4) and ($5::text[] is null or lower(t.city) = any ($5))
         and ($6::text is null or t.use_case = $6)
       order by t.created_at, t.no limit $7`,
      [
        organizationNo,
        after.created_at,
        after.no,
        tankNo ?? null,
        cities?.map((city) => city.toLowerCase()) ?? null,
        useCase ?? null,
        BATCH_TANKS,
        today,
        withinDays ?? null,
      ],
    );
    for (const row of rows) yield toStoredTank(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH_TANKS) return;
    after = last;
  }
}

function toStoredTank(row: StoredTankRow): SelectedTank {
  const { no: _, created_at: __, owner_id, owner_external_key, owner_name, owner_phone, ...rest } = row;
  const { latest_at, latest_fill_percentage, encoded_state, section, planned_on, is_within_days, ...more } = rest;
  const { losing_seen_at, loss_readings, gauge_readings, ...others } = more;
  const { weather_share, weather_errors, weather_outlook, weather_place, weather_known_until, ...columns } = others;
  const tank = { ...columns, ...productFields(columns) };
  const weather = { weather_share, weather_errors, weather_outlook, weather_place, weather_known_until };
  const owner: TankOwner = { id: owner_id, external_key: owner_external_key, name: owner_name, phone: owner_phone };
  const reading = latestReading({ latest_at, latest_fill_percentage });
  return {
    tank,
    owner,
    reading,
    loss: lossOf({ losing_seen_at, loss_readings }, reading, tank.capacity),
    lastReliable: gauge_readings?.[0] ?? null,
    section,
    encodedState: encoded_state,
    weather: tankWeatherOf(weather),
    plannedOn: planned_on,
    isWithinDays: is_within_days ?? false,
  };
}
