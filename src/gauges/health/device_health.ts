import type { OrganizationHealth } from '../../telemetry/stream_message.ts';
import { median } from '../../values/statistics.ts';
import { DAY_MS, HOUR_MS } from '../../values/time.ts';

export type HealthReport = Omit<OrganizationHealth, 'organization_no' | 'device_id'>;

/** The known health of a device. The fields have the names of the columns. */
export interface DeviceHealth {
  at_ms: number;
  battery_v: number | null;
  battery_percent: number | null;
  celsius: number | null;
  rssi_dbm: number | null;
  snr_db: number | null;
  signal_percent: number | null;
  firmware: string | null;
  next_at_ms: number | null;
  profile: string | null;
  /** Why the device sends no level; null if it sends one. */
  fault: string | null;
  fault_since_ms: number | null;
  /** The first report with a low battery; null once a report has shown that the battery is no longer low. */
  low_from_ms: number | null;
  /** The latest report with a low battery. */
  low_at_ms: number | null;
  /** Since when the battery is low; null as long as no event has reported it. */
  battery_low_since_ms: number | null;
  /** The day of the last items of the lists, in days since 1970. */
  day: number;
  /** The highest battery of each day: percent, or volts if the device does not report percent. Null without a report. */
  battery_days: readonly (number | null)[];
  /** The latest signal of each day: dBm, which are below 0, or percent. */
  signal_days: readonly (number | null)[];
  is_signal_weak: boolean;
}

const LOW_BATTERY_PERCENT = 15;
/**
 * From this level on, a battery that was reported as low is no longer low. Between the two levels it stays low, because
 * cold lowers a level by some points for some hours.
 */
const GOOD_BATTERY_PERCENT = 25;
/** The time for which a device must report a low battery itself before there is an event. */
const LOW_BY_DEVICE_MS = 6 * HOUR_MS;
/** The time for which a percentage must be low before there is an event. Cold alone lowers it only until noon. */
const LOW_BY_PERCENT_MS = DAY_MS;
/** The battery of a device that reports no percentage is no longer low after this time without a report of a low battery. */
const GOOD_BY_DEVICE_MS = 3 * DAY_MS;

const BATTERY_DAYS = 90;
const SIGNAL_DAYS = 7;
const WEAK_DBM = -115;
const WEAK_PERCENT = 20;

/**
 * The row of a device is written at most once in this time if nothing important has changed, so that frequent reports
 * do not double the writes.
 */
const WRITE_AFTER_MS = HOUR_MS;

export interface FoldedReport {
  health: DeviceHealth;
  isToStore: boolean;
  event: 'device.battery_low' | 'device.battery_ok' | null;
}

/** Adds a report to the known health. A report that is not newer changes nothing. */
export function foldReport(known: DeviceHealth | null, report: HealthReport): FoldedReport {
  if (known !== null && report.at_ms <= known.at_ms) return { health: known, isToStore: false, event: null };
  const battery = judgeBattery(known, report);
  const days = addDay(known, report);
  // A report without a level and without a fault does not end a known fault.
  const fault = report.fault ?? (report.has_level ? null : (known?.fault ?? null));
  const health: DeviceHealth = {
    at_ms: report.at_ms,
    battery_v: report.battery_v ?? known?.battery_v ?? null,
    battery_percent: report.battery_percent ?? known?.battery_percent ?? null,
    celsius: report.celsius ?? known?.celsius ?? null,
    rssi_dbm: report.rssi_dbm ?? known?.rssi_dbm ?? null,
    snr_db: report.snr_db ?? known?.snr_db ?? null,
    signal_percent: report.signal_percent ?? known?.signal_percent ?? null,
    firmware: report.firmware ?? known?.firmware ?? null,
    next_at_ms: report.next_at_ms ?? null,
    profile: report.profile ?? known?.profile ?? null,
    fault,
    fault_since_ms: fault === null ? null : (known?.fault_since_ms ?? report.at_ms),
    ...battery.state,
    ...days,
    is_signal_weak: isWeak(days.signal_days),
  };
  return { health, isToStore: known === null || isWorthStoring(known, health), event: battery.event };
}

const isWorthStoring = (known: DeviceHealth, health: DeviceHealth): boolean =>
  health.at_ms - known.at_ms >= WRITE_AFTER_MS ||
  health.fault !== known.fault ||
  health.firmware !== known.firmware ||
  health.battery_low_since_ms !== known.battery_low_since_ms ||
  (health.low_from_ms === null) !== (known.low_from_ms === null);

type BatteryState = Pick<DeviceHealth, 'low_from_ms' | 'low_at_ms' | 'battery_low_since_ms'>;

