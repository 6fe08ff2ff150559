import { describeWaiting, minute, waitingFields } from '../evaluation/pure/alerts/waiting.ts';
import { type DaysRange, type Forecast, MAX_LEVEL_FORECAST_DAYS } from '../evaluation/pure/estimator/forecast.ts';
import { type EstimatedFields, estimatedFields } from '../status/estimated_level.ts';
import type { Loss, ReadingFields } from '../status/loss.ts';
import { type CatalogTank, roomTo, type TankStatus, usePerDay } from '../status/tank_status.ts';
import { describeWeather } from '../status/weather_use.ts';
import { BYTE_ORDER_MARK, csvLine } from '../values/csv.ts';
import { isManualDevice } from '../values/manual_device.ts';
import { fillToOf } from '../values/products.ts';
import { DAY_MS, HOUR_MS } from '../values/time.ts';

/** A tank of the refill list as a row of a table. */
export function refillTableRow(status: TankStatus, fillTo: number, nowMs: number): Record<string, unknown> {
  const { tank, owner, forecast, volumeLeft } = status;
  return {
    customer: owner.name,
    phone: owner.phone,
    place: describePlace(tank),
    custom_id: tank.custom_id,
    tank: tank.name,
    device: tank.assigned_device_id,
    capacity: `${tank.capacity} ${tank.capacity_unit}`,
    fill: describeFill(status),
    left: volumeLeft,
    [`room_to_${fillTo}`]: roomTo(status, fillToOf(status.tank, fillTo)),
    days_to_threshold: forecast && inDays(forecast, tank.min_fill_alert_percentage, forecast.daysToThreshold),
    days_to_empty: forecast && inDays(forecast, 0, forecast.daysToEmpty),
    reading_age: describeAge(status, nowMs),
    note: describeNote(status, nowMs),
  };
}

/** A tank of the refill list with all fields, for scripts. */
export function refillJson(
  status: TankStatus,
  fillTo: number,
  nowMs: number,
): Record<string, unknown> & EstimatedFields {
  const { tank, owner, reading, forecast, isLow, reason, volumeLeft } = status;
  return {
    tank_id: tank.id,
    tank: tank.name,
    device: tank.assigned_device_id,
    custom_id: tank.custom_id,
    use_case: tank.use_case,
    customer_id: owner.id,
    customer_external_key: owner.external_key,
    customer: owner.name,
    phone: owner.phone,
    street: tank.street,
    street_number: tank.street_number,
    district: tank.district,
    city: tank.city,
    region: tank.region,
    postal_code: tank.postal_code,
    country: tank.country,
    latitude: tank.latitude,
    longitude: tank.longitude,
    capacity: tank.capacity,
    capacity_unit: tank.capacity_unit,
    threshold_percentage: tank.min_fill_alert_percentage,
    fill_percentage: forecast?.fillPercentage ?? null,
    volume_left: volumeLeft,
    fill_to_percentage: fillToOf(status.tank, fillTo),
    room: roomTo(status, fillToOf(status.tank, fillTo)),
    is_low: isLow,
    section: status.section,
    loss: status.loss,
    last_believable: status.lastReliable,
    use_points_per_day: forecast?.usePointsPerDay ?? null,
    use_per_day: usePerDay(status),
    days_to_threshold: forecast?.daysToThreshold ?? null,
    days_to_empty: forecast?.daysToEmpty ?? null,
    as_of: forecast && new Date(forecast.asOfMs).toISOString(),
    reading_at: reading?.created_at ?? null,
    reading_age_hours: ageHours(status, nowMs),
    is_gauge_reliable: forecast?.isGaugeReliable ?? null,
    reason,
    waiting: status.waiting.map(waitingFields),
    weather: status.weather,
    ...estimateOf(status, nowMs),
  };
}

const estimateOf = ({ state, tank }: TankStatus, nowMs: number): EstimatedFields =>
  estimatedFields(state, tank.assigned_device_id, nowMs);

/**
 * The estimate, such as `estimated, 31 to 48; last manual reading 12 days ago; manual reading needed`; null for a tank
 * with a sensor.
 */
function describeEstimate(status: TankStatus, nowMs: number): string | null {
  const { level_range, dip } = estimateOf(status, nowMs);
  if (dip === null) return null;
  const days = dip.last_at === null ? null : Math.floor(Math.max(0, nowMs - Date.parse(dip.last_at)) / DAY_MS);
  return [
    level_range === null
      ? `no estimate: ${NO_ESTIMATE[dip.cannot_be_told ?? 'no_level']}`
      : `estimated, ${level_range.low_percentage} to ${level_range.high_percentage}`,
    ...(days === null ? [] : [`last manual reading ${days === 1 ? '1 day' : `${days} days`} ago`]),
    ...(dip.is_wanted ? ['manual reading needed'] : []),
  ].join('; ');
}

const NO_ESTIMATE = {
  no_level: 'no manual reading yet',
  no_comparison: 'too few tanks with sensors to compare with',
  irregular: 'turned off, because its use is irregular',
  too_old: 'the last manual reading is more than half a year old',
} as const;

/** The current status of the tank, and what it waits for. A tank that never reported has the reason `no reading yet`. */
export const statusFields = (status: TankStatus, { json }: { json?: boolean }): Record<string, unknown> => ({
  is_low: status.state === null ? null : status.isLow,
  is_gauge_reliable: status.forecast?.isGaugeReliable ?? null,
  reason: status.reason,
  estimate: json ? estimateOf(status, Date.now()) : describeEstimate(status, Date.now()),
  waiting: json ? status.waiting.map(waitingFields) : describeAllWaiting(status),
  weather: json ? status.weather : describeWeather(status.weather),
});

