import { isObject, type JsonObject, parseJson, writeJson } from '../values/json.ts';
import {
  type DeviceReading,
  isDeviceId,
  isReadingError,
  LEVEL_UNITS,
  type LevelField,
  parseReading,
  type ReadingError,
} from './reading.ts';

/** A rejected reading with everything that a replay needs. */
export interface RejectedPayload extends ReadingError {
  /** Null if the payload names no valid device. */
  deviceId: string | null;
  /** The first 4 KiB of the reading as it was sent. */
  raw: Buffer;
  /** The payload format of `raw`, as a query string (see parseFormat). */
  format: string;
}

export interface ParsedPayload {
  readings: DeviceReading[];
  /** The rejected readings, each with its index among the readings of the payload. */
  rejections: (RejectedPayload & { index: number })[];
}

/** The whole body cannot be parsed. The message is for the sender. */
export class UnparsableBodyError extends Error {}

export const MAX_READINGS_PER_BODY = 1_000;
export const MAX_DEVICE_PAYLOAD_BYTES = 65_536;
/** Limit for the stored part of a rejected reading. No valid reading is longer. */
const MAX_RAW_BYTES = 4_096;

/** How a source writes its payloads. `levelField` is set if the source uses another field or unit for the level. */
export interface PayloadFormat {
  name: 'readings' | 'things-stack' | 'chirpstack';
  levelField?: LevelField;
}

const FORMAT_NAMES = ['readings', 'things-stack', 'chirpstack'] as const;
/** ChirpStack appends `event` to the configured URL. */
const PARAMETERS = new Set(['format', 'level', 'unit', 'event']);

/** A problem with one query parameter. */
export interface FormatError {
  param: string;
  code: 'unknown' | 'invalid' | 'missing';
  detail: string;
}

/** Parses a query such as `format=chirpstack&level=tank_level&unit=fraction`. Reports all problems at once. */
export function parseFormat(query: URLSearchParams): PayloadFormat | { errors: readonly FormatError[] } {
  const errors: FormatError[] = [];
  for (const param of new Set([...query.keys()].map((key) => key.slice(0, 100)))) {
    if (PARAMETERS.has(param)) continue;
    errors.push({ param, code: 'unknown', detail: 'Unknown parameter; the parameters are format, level and unit.' });
  }
  const name = FORMAT_NAMES.find((candidate) => candidate === (query.get('format') ?? 'readings'));
  if (name === undefined) {
    errors.push({ param: 'format', code: 'invalid', detail: `Must be one of ${FORMAT_NAMES.join(', ')}.` });
  }
  const [level, unitName] = [query.get('level'), query.get('unit')];
  const unit = LEVEL_UNITS.find((candidate) => candidate === unitName);
  if (level === null && unitName !== null) {
    errors.push({
      param: 'level',
      code: 'missing',
      detail: 'Required with unit: the name of the field that holds the level.',
    });
  }
  if (level !== null && !/^\P{Cc}{1,64}$/u.test(level)) {
    errors.push({ param: 'level', code: 'invalid', detail: 'Must be a field name of 1 to 64 characters.' });
  }
  if (level !== null && unitName === null) {
    errors.push({ param: 'unit', code: 'missing', detail: `Required with level: one of ${LEVEL_UNITS.join(', ')}.` });
  }
  if (unitName !== null && unit === undefined) {
    errors.push({ param: 'unit', code: 'invalid', detail: `Must be one of ${LEVEL_UNITS.join(', ')}.` });
  }
  if (name === undefined || errors.length > 0) return { errors };
  return level === null || unit === undefined ? { name } : { name, levelField: { name: level, unit } };
}

export function formatName({ name, levelField }: PayloadFormat): string {
  const query = new URLSearchParams(name === 'readings' ? {} : { format: name });
  if (levelField) {
    query.set('level', levelField.name);
    query.set('unit', levelField.unit);
  }
  return query.toString();
}

/** Parses the payload of an MQTT device: a reading or an array of readings. It never throws: MQTT 3.1.1 has no error reply. */
export function parseDevicePayload(deviceId: string, payload: Uint8Array, receivedAtMs: number): ParsedPayload {
  const rejectAll = (code: 'malformed' | 'oversized', detail: string): ParsedPayload => ({
    readings: [],
    rejections: [
      { index: 0, code, detail, deviceId, raw: Buffer.from(payload.subarray(0, MAX_RAW_BYTES)), format: '' },
    ],
  });
  if (payload.length > MAX_DEVICE_PAYLOAD_BYTES) {
    return rejectAll(
      'oversized',
      `A payload may have at most ${MAX_DEVICE_PAYLOAD_BYTES} bytes; send fewer readings at once.`,
    );
  }
  const sent = parseJson(payload);
  if (sent === undefined) return rejectAll('malformed', 'The payload is not valid JSON.');
  const items: readonly unknown[] = Array.isArray(sent) ? sent : [sent];
  if (items.length > MAX_READINGS_PER_BODY) {
    return rejectAll('oversized', `A payload may hold at most ${MAX_READINGS_PER_BODY} readings.`);
  }
  return parseItems(items, () => deviceId, receivedAtMs, { name: 'readings' });
}

