import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Reads } from '../db/readers.ts';
import type { DaysRange } from '../evaluation/pure/estimator/forecast.ts';
import { estimatedFields } from '../status/estimated_level.ts';
import { type LatestColumns, latestReading } from '../status/loss.ts';
import { type ProductColumns, productColumns, productFields } from '../status/product_fields.ts';
import { IS_LOSING_SQL } from '../status/sections.ts';
import { type TankStatus, tankStatus } from '../status/tank_status.ts';
import {
  TANK_WEATHER_COLUMNS,
  type TankWeatherColumns,
  tankWeatherJoins,
  tankWeatherOf,
} from '../status/weather_use.ts';
import { type CapacityUnit, toLiters } from '../values/capacity_unit.ts';
import { tenth } from '../values/tenth.ts';
import { DAY_MS } from '../values/time.ts';
import { zonedDate } from '../values/zoned_time.ts';
import { chanceOfEmpty } from './pure/rounds/chance_of_empty.ts';
import { DEFAULT_DELIVERY_DAYS, daysToNextVisit, type Weekday, weekdayOf } from './pure/rounds/next_visit.ts';
import type { RoundTank } from './pure/rounds/round_candidates.ts';

/**
 * The largest number of tanks that are evaluated for a proposal: 5 µs each. An organization with more proposes one city
 * after another.
 */
export const MAX_EVALUATED_TANKS = 4_000;
/** The number of tanks between two pauses in which other requests of the process are served. */
const PART_TANKS = 250;

interface Row extends LatestColumns, TankWeatherColumns, ProductColumns {
  tank_no: number;
  id: string;
  name: string;
  custom_id: string | null;
  city: string | null;
  latitude: number | null;
  longitude: number | null;
  capacity: number;
  capacity_unit: CapacityUnit;
  min_fill_alert_percentage: number;
  assigned_device_id: string;
  owner_id: string;
  owner_name: string;
  owner_phone: string | null;
  encoded_state: string | null;
  is_losing: boolean;
  is_gauge_unreliable: boolean;
  is_silent: boolean;
  weekdays: Weekday[] | null;
  planned_on: string | null;
}

/** The status of a tank for a round, at one time. */
export interface RoundTankStatus extends Omit<RoundTank, 'isCalled'> {
  no: number;
  name: string;
  customId: string | null;
  city: string | null;
  owner: { id: string; name: string; phone: string | null };
  /** Null without a forecast. */
  daysToEmpty: number | null;
  earliestDaysToEmpty: number | null;
  /** The latest reading, which is old if the device is silent. Null if there is none. */
  reading: { created_at: string; fill_percentage: number } | null;
  isLosing: boolean;
  isGaugeUnreliable: boolean;
  isSilent: boolean;
  /** The range of the level of a tank without a sensor, and the time of its last dip. Null for a tank with a sensor. */
  estimate: { low_percentage: number | null; high_percentage: number | null; last_dip_at: string | null } | null;
  /** True if the day of the round is a delivery day of the tank. */
  isVisited: boolean;
  /** The day of a stop on another round, from today until the day of this round. The stop is open or delivered. */
  plannedOn: string | null;
}

export interface TankSelection {
  organizationNo: number;
  /** Reads only these tanks; undefined for the most urgent ones. */
  tankIds?: readonly string[] | undefined;
  cities?: readonly string[] | undefined;
  date: string;
  timeZone: string;
  /** The round itself, whose stops count as not planned. */
  roundNo?: number | undefined;
  /** Whether to read `plannedOn`, which needs all stops of the organization up to the day of the round. */
  withPlanned?: boolean;
}

/**
 * The tanks that a round may visit, the most urgent first, with their chances. The order comes from an index of
 * fleet_tanks: (organization_no, threshold_on, ...) or, for cities, (organization_no, city, threshold_on, ...). Reads
 * at most MAX_EVALUATED_TANKS tanks. Batch tanks are not visited: trucks are loaded there.
 */
