import type { ParsedPayload, RawMessage, ReadTimes } from '../telemetry/raw_message.ts';
import { isDeviceId, parseReadingTime } from '../telemetry/reading.ts';
import { parseTimeMs } from '../values/time.ts';
import { type GaugeReport, hasLevel } from './profiles/report.ts';

type Health = NonNullable<ParsedPayload['health']>[number];

/** The limits of stream_message.ts. Values beyond them are errors of the device and are ignored. */
const MAX_VALUE = 1e6;
const MAX_TEXT = 64;
const NUMBERS = [
  ['battery_v', 'battery_v'],
  ['battery_percent', 'battery_percent'],
  ['temperature_c', 'celsius'],
  ['rssi_dbm', 'rssi_dbm'],
  ['snr_db', 'snr_db'],
  ['signal_percent', 'signal_percent'],
] as const;

/** The newest health of each device of a message. The signal values of the network are used if the device sends none. */
export function healthOf(
  profile: string,
  reports: readonly GaugeReport[],
  message: RawMessage,
  { receivedAtMs, nowMs }: ReadTimes,
): Health[] {
  const newest = new Map<string, Health>();
  for (const report of reports) {
    const deviceId = report.deviceId ?? message.deviceId;
    if (report.age > 0 || report.problem !== null || !isDeviceId(deviceId)) continue;
    const atMs = parseReadingTime(report.time ?? message.receivedAt ?? receivedAtMs, nowMs);
    if (typeof atMs !== 'number') continue;
    const known = newest.get(deviceId);
    if (known !== undefined && known.at_ms > atMs) continue;
    // Several channels of a device report at the same time, so their values are merged.
    const before = known?.at_ms === atMs ? known : undefined;
    newest.set(deviceId, {
      ...before,
      device_id: deviceId.toWellFormed(),
      at_ms: atMs,
      profile,
      ...valuesOf(report, message),
    });
  }
  return [...newest.values()];
}

function valuesOf(report: GaugeReport, { rssiDbm, snrDb }: RawMessage): Partial<Health> {
  const { health, fault, nextTime } = report;
  const values: Partial<Health> = {};
  const sent = { rssi_dbm: rssiDbm, snr_db: snrDb, ...health };
  for (const [name, column] of NUMBERS) {
    const value = sent[name];
    // Rounded, because PostgreSQL refuses 1e-50 as a real.
    if (typeof value === 'number' && Math.abs(value) <= MAX_VALUE) values[column] = Math.round(value * 1e6) / 1e6;
  }
  const { battery_low: low, firmware } = health;
  if (low !== undefined) values.is_battery_low = low === true || low === 1;
  if (firmware !== undefined) values.firmware = textOf(firmware);
  const nextMs = typeof nextTime === 'string' ? parseTimeMs(nextTime) : undefined;
  if (nextMs !== undefined && nextMs >= 0 && nextMs <= Date.UTC(9999)) values.next_at_ms = nextMs;
  if (fault !== null) values.fault = textOf(fault);
  if (hasLevel(report)) values.has_level = true;
  return values;
}

const textOf = (value: string | number | boolean): string =>
  String(value)
    .replaceAll(/\p{Cc}/gu, '\uFFFD')
    .slice(0, MAX_TEXT)
    .toWellFormed();