/** Parses the body of an HTTP request, which may hold readings of many devices. */
export function parseBody(format: PayloadFormat, body: Uint8Array, receivedAtMs: number): ParsedPayload {
  const sent = parseJson(body);
  if (sent === undefined) throw new UnparsableBodyError('The body is not valid JSON.');
  if (!isObject(sent)) throw new UnparsableBodyError('The body must be a JSON object.');
  if (format.name !== 'readings') return parseUplink(format, sent, receivedAtMs);
  const { readings } = sent;
  if (!Array.isArray(readings)) throw new UnparsableBodyError('The body must be {"readings": [...]}.');
  const items: readonly unknown[] = readings;
  checkCount(items);
  return parseItems(items, (item) => (isObject(item) ? item['device_id'] : undefined), receivedAtMs, format);
}

/**
 * Parses one uplink of a LoRaWAN network server. Its decoded payload is a reading, or holds several as `readings`. A
 * reading without a time gets the time at which the network received it. Other messages of the server are ignored.
 */
function parseUplink(format: PayloadFormat, sent: JsonObject, receivedAtMs: number): ParsedPayload {
  const uplink = format.name === 'chirpstack' ? chirpStackUplink(sent) : thingsStackUplink(sent);
  if (uplink === undefined) return { readings: [], rejections: [] };
  const { decoded, receivedAt } = uplink;
  const items: readonly unknown[] = Array.isArray(decoded['readings']) ? decoded['readings'] : [decoded];
  checkCount(items);
  const timed = items.map((item) =>
    isObject(item) ? { ...item, created_at: item['created_at'] ?? receivedAt } : item,
  );
  // Network servers use both cases for a DevEUI. The label of a device has upper case.
  const deviceId = typeof uplink.devEui === 'string' ? uplink.devEui.toUpperCase() : uplink.devEui;
  return parseItems(timed, () => deviceId, receivedAtMs, { ...format, name: 'readings' });
}

/** Limits the readings of one body in every format: half a million would block the gateway for seconds. */
function checkCount(items: readonly unknown[]): void {
  if (items.length <= MAX_READINGS_PER_BODY) return;
  throw new UnparsableBodyError(
    `A body may hold at most ${MAX_READINGS_PER_BODY} readings; this one has ${items.length}.`,
  );
}

interface Uplink {
  devEui: unknown;
  /** The time at which the network received the uplink. */
  receivedAt: string | undefined;
  decoded: JsonObject;
}

function thingsStackUplink(sent: JsonObject): Uplink | undefined {
  const { end_device_ids: ids, uplink_message: message } = sent;
  if (!isObject(message)) return undefined; // joins, acknowledgements, locations
  const { decoded_payload: decoded } = message;
  if (decoded === undefined && isForNetwork(message['frm_payload'], message['f_port'])) return undefined;
  if (!isObject(ids) || !isObject(decoded)) {
    throw new UnparsableBodyError('The uplink has no decoded_payload; add a payload formatter that returns the level.');
  }
  return { devEui: ids['dev_eui'], receivedAt: networkTime(message['received_at'] ?? sent['received_at']), decoded };
}

function chirpStackUplink(sent: JsonObject): Uplink | undefined {
  const { deviceInfo: info, object: decoded } = sent;
  if ('integrationName' in sent) return undefined; // an integration's event, which has another kind of object
  // Joins, acknowledgements and status events have no data either.
  if (decoded === undefined && isForNetwork(sent['data'], sent['fPort'])) return undefined;
  if (!isObject(info) || !isObject(decoded)) {
    throw new UnparsableBodyError(
      'The uplink has no object; add a codec to the device profile that returns the level.',
    );
  }
  return { devEui: info['devEui'], receivedAt: networkTime(sent['time']), decoded };
}

/**
 * A device that only answers its network sends no payload, or one on port 0 (which JSON may omit). Such an uplink is
 * accepted and ignored: some network servers disable a webhook that often gets errors.
 */
const isForNetwork = (payload: unknown, port: unknown): boolean => !payload || !port;

const networkTime = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function parseItems(
  items: readonly unknown[],
  deviceOf: (item: unknown) => unknown,
  receivedAtMs: number,
  format: PayloadFormat,
): ParsedPayload {
  const parsed: ParsedPayload = { readings: [], rejections: [] };
  items.forEach((item, index) => {
    const deviceId = deviceOf(item);
    const reading = parseReading(deviceId, item, { receivedAtMs, nowMs: receivedAtMs }, format.levelField);
    if (isReadingError(reading)) {
      parsed.rejections.push({
        ...reading,
        index,
        deviceId: isDeviceId(deviceId) ? deviceId : null,
        raw: Buffer.from(writeJson(item)).subarray(0, MAX_RAW_BYTES),
        format: formatName(format),
      });
    } else parsed.readings.push(reading);
  });
  return parsed;
}

/** Parses a rejected reading again for a replay. A time that was in the future may be valid now. */
export function parseRejectedPayload(
  { deviceId, raw, format: query }: Pick<RejectedPayload, 'deviceId' | 'raw' | 'format'>,
  receivedAtMs: number,
  nowMs: number,
): DeviceReading | ReadingError {
  const sent = parseJson(raw);
  const item: unknown = Array.isArray(sent) && sent.length === 1 ? sent[0] : sent;
  const format = parseFormat(new URLSearchParams(query));
  if ('errors' in format) return { code: 'malformed', detail: format.errors.map(({ detail }) => detail).join(' ') };
  const device = deviceId ?? (isObject(item) ? item['device_id'] : undefined);
  return parseReading(device, item, { receivedAtMs, nowMs }, format.levelField);
}
