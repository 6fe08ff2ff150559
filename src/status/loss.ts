import type { EventReading } from '../evaluation/pure/alerts/event_types.ts';
import { tenth } from '../values/tenth.ts';
import { formatIsoTime, HOUR_MS } from '../values/time.ts';
import { IS_LOSING_SQL } from './sections.ts';

/** A current loss, with the field names of the interface: from the reading before it up to the latest reading. */
export interface Loss {
  began_at: string;
  /** When the loss was last detected. */
  seen_at: string;
  from_percentage: number;
  to_percentage: number;
  /** The volume in the unit of the tank. */
  volume: number;
  percentage_per_hour: number;
  volume_per_hour: number;
  /** When the tank is empty at this rate. Null if it no longer loses gas. */
  empty_at: string | null;
}

/** The readings of the event of a loss: the one before it, and the one that proved it. */
export interface LossReadings {
  losing_seen_at: string | null;
  loss_readings: readonly EventReading[] | null;
}

export interface GaugeReadings {
  /** The readings of the event of an unreliable gauge. The first of them is the last reading that was accepted before it. */
  gauge_readings: readonly EventReading[] | null;
}

const readingsOfLatest = (type: string): string => `(
    select e.readings from events e
    where e.tank_no = f.tank_no and e.type = '${type}' and e.retracted_at is null
    order by e.occurred_at desc limit 1
  )`;

/**
 * The readings of two events, a loss and an unreliable gauge, for rows `f` of fleet_tanks. The state of a tank does not contain
 * them. Nearly all tanks have neither event: `case` costs nothing for them, and a lateral join would cost 2 us for each tank.
 */
export const EVENT_READING_COLUMNS = `case when ${IS_LOSING_SQL} then f.losing_seen_at end as losing_seen_at,
  case when ${IS_LOSING_SQL} then ${readingsOfLatest('tank.rapid_loss')} end as loss_readings,
  case when f.is_gauge_unreliable then ${readingsOfLatest('tank.gauge_unreliable')} end as gauge_readings`;

export interface ReadingFields {
  created_at: string;
  fill_percentage: number;
}

/** The columns of the latest reading; null if the tank has none. */
export interface LatestColumns {
  latest_at: string | null;
  latest_fill_percentage: number | null;
}

export const latestReading = ({ latest_at, latest_fill_percentage }: LatestColumns): ReadingFields | null =>
  latest_at === null || latest_fill_percentage === null
    ? null
    : { created_at: latest_at, fill_percentage: latest_fill_percentage };

/**
 * The loss of a tank at its latest reading, which may not be confirmed. It grows while it lasts, and its rate is the mean since it began.
 * After a delivery, the rate comes from the readings of the event only. Null if the tank loses nothing.
 */
export function lossOf(
  { losing_seen_at, loss_readings }: LossReadings,
  latest: ReadingFields | null,
  capacity: number,
): Loss | null {
  const began = loss_readings?.[0];
  const proof = loss_readings?.at(-1);
  if (losing_seen_at === null || began === undefined || proof === undefined || latest === null) return null;
  const to = latest.fill_percentage < began.fill_percentage ? latest : proof;
  const lost = Math.max(0, began.fill_percentage - to.fill_percentage);
  const hours = Math.max((Date.parse(to.created_at) - Date.parse(began.created_at)) / HOUR_MS, 1 / 60);
  const perHour = lost / hours;
  return {
    began_at: began.created_at,
    seen_at: losing_seen_at,
    from_percentage: began.fill_percentage,
    to_percentage: to.fill_percentage,
    volume: tenth((lost / 100) * capacity),
    percentage_per_hour: hundredth(perHour),
    volume_per_hour: tenth((perHour / 100) * capacity),
    empty_at:
      perHour === 0
        ? null
        : formatIsoTime(Math.round(Date.parse(latest.created_at) + (latest.fill_percentage / perHour) * HOUR_MS)),
  };
}

/** When the loss takes the tank to a level, in Unix milliseconds; null if it no longer loses gas. */
export function lossReachesMs({ empty_at }: Loss, latest: ReadingFields, fillPercentage: number): number | null {
  if (empty_at === null) return null;
  const atMs = Date.parse(latest.created_at);
  if (latest.fill_percentage <= fillPercentage) return atMs;
  const share = (latest.fill_percentage - fillPercentage) / latest.fill_percentage;
  return Math.round(atMs + share * (Date.parse(empty_at) - atMs));
}

const hundredth = (value: number): number => Math.round(value * 100) / 100;
