import { firstBytes, type ParsedPayload, type RawMessage, type ReadTimes } from '../telemetry/raw_message.ts';
import {
  checkReadingTime,
  type DeviceReading,
  isDeviceId,
  isReadingError,
  manualDeviceError,
  measureOf,
  parsePercentage,
  parseReadingTime,
  quote,
  type ReadingError,
} from '../telemetry/reading.ts';
import { parseJson, writeJson } from '../values/json.ts';
import { isManualDevice } from '../values/manual_device.ts';
import { MINUTE_MS } from '../values/time.ts';
import { decodeGaugeMessage, type GaugeMessage } from './profiles/decode_message.ts';
import type { GaugeProfile } from './profiles/profile.ts';
import type { GaugeReport } from './profiles/report.ts';
import { healthOf } from './reported_health.ts';
import type { GaugeSettings, OrganizationGauges, SelectedProfile } from './selection.ts';

const UNITS_PER_MM = 10;

/** Decodes a message by the profile that is selected for it. Undefined if there is none. It has no I/O and never throws. */
export function readByProfile(
  gauges: OrganizationGauges,
  message: RawMessage,
  times: ReadTimes,
): ParsedPayload | undefined {
  const selected = gauges.select(message);
  return selected && readMessage(selected, message, times);
}

export function readMessage(
  { profile, settings, mayNameDevices }: SelectedProfile,
  message: RawMessage,
  times: ReadTimes,
): ParsedPayload {
  const decoded = decodeGaugeMessage(profile, gaugeMessage(profile, message));
  const parsed: Required<ParsedPayload> = { readings: [], rejections: [], health: [] };
  let stored: ReturnType<RawMessage['rejectedAs']> | undefined;
  const reject = (index: number, deviceId: unknown, error: ReadingError, element?: unknown): void => {
    stored ??= message.rejectedAs();
    const raw = element === undefined ? stored.raw : firstBytes(writeJson(element));
    parsed.rejections.push({ ...error, index, deviceId: isDeviceId(deviceId) ? deviceId : null, ...stored, raw });
  };
  if (decoded.outcome === 'ignored') return parsed;
  if (decoded.outcome === 'unknown') {
    reject(0, message.deviceId, { code: 'malformed', detail: decoded.detail });
    return parsed;
  }
  const reports =
    message.isFromDevice === true && !mayNameDevices
      ? decoded.reports.map((report) => refuseOtherDevice(report, message.deviceId))
      : decoded.reports;
  for (const [index, report] of reports.entries()) {
    const device = report.deviceId ?? message.deviceId;
    const deviceId = report.channel === null || typeof device !== 'string' ? device : `${device}#${report.channel}`;
    const reading = toReading(deviceId, report, settings, message, times);
    if (reading === undefined) continue;
    if (!isReadingError(reading)) parsed.readings.push(reading);
    else reject(index, deviceId, reading, report.message);
  }
  parsed.health = healthOf(profile.profile, reports, message, times);
  return parsed;
}

/**
 * Adds a problem to a report that names another device than its sender. A device that reports for other devices, such as
 * a bridge, needs its own assignment.
 */
const refuseOtherDevice = (report: GaugeReport, senderId: unknown): GaugeReport =>
  report.deviceId === null || report.deviceId === senderId
    ? report
    : {
        ...report,
        deviceId: null,
        problem: `The message names the device ${quote(report.deviceId)}; assign the profile to the device that sends it, with device=..., so that it may name others.`,
      };

/** The part of a message that the profile reads: bytes, text or JSON. */
export function gaugeMessage({ input }: GaugeProfile, { port, payload, decoded }: RawMessage): GaugeMessage {
  const onPort = port === null || port === undefined ? {} : { port };
  if (input === 'bytes') return { ...onPort, bytes: payload };
  if (input === 'text') return { ...onPort, text: payload.toString('utf8') };
  return { ...onPort, json: decoded === undefined ? parseJson(payload) : decoded };
}

/** Undefined if the report has neither a reading nor an error: the health of a device, or an older reading without a time. */
function toReading(
  deviceId: unknown,
  report: GaugeReport,
  settings: GaugeSettings | null,
  message: RawMessage,
  times: ReadTimes,
): DeviceReading | ReadingError | undefined {
  const { measure, claimed, fault, problem } = report;
  if (report.age > 0 && !isWithinPeriod(report.age, settings)) return undefined;
  if (problem !== null) return { code: 'malformed', detail: problem };
  if (fault === null && measure === null && claimed === null) return undefined;
  if (!isDeviceId(deviceId))
    return {
      code: 'malformed_device',
      detail: `${quote(deviceId)} is not the id of a device; a message that does not name its device needs the parameter device.`,
    };
  if (isManualDevice(deviceId)) return manualDeviceError(deviceId);
  if (fault !== null) return { code: 'no_reading', detail: `The device could not measure: ${quote(fault)}.` };
  const atMs = timeOf(report, settings, message, times);
  if (typeof atMs !== 'number') return atMs;
  const measured = measure ? measureOf(measure.kind, measure.value * unitsOf(measure.kind)) : undefined;
  const level = levelOf(claimed);
  // An impossible percentage does not affect the measure.
  if (level !== null && typeof level === 'object' && isReadingError(level))
    return measured ? { deviceId, atMs, level: null, measure: measured } : level;
  if (measured) return { deviceId, atMs, level, measure: measured };
  return level === null
    ? { code: 'out_of_range', detail: 'The measured value is too large.' }
    : { deviceId, atMs, level };
}

const unitsOf = (kind: string): number => (kind === 'pressure' || kind === 'raw' ? 1 : UNITS_PER_MM);

function levelOf(claimed: GaugeReport['claimed']): DeviceReading['level'] | ReadingError {
  if (claimed === null) return null;
  const { unit, amount } = claimed;
  if (unit === 'percent') return parsePercentage(amount);
  return amount < 0 ? { code: 'out_of_range', detail: 'The volume must not be negative.' } : { amount, unit };
}

/**
 * Returns true if a reading of a message without times is newer than the previous message. Readings are `interval_minutes` apart, and
 * older ones are ignored. Two messages therefore never overlap, a repeated message has the same times, and a lost message stays a gap.
 */
const isWithinPeriod = (age: number, settings: GaugeSettings | null): boolean =>
  settings !== null && age * settings.interval_minutes < settings.period_minutes;

function timeOf(
  { time, age }: GaugeReport,
  settings: GaugeSettings | null,
  { receivedAt }: RawMessage,
  { receivedAtMs, nowMs }: ReadTimes,
): number | ReadingError {
  const atMs = parseReadingTime(time ?? receivedAt ?? receivedAtMs, nowMs);
  if (typeof atMs !== 'number' || age === 0) return atMs;
  const olderMs = atMs - age * (settings?.interval_minutes ?? 0) * MINUTE_MS;
  return checkReadingTime(olderMs, new Date(olderMs).toISOString(), nowMs);
}
