import type { TankObject } from '../catalog/v1_columns.ts';
import { type WaitingFields, waitingFields } from '../evaluation/pure/alerts/waiting.ts';
import type { DaysRange } from '../evaluation/pure/estimator/forecast.ts';
import type { CapacityUnit } from '../values/capacity_unit.ts';
import { isManualDevice } from '../values/manual_device.ts';
import type { Phone } from '../values/phones.ts';
import type { Product } from '../values/products.ts';
import { DAY_MS, formatIsoTime } from '../values/time.ts';
import { type EstimatedFields, estimatedFields } from './estimated_level.ts';
import { type Audience, type Handling, handlingFor, sectionFor } from './handling.ts';
import { type Loss, latestReading, lossOf, lossReachesMs, type ReadingFields } from './loss.ts';
import type { PlannedDelivery } from './planned_delivery.ts';
import { productFields } from './product_fields.ts';
import type { Section } from './sections.ts';
import { type TankStatusRow } from './status_rows.ts';
import { decodeCurrentState, tankStatus, usePerDay, usualIntervalHours } from './tank_status.ts';
import { TANK_STATUSES, type TankStatusName } from './tank_statuses.ts';
import { tankWeatherOf, type WeatherUse } from './weather_use.ts';

interface ExpectedTimes {
  likely_at: string | null;
  earliest_at: string | null;
  latest_at: string | null;
}

/** A tank in /fleet/v1. */
export interface StatusObject extends EstimatedFields, Handling {
  object: 'tank_status';
  tank: TankObject;
  product: Product;
  fill_limit_percentage: number;
  has_own_limit: boolean;
  order_threshold_percentage: number | null;
  external_key: string | null;
  owner: { id: string; external_key: string | null; name: string; phone: string | null; phones: Phone[] };
  reading: { created_at: string; fill_percentage: number; is_confirmed: boolean } | null;
  status: TankStatusName[];
  section: Section | null;
  use_points_per_day: number | null;
  volume: { unit: CapacityUnit; left: number | null; use_per_day: number | null };
  threshold: ExpectedTimes | null;
  empty: ExpectedTimes | null;
  due_at: string | null;
  low_since: string | null;
  order_due_since: string | null;
  silent_since: string | null;
  usual_interval_hours: number | null;
  losing_seen_at: string | null;
  unusual_use_at: string | null;
  loss: Loss | null;
  gauge_unreliable_since: string | null;
  last_believable: ReadingFields | null;
  refilled: { at: string; delivered_volume: number } | null;
  planned_delivery: PlannedDelivery | null;
  waiting: WaitingFields[];
  weather: WeatherUse | null;
}

/**
 * The tank, its owner and its level at its latest reading. Forecasts are times and not numbers of days, because a time
 * does not change between two reads.
 */
export function statusObject(row: TankStatusRow, audience: Audience): StatusObject {
  const section = sectionFor(audience, row);
  const tank = tankObject(row);
  const owner = {
    id: tank.owner_id,
    external_key: row.owner_external_key,
    name: row.owner_name,
    phone: row.owner_phone,
    phones: row.owner_phones,
  };
  const reading = latestReading(row);
  const asOfMs = advancedToMsOf(row) ?? (row.latest_at === null ? 0 : Date.parse(row.latest_at));
  const loss = lossOf(row, reading, tank.capacity);
  const lastReliable = row.is_gauge_unreliable ? (row.gauge_readings?.[0] ?? null) : null;
  const weather = tankWeatherOf(row);
  const stored = { tank, owner, reading, loss, lastReliable, section, encodedState: row.encoded_state, weather };
  const status = tankStatus(stored, asOfMs);
  const { state, forecast, urgency } = status;
  const timesTo = (days: DaysRange | undefined, fillPercentage: number): ExpectedTimes | null => {
    if (loss === null || reading === null) return days === undefined ? null : times(days, asOfMs);
    const at = isoTime(lossReachesMs(loss, reading, fillPercentage));
    return { likely_at: at, earliest_at: at, latest_at: at };
  };
  const lowSince = state?.isLow ? isoTime(state.lowAtMs) : null;
  return {
    object: 'tank_status',
    tank,
    ...productFields(row),
    order_threshold_percentage: row.order_threshold_percentage,
    external_key: row.external_key,
    owner,
    reading: reading && { ...reading, is_confirmed: state !== null && state.outliers === null },
    status: TANK_STATUSES.filter((name) => row[`is_${name}` as const]),
    section,
    use_points_per_day: forecast?.usePointsPerDay ?? null,
    volume: { unit: tank.capacity_unit, left: status.volumeLeft, use_per_day: usePerDay(status) },
    threshold: timesTo(forecast?.daysToThreshold, tank.min_fill_alert_percentage),
    empty: timesTo(forecast?.daysToEmpty, 0),
    due_at: Number.isFinite(urgency.dueAtMs) ? isoTime(urgency.dueAtMs) : lowSince,
    low_since: lowSince,
    order_due_since: isoTime(state?.orderDueAtMs ?? null),
    silent_since: row.is_silent ? row.latest_at : null,
    usual_interval_hours: usualIntervalHours(state),
    losing_seen_at: row.losing_seen_at,
    unusual_use_at: row.unusual_use_at,
    loss,
    gauge_unreliable_since: row.is_gauge_unreliable ? isoTime(state?.gauge.sinceMs ?? null) : null,
    last_believable: lastReliable,
    refilled: row.refilled_at === null ? null : { at: row.refilled_at, delivered_volume: row.delivered_volume ?? 0 },
    planned_delivery: row.planned_delivery,
    waiting: status.waiting.map(waitingFields),
    weather: status.weather,
    ...estimatedFields(state, tank.assigned_device_id, asOfMs),
    ...handlingFor(audience, row),
  };
}

