import { phonesSql, type TankObject } from '../catalog/v1_columns.ts';
import type { Statement } from '../db/readers.ts';
import type { Phone } from '../values/phones.ts';
import { HANDLED_BITS_JOIN, HANDLING_COLUMNS, type HandlingColumns } from './handling.ts';
import { EVENT_READING_COLUMNS, type GaugeReadings, type LatestColumns, type LossReadings } from './loss.ts';
import { type PlannedDelivery, plannedDeliverySql } from './planned_delivery.ts';
import { type ProductColumns, productColumns } from './product_fields.ts';
import { type Section, sectionSql } from './sections.ts';
import { STATUS_CONDITIONS, TANK_STATUSES } from './tank_statuses.ts';
import { TANK_WEATHER_COLUMNS, type TankWeatherColumns, tankWeatherJoins } from './weather_use.ts';

/**
 * The columns of a tank status on the day `today` (an SQL expression), from the rows i, f, c, s and r of FROM. The location is not
 * built in PostgreSQL as in /v1, because a JSON object takes 5 us of the server for each tank.
 */
export const statusColumns = (
  today: string,
): string => `i.id, i.assigned_device_id, i.capacity, i.capacity_unit, i.created_at, i.custom_id,
  i.city, i.country, i.district, i.latitude, i.longitude, i.postal_code, i.region, i.street, i.street_number,
  i.min_fill_alert_percentage, i.order_threshold_percentage, i.external_key, ${productColumns('i')}, i.name, c.id as owner_id, i.updated_at, i.use_case,
  c.external_key as owner_external_key, c.name as owner_name, c.phone as owner_phone, ${phonesSql('c')} as owner_phones,
  s.latest_at, s.latest_fill_percentage, s.encoded_state,
  ${TANK_STATUSES.map((name) => `${STATUS_CONDITIONS[name]} as is_${name}`).join(',\n  ')},
  ${sectionSql(today)} as section, nullif(f.unusual_use_at, '-infinity') as unusual_use_at, ${EVENT_READING_COLUMNS}, ${TANK_WEATHER_COLUMNS}, ${HANDLING_COLUMNS},
  r.occurred_at as refilled_at, r.data -> 'delivered_volume' as delivered_volume,
  ${plannedDeliverySql('f.tank_no', today)} as planned_delivery`;

/** Joins the rows that `statusColumns` needs to rows `f` of fleet_tanks. */
export const STATUS_JOINS = `join tanks i on i.no = f.tank_no
  join customers c on c.no = f.owner_no
  left join tank_states s on s.tank_no = f.tank_no and s.latest_at > '-infinity'
  ${tankWeatherJoins('f.tank_no')}
  left join lateral (
    select e.occurred_at, e.data from events e
    where e.tank_no = f.tank_no and e.type = 'tank.refilled' and e.retracted_at is null
      and f.refilled_on > '-infinity'
    order by e.occurred_at desc limit 1
  ) as r on true
  ${HANDLED_BITS_JOIN}`;

/**
 * The statuses of tanks by their numbers, in the order of the numbers. A page finds the numbers first, so that this text is the same for
 * all filters and orders, and each connection plans it once (4 ms). The ordinality gives the order, so that PostgreSQL does not sort rows
 * of 60 columns, which took a fifth of its time. The scope is checked again, because a tank may have been sold since.
 */
export const STATUSES_OF_TANKS: Statement = {
  name: 'statuses_of_tanks',
  text: `select ${statusColumns('$4::date')}
    from unnest($3::int[]) with ordinality as page (tank_no, place) join fleet_tanks f on f.tank_no = page.tank_no ${STATUS_JOINS}
    where f.organization_no = $1 and ($2::int is null or f.owner_no = $2) order by page.place`,
};

type Location = TankObject['location'];

export interface TankStatusRow
  extends Omit<TankObject, 'object' | 'location'>,
    Location,
    ProductColumns,
    LossReadings,
    GaugeReadings,
    LatestColumns,
    TankWeatherColumns,
    HandlingColumns {
  owner_external_key: string | null;
  owner_name: string;
  owner_phone: string | null;
  owner_phones: Phone[];
  encoded_state: string | null;
  unusual_use_at: string | null;
  order_threshold_percentage: number | null;
  external_key: string | null;
  is_losing: boolean;
  is_low: boolean;
  is_gauge_unreliable: boolean;
  is_silent: boolean;
  is_soon: boolean;
  is_refilled: boolean;
  section: Section | null;
  refilled_at: string | null;
  delivered_volume: number | null;
  planned_delivery: PlannedDelivery | null;
}