function describeAllWaiting({ waiting, reason, tank }: TankStatus): string | null {
  if (reason === 'no reading yet' && isManualDevice(tank.assigned_device_id))
    return 'waiting for the first manual reading';
  if (reason === 'no reading yet') return `waiting for the first reading of the device ${tank.assigned_device_id}`;
  return waiting.length === 0 ? null : waiting.map(describeWaiting).join('; ');
}

/** The refill list as CSV. An empty number of days is more than two years, or unknown. */
export function* refillCsv(
  statuses: readonly TankStatus[],
  {
    fillTo,
    nowMs,
    isSpreadsheetSafe,
    hasByteOrderMark,
  }: { fillTo: number; nowMs: number; isSpreadsheetSafe: boolean; hasByteOrderMark: boolean },
): Generator<string> {
  yield (hasByteOrderMark ? BYTE_ORDER_MARK : '') + csvLine(CSV_COLUMNS);
  for (const status of statuses) {
    const fields = refillJson(status, fillTo, nowMs);
    const { level_range, dip } = fields;
    const cells: Record<string, unknown> = {
      ...fields,
      ...rangeCells('days_to_threshold', status.forecast?.daysToThreshold),
      ...rangeCells('days_to_empty', status.forecast?.daysToEmpty),
      waiting: describeAllWaiting(status),
      level_low: level_range?.low_percentage,
      level_high: level_range?.high_percentage,
      last_dip_at: dip?.last_at,
      is_dip_wanted: dip?.is_wanted,
      loss: status.loss && describeLoss(status.loss, status, nowMs),
    };
    yield csvLine(
      CSV_COLUMNS.map((column) => cells[column]),
      { isSpreadsheetSafe },
    );
  }
}

const CSV_COLUMNS = `customer phone street street_number district city region postal_code country latitude longitude
  custom_id tank device use_case capacity capacity_unit threshold_percentage fill_percentage volume_left
  fill_to_percentage room use_per_day is_low days_to_threshold days_to_threshold_earliest days_to_threshold_latest
  days_to_empty days_to_empty_earliest days_to_empty_latest reading_at reading_age_hours reason waiting
  customer_external_key customer_id tank_id section loss source level_low level_high last_dip_at is_dip_wanted`.split(
  /\s+/,
);

const rangeCells = (name: string, range: DaysRange | undefined): Record<string, number | null | undefined> => ({
  [name]: range?.likely,
  [`${name}_earliest`]: range?.earliest,
  [`${name}_latest`]: range?.latest,
});

/** The address in one line, such as `Hidalgo 4, Celaya`; null if nothing is known. */
function describePlace({ street, street_number, district, city }: CatalogTank): string | null {
  const address = [street, street_number].filter((part) => part !== null).join(' ');
  const parts = [address, district, city].filter((part) => part !== null && part !== '');
  return parts.length === 0 ? null : parts.join(', ');
}

/** The estimated level, or the last reading if the current level is not known. */
function describeFill({ reading, forecast, reason }: TankStatus): string | number | null {
  if (reason === null) return forecast?.fillPercentage ?? null;
  return reading && `was ${reading.fill_percentage}`;
}

/** The days and their range, such as `8.2 (6.1 to 11.4)`, or `0` when the level is already reached. */
function inDays({ fillPercentage }: Forecast, target: number, { likely, earliest, latest }: DaysRange): string {
  if (fillPercentage <= target) return '0';
  const text = (count: number | null): string =>
    count === null ? `over ${MAX_LEVEL_FORECAST_DAYS}` : count.toFixed(1);
  if (earliest === latest) return text(likely);
  return `${text(likely)} (${text(earliest)} to ${text(latest)})`;
}

function ageHours({ reading }: TankStatus, nowMs: number): number | null {
  return reading && Math.max(0, Math.round((nowMs - Date.parse(reading.created_at)) / (HOUR_MS / 10)) / 10);
}

/** The age of the last reading, such as `3 h`, or `12 d` from two days on. */
function describeAge({ reading }: TankStatus, nowMs: number): string | null {
  if (reading === null) return null;
  const ageMs = Math.max(0, nowMs - Date.parse(reading.created_at));
  return ageMs < 2 * DAY_MS ? `${Math.floor(ageMs / HOUR_MS)} h` : `${Math.floor(ageMs / DAY_MS)} d`;
}

/** The loss in words, such as `losing 16.7 gallons an hour, 150 gallons so far, empty in about 10 h at this rate`. */
function describeLoss({ volume, volume_per_hour, empty_at }: Loss, { tank }: TankStatus, nowMs: number): string {
  const hours = empty_at === null ? null : Math.max(0, Math.round((Date.parse(empty_at) - nowMs) / HOUR_MS));
  const empty = hours === null ? 'the level no longer falls' : `empty in about ${hours} h at this rate`;
  return `losing ${volume_per_hour} ${tank.capacity_unit} an hour, ${volume} ${tank.capacity_unit} so far, ${empty}`;
}

/** The last reliable level in words, such as `last reliable level 52 %, at 2026-11-14 07:27 UTC`. */
const describeLastReliable = ({ fill_percentage, created_at }: ReadingFields): string =>
  `last reliable level ${fill_percentage} %, at ${minute(Date.parse(created_at))}`;

function describeNote(status: TankStatus, nowMs: number): string | null {
  const parts = [
    status.loss && describeLoss(status.loss, status, nowMs),
    status.reason === 'unclear' ? null : status.reason,
    describeEstimate(status, nowMs),
    status.lastReliable && describeLastReliable(status.lastReliable),
    describeAllWaiting(status),
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join('; ');
}