/** The time to which the estimate of a tank without a sensor was advanced. It is advanced once a day. */
const advancedToMsOf = ({ assigned_device_id, encoded_state }: TankStatusRow): number | undefined =>
  encoded_state !== null && isManualDevice(assigned_device_id)
    ? decodeCurrentState(encoded_state)?.dips?.advancedToMs
    : undefined;

/** The fields that decide the position of a tank in a page. */
export interface Ranked extends Pick<StatusObject, 'status' | 'empty' | 'due_at'> {
  loss: Pick<Loss, 'empty_at'> | null;
}

/**
 * Sorts the tanks of a page, the most urgent first. The fleet tables order by day, so that a reading rarely moves a tank;
 * within a page the hours count too, so that the order matches the times that are shown. Losing tanks and low tanks are
 * sorted by the time when they are empty. For a tank whose level is not known, the earliest time counts.
 */
export function sortByUrgency<Tank extends Ranked>(page: readonly Tank[], sort: 'urgency' | '-urgency'): Tank[] {
  const rankOf = ({ status }: Ranked): number => {
    if (status.includes('losing')) return 0;
    return status.includes('low') ? 1 : 2;
  };
  const emptyAt = ({ status, empty }: Ranked): string | null | undefined =>
    status.includes('silent') || status.includes('gauge_unreliable') ? empty?.earliest_at : empty?.likely_at;
  // Texts of times in UTC sort as the times do. A tank without a time comes last.
  const timeOf = (tank: Ranked, rank: number): string =>
    [tank.loss?.empty_at, emptyAt(tank), tank.due_at][rank] ?? NEVER;
  const direction = sort === 'urgency' ? 1 : -1;
  return page
    .map((tank) => {
      const rank = rankOf(tank);
      return { tank, rank, time: timeOf(tank, rank) };
    })
    .toSorted((a, b) => direction * (a.rank - b.rank || compareTexts(a.time, b.time)))
    .map(({ tank }) => tank);
}

/** Sorts after all texts of times. */
const NEVER = '~';

const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const times = ({ likely, earliest, latest }: DaysRange, asOfMs: number): ExpectedTimes => {
  const at = (days: number | null): string | null => (days === null ? null : isoTime(asOfMs + days * DAY_MS));
  return { likely_at: at(likely), earliest_at: at(earliest), latest_at: at(latest) };
};

const isoTime = (ms: number | null): string | null => (ms === null ? null : formatIsoTime(ms));

const tankObject = (row: TankStatusRow): TankObject => ({
  id: row.id,
  object: 'tank',
  assigned_device_id: row.assigned_device_id,
  capacity: row.capacity,
  capacity_unit: row.capacity_unit,
  created_at: row.created_at,
  custom_id: row.custom_id,
  location: {
    city: row.city,
    country: row.country,
    district: row.district,
    latitude: row.latitude,
    longitude: row.longitude,
    postal_code: row.postal_code,
    region: row.region,
    street: row.street,
    street_number: row.street_number,
  },
  min_fill_alert_percentage: row.min_fill_alert_percentage,
  name: row.name,
  owner_id: row.owner_id,
  updated_at: row.updated_at,
  use_case: row.use_case,
});