function judgeBattery(
  known: DeviceHealth | null,
  { at_ms: atMs, is_battery_low: flag, battery_percent: percent }: HealthReport,
): { state: BatteryState; event: FoldedReport['event'] } {
  const before: BatteryState = {
    low_from_ms: known?.low_from_ms ?? null,
    low_at_ms: known?.low_at_ms ?? null,
    battery_low_since_ms: known?.battery_low_since_ms ?? null,
  };
  const isLow = flag === true || (percent !== undefined && percent <= LOW_BATTERY_PERCENT);
  if (!isLow && flag === undefined && percent === undefined) return { state: before, event: null };
  const isEpisode = before.battery_low_since_ms !== null;
  if (isLow) {
    const fromMs = before.low_from_ms ?? atMs;
    const begins = !isEpisode && atMs - fromMs >= (flag === true ? LOW_BY_DEVICE_MS : LOW_BY_PERCENT_MS);
    const since = begins ? fromMs : before.battery_low_since_ms;
    const state = { low_from_ms: fromMs, low_at_ms: atMs, battery_low_since_ms: since };
    return { state, event: begins ? 'device.battery_low' : null };
  }
  const isGood =
    percent === undefined ? atMs - (before.low_at_ms ?? atMs) >= GOOD_BY_DEVICE_MS : percent >= GOOD_BATTERY_PERCENT;
  if (isEpisode && !isGood) return { state: before, event: null };
  const state = { low_from_ms: null, low_at_ms: null, battery_low_since_ms: null };
  return { state, event: isEpisode ? 'device.battery_ok' : null };
}

type Days = Pick<DeviceHealth, 'day' | 'battery_days' | 'signal_days'>;

function addDay(known: DeviceHealth | null, report: HealthReport): Days {
  const day = Math.floor(report.at_ms / DAY_MS);
  const passed = known === null ? 1 : day - known.day;
  const extended = (days: readonly (number | null)[] | undefined, limit: number): (number | null)[] =>
    [...(days ?? []), ...Array.from({ length: Math.min(passed, limit) }, () => null)].slice(-limit);
  const battery_days = extended(known?.battery_days, BATTERY_DAYS);
  const signal_days = extended(known?.signal_days, SIGNAL_DAYS);
  const battery =
    report.battery_percent ?? (known?.battery_percent === null || known === null ? report.battery_v : undefined);
  if (battery !== undefined) battery_days[battery_days.length - 1] = Math.max(battery, battery_days.at(-1) ?? battery);
  const signal = report.rssi_dbm ?? report.signal_percent;
  if (signal !== undefined) signal_days[signal_days.length - 1] = signal;
  return { day, battery_days, signal_days };
}

/** The median signal of the week; null before the first report with a signal. */
export function usualSignal(days: readonly (number | null)[]): number | null {
  const known = days.filter((signal) => signal !== null);
  return known.length === 0 ? null : median(known);
}

function isWeak(days: readonly (number | null)[]): boolean {
  const signal = usualSignal(days);
  return signal !== null && signal <= (signal < 0 ? WEAK_DBM : WEAK_PERCENT);
}

const DAYS_PER_MONTH = 30.4;
/** A trend needs at least this many days with a battery level. */
const MIN_TREND_DAYS = 21;
/** A longer time than this is not predicted. */
const MAX_MONTHS = 24;

/**
 * The months until the battery is low, at the earliest and at the latest. Null if its fall is not clearer than its
 * variation, or if the device reports only volts, because the voltage of an empty battery is not known.
 */
export function monthsLeft({
  battery_percent,
  battery_days,
}: Pick<DeviceHealth, 'battery_percent' | 'battery_days'>): { min: number; max: number } | null {
  if (battery_percent === null) return null;
  const points = battery_days.flatMap((percent, day) => (percent === null ? [] : [{ day, percent }]));
  if (points.length < MIN_TREND_DAYS) return null;
  const n = points.length;
  const dayMean = points.reduce((sum, { day }) => sum + day, 0) / n;
  const percentMean = points.reduce((sum, { percent }) => sum + percent, 0) / n;
  const spread = points.reduce((sum, { day }) => sum + (day - dayMean) ** 2, 0);
  const slope = points.reduce((sum, { day, percent }) => sum + (day - dayMean) * (percent - percentMean), 0) / spread;
  const atLast = percentMean + slope * (battery_days.length - 1 - dayMean);
  const residual = Math.sqrt(
    points.reduce((sum, { day, percent }) => sum + (percent - percentMean - slope * (day - dayMean)) ** 2, 0) / (n - 2),
  );
  const error = (2 * residual) / Math.sqrt(spread);
  const left = Math.max(0, atLast - LOW_BATTERY_PERCENT);
  if (slope + error >= 0) return null;
  const months = (perDay: number): number => Math.min(MAX_MONTHS, Math.round(left / -perDay / DAYS_PER_MONTH));
  return { min: months(slope - error), max: months(slope + error) };
}
