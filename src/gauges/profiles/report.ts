import type { MeasureKind } from '../../telemetry/reading.ts';
import type { FieldValue, NoValue } from './field_value.ts';
import { channelOf, type HealthName, isHealthName, isLevelName, LEVEL_NAMES } from './quantities.ts';

/** A measure of a gauge, in millimeters, pascals or its own numbers. */
export interface ReportedMeasure {
  kind: MeasureKind;
  value: number;
}

/** The level that a device has computed itself. */
interface ClaimedLevel {
  unit: 'percent' | 'liters' | 'gallons';
  amount: number;
}

/** One reading of a message, or the health of a device without a reading. */
export interface GaugeReport {
  /** Null if the sender of the message identifies the device. */
  deviceId: string | null;
  /** The channel of a device on several tanks; the id of the device on the tank is then `<device>#<channel>`. */
  channel: number | null;
  /** The time as it was sent; null for the time of arrival. */
  time: FieldValue;
  /** When the device will report again, as it was sent. */
  nextTime: FieldValue;
  /** 0 for the newest reading of a message without times, 1 for the one before it. */
  age: number;
  measure: ReportedMeasure | null;
  claimed: ClaimedLevel | null;
  /** Why the level cannot be used; null if it can. */
  fault: string | null;
  /** Why this part of the message cannot be read, although the profile knows the message; null if it can. */
  problem: string | null;
  /** A message with this part only, if the message is a list. */
  message?: unknown;
  health: Partial<Record<HealthName, Exclude<FieldValue, null>>>;
  /** Values that the profile decodes only for display. */
  others: Record<string, FieldValue>;
}

export const newReport = (age = 0): GaugeReport => ({
  deviceId: null,
  channel: null,
  time: null,
  nextTime: null,
  age,
  measure: null,
  claimed: null,
  fault: null,
  problem: null,
  health: {},
  others: {},
});

export const hasLevel = ({ measure, claimed }: GaugeReport): boolean => measure !== null || claimed !== null;

/** Collects the reports of one device, by channel. Values without a channel belong to the device. */
export class ReportBuilder {
  readonly device: GaugeReport;
  readonly #channels = new Map<number, GaugeReport>();

  constructor(age = 0) {
    this.device = newReport(age);
  }

  add(fullName: string, value: FieldValue | NoValue | undefined): void {
    if (value === undefined) return;
    const [name, channel] = channelOf(fullName);
    const report = channel === null ? this.device : this.#channel(channel);
    if (typeof value === 'object' && value !== null) {
      if (isLevelName(name)) report.fault ??= value.reason;
      return;
    }
    if (isLevelName(name)) return addLevel(report, name, value);
    if (name === 'fault') {
      if (typeof value === 'string') report.fault ??= value;
    } else if (name === 'time') report.time = value;
    else if (name === 'next_time') report.nextTime = value;
    else if (isHealthName(name)) {
      if (value === null) return;
      const amount = TEXT_NAMES.has(name) ? value : numberOf(name, value);
      if (name === 'temperature_f' && typeof amount === 'number')
        report.health.temperature_c = Math.round((amount - 32) * (500 / 9)) / 100;
      else report.health[name] = amount;
    } else report.others[name.slice(1)] = value;
  }

  /** One report for each channel, or one report of the device. */
  reports(): GaugeReport[] {
    if (this.#channels.size === 0) return [this.device];
    const { time, nextTime, fault, health, others } = this.device;
    return [...this.#channels.values()].map((report, index) => ({
      ...report,
      time: report.time ?? time,
      nextTime: report.nextTime ?? nextTime,
      fault: report.fault ?? fault,
      health: index === 0 ? { ...health, ...report.health } : report.health,
      others: index === 0 ? { ...others, ...report.others } : report.others,
    }));
  }

  #channel(channel: number): GaugeReport {
    const report = this.#channels.get(channel) ?? { ...newReport(this.device.age), channel };
    this.#channels.set(channel, report);
    return report;
  }
}

/** Some decoders write the unit after the number: "2799 mm". */
const NUMBER_WITH_UNIT = /^\s*([+-]?\d{1,12}(?:\.\d{1,9})?)\s*(\D{0,10})$/;
const UNITS: Readonly<Record<string, readonly string[]>> = {
  percent: ['%', 'percent'],
  fraction: [],
  raw: [],
  liters: ['l', 'liters', 'litres'],
  gallons: ['gal', 'gallons'],
  battery_percent: ['%', 'percent'],
  signal_percent: ['%', 'percent'],
  temperature_c: ['c', '°c'],
  temperature_f: ['f', '°f'],
};
/** The names of health values that are not numbers. */
const TEXT_NAMES: ReadonlySet<string> = new Set(['battery_low', 'firmware', 'alarm']);

const NOT_A_NUMBER = 'the level is not a number';

function addLevel(report: GaugeReport, name: keyof typeof LEVEL_NAMES, value: FieldValue): void {
  const number = numberOf(name, value);
  if (typeof number === 'string') {
    report.fault ??= number;
    return;
  }
  const [kind, factor] = LEVEL_NAMES[name];
  const amount = Math.round(number * factor * 1e4) / 1e4;
  if (!Number.isFinite(amount)) {
    report.fault ??= NOT_A_NUMBER;
    return;
  }
  if (kind === 'percent' || kind === 'liters' || kind === 'gallons') report.claimed ??= { unit: kind, amount };
  else report.measure ??= { kind, value: amount };
}

/** The number of a field, or the reason why there is none. */
function numberOf(name: string, value: FieldValue): number | string {
  if (value === null) return 'no reading';
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return NOT_A_NUMBER;
  const [, digits, unit = ''] = NUMBER_WITH_UNIT.exec(value) ?? [];
  if (digits === undefined) return value === '' ? 'no reading' : value;
  const units = UNITS[name] ?? [name.slice(name.indexOf('_') + 1)];
  const isOwnUnit = unit === '' || units.includes(unit.trim().toLowerCase());
  return isOwnUnit ? Number(digits) : `the level has the unit ${unit.trim()}, not that of ${name}`;
}