export async function readRoundTanks(
  readers: Reads,
  selection: TankSelection,
  nowMs: number,
): Promise<RoundTankStatus[]> {
  const { organizationNo, tankIds, cities, date, timeZone, roundNo, withPlanned = true } = selection;
  const rows = await readers.query<Row>(
    {
      text: `with chosen as materialized (
       select f.* from fleet_tanks f join tanks b on b.no = f.tank_no and not b.is_batch_tank
       where f.organization_no = $1 and ${tankIds === undefined ? '$2::uuid[] is null' : 'b.id = any ($2::uuid[])'}
         ${cities === undefined ? 'and $3::text[] is null' : 'and f.city = any ($3::text[])'}
       order by f.threshold_on, f.empty_on, f.tank_no limit ${MAX_EVALUATED_TANKS}
     ), planned as materialized (
       -- Reads a few rounds along rounds_by_date. A lookup for each tank would read all stops it ever had. Today's
       -- deliveries count too, because many gauges report them only tomorrow.
       select n.tank_no, min(r.date)::text as planned_on from rounds r join round_stops n on n.round_no = r.no
       where r.organization_no = $1 and r.date between $4 and $5 and r.no is distinct from $6
         and (n.is_open or n.said = 'delivered') and $7
       group by n.tank_no
     )
     select f.tank_no, i.id, i.name, i.custom_id, i.city, i.latitude, i.longitude, i.capacity, i.capacity_unit,
            i.min_fill_alert_percentage, ${productColumns('i')}, i.assigned_device_id, c.id as owner_id, c.name as owner_name, c.phone as owner_phone,
            s.latest_at, s.latest_fill_percentage, s.encoded_state,
            ${IS_LOSING_SQL} as is_losing, f.is_gauge_unreliable, f.is_silent, ${TANK_WEATHER_COLUMNS},
            coalesce(of_tank.weekdays, of_city.weekdays) as weekdays,
            planned.planned_on
     from chosen f
     left join planned on planned.tank_no = f.tank_no
     join tanks i on i.no = f.tank_no
     join customers c on c.no = f.owner_no
     left join tank_states s on s.tank_no = f.tank_no and s.latest_at > '-infinity'
     left join delivery_days of_tank on of_tank.tank_no = f.tank_no and cardinality(of_tank.weekdays) > 0
     left join delivery_days of_city
       on of_city.organization_no = f.organization_no and of_city.city = f.city and cardinality(of_city.weekdays) > 0
     ${tankWeatherJoins('f.tank_no')}
     order by f.threshold_on, f.empty_on, f.tank_no`,
    },
    [organizationNo, tankIds ?? null, cities ?? null, zonedDate(nowMs, timeZone), date, roundNo ?? null, withPlanned],
  );
  const statuses: RoundTankStatus[] = [];
  for (let from = 0; from < rows.length; from += PART_TANKS) {
    if (from > 0) await nextTurn();
    for (const row of rows.slice(from, from + PART_TANKS))
      statuses.push(roundTankStatus(row, { date, timeZone }, nowMs));
  }
  return statuses;
}

function roundTankStatus(row: Row, round: { date: string; timeZone: string }, nowMs: number): RoundTankStatus {
  const { id, name, latitude, longitude, capacity, capacity_unit: unit } = row;
  const { forecast, state, reading } = statusOf(row, nowMs);
  const { level_range: range, dip } = estimatedFields(state, row.assigned_device_id, nowMs);
  const weekdays = row.weekdays ?? DEFAULT_DELIVERY_DAYS;
  const days = forecast?.daysToEmpty;
  return {
    no: row.tank_no,
    id,
    name,
    customId: row.custom_id,
    city: row.city,
    owner: { id: row.owner_id, name: row.owner_name, phone: row.owner_phone },
    place: latitude === null || longitude === null ? null : { latitude, longitude },
    capacityLiters: toLiters(capacity, unit),
    contents: productFields(row),
    fillPercentage: forecast?.fillPercentage ?? null,
    daysToEmpty: days?.likely ?? null,
    earliestDaysToEmpty: earliestDays(row, days, nowMs),
    reading,
    chance: days === undefined ? null : chanceOfEmpty(days, daysToNextVisit(nowMs, round, weekdays)),
    isOrderDue: state !== null && state.orderDueAtMs !== null,
    isLosing: row.is_losing,
    isGaugeUnreliable: row.is_gauge_unreliable,
    isSilent: row.is_silent,
    estimate: dip && {
      low_percentage: range?.low_percentage ?? null,
      high_percentage: range?.high_percentage ?? null,
      last_dip_at: dip.last_at,
    },
    isVisited: weekdays.includes(weekdayOf(Date.parse(`${round.date}T00:00:00Z`))),
    plannedOn: row.planned_on,
  };
}

/**
 * The earliest days of a silent tank count from its last reading, as on the other pages: its use since then may have
 * been high, which the likely current level does not contain.
 */
function earliestDays(row: Row, days: DaysRange | undefined, nowMs: number): number | null {
  if (!row.is_silent || row.latest_at === null || days === undefined) return days?.earliest ?? null;
  const readAtMs = Date.parse(row.latest_at);
  const earliest = statusOf(row, readAtMs).forecast?.daysToEmpty.earliest ?? null;
  return earliest === null ? null : tenth(Math.max(0, earliest - (nowMs - readAtMs) / DAY_MS));
}

function statusOf(row: Row, nowMs: number): TankStatus<Row> {
  return tankStatus(
    {
      tank: row,
      owner: { id: row.owner_id, external_key: null, name: row.owner_name, phone: row.owner_phone },
      reading: latestReading(row),
      // Losing tanks are not offered, so their forecast does not matter.
      loss: null,
      lastReliable: null,
      section: null,
      encodedState: row.encoded_state,
      weather: tankWeatherOf(row),
    },
    nowMs,
  );
}
