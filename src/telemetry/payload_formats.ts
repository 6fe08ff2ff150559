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

/** A refused reading with what is needed to list it and to try it again. */
export interface RejectedPayload extends ReadingError {
  /** Null where the sender did not say which device it is. */
  deviceId: string | null;
  /** The reading as it was sent, to its first 4 KiB. */
  raw: Buffer;
  /** How `raw` is to be read, as declared by its source (see parseFormat). */
  format: string;
}

export interface ParsedPayload {
  readings: DeviceReading[];
  /** Each with its place among the readings of the sender. */
  rejections: (RejectedPayload & { index: number })[];
}

/** The body as a whole cannot be read; who sent it should hear so. */
export class UnparsableBody extends Error {}

export const MAX_READINGS_PER_BODY = 1_000;
export const MAX_DEVICE_PAYLOAD_BYTES = 65_536;
/** Of a reading that is refused; no reading that could be right is longer. */
const MAX_KEPT_BYTES = 4_096;

/** How a source writes its bodies: a name, and for its levels a field and unit where they differ from ours. */
export interface PayloadFormat {
  name: 'readings' | 'things-stack' | 'chirpstack';
  levelField?: LevelField;
}

const FORMAT_NAMES = ['readings', 'things-stack', 'chirpstack'] as const;
/** ChirpStack adds `event` to whatever address it is given. */
const PARAMETERS = new Set(['format', 'level', 'unit', 'event']);

/** What is wrong with one parameter of a declaration. */
export interface FormatError {
  param: string;
  code: 'unknown' | 'invalid' | 'missing';
  detail: string;
}

/** As declared in a query: `format=chirpstack&level=tank_level&unit=fraction`. Every mistake is named at once. */
export function parseFormat(query: URLSearchParams): PayloadFormat | { faults: readonly FormatError[] } {
  const faults: FormatError[] = [];
  for (const param of new Set([...query.keys()].map((given) => given.slice(0, 100)))) {
    if (PARAMETERS.has(param)) continue;
    faults.push({ param, code: 'unknown', detail: 'Not a parameter here; there are format, level, unit.' });
  }
  const name = FORMAT_NAMES.find((known) => known === (query.get('format') ?? 'readings'));
  if (name === undefined) {
    faults.push({ param: 'format', code: 'invalid', detail: `Must be one of ${FORMAT_NAMES.join(', ')}.` });
  }
  const [level, unitName] = [query.get('level'), query.get('unit')];
  const unit = LEVEL_UNITS.find((known) => known === unitName);
  if (level === null && unitName !== null) {
    faults.push({
      param: 'level',
      code: 'missing',
      detail: 'Goes with unit: the name of the field that has the level.',
    });
  }
  if (level !== null && !/^\P{Cc}{1,64}$/u.test(level)) {
    faults.push({ param: 'level', code: 'invalid', detail: 'Must be the name of a field, of 1 to 64 characters.' });
  }
  if (level !== null && unitName === null) {
    faults.push({ param: 'unit', code: 'missing', detail: `Goes with level: one of ${LEVEL_UNITS.join(', ')}.` });
  }
  if (unitName !== null && unit === undefined) {
    faults.push({ param: 'unit', code: 'invalid', detail: `Must be one of ${LEVEL_UNITS.join(', ')}.` });
  }
  if (name === undefined || faults.length > 0) return { faults };
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

/** What a device published under its own name: a reading or an array of them. Nothing is thrown: nobody would hear. */
export function parseDevicePayload(deviceId: string, payload: Uint8Array, receivedAtMs: number): ParsedPayload {
  const refuseAll = (code: 'malformed' | 'oversized', detail: string): ParsedPayload => ({
    readings: [],
    rejections: [
      { index: 0, code, detail, deviceId, raw: Buffer.from(payload.subarray(0, MAX_KEPT_BYTES)), format: '' },
    ],
  });
  if (payload.length > MAX_DEVICE_PAYLOAD_BYTES) {
    return refuseAll('oversized', `A message may have ${MAX_DEVICE_PAYLOAD_BYTES} bytes at most.`);
  }
  const sent = parseJson(payload);
  if (sent === undefined) return refuseAll('malformed', 'The message is not JSON.');
  const items: readonly unknown[] = Array.isArray(sent) ? sent : [sent];
  if (items.length > MAX_READINGS_PER_BODY) {
    return refuseAll('oversized', `A message may hold ${MAX_READINGS_PER_BODY} readings at most.`);
  }
  return judgeAll(items, () => deviceId, receivedAtMs, { name: 'readings' });
}

/** A body sent over HTTP by whoever speaks for many devices. */
export function parseBody(format: PayloadFormat, body: Uint8Array, receivedAtMs: number): ParsedPayload {
  const sent = parseJson(body);
  if (sent === undefined) throw new UnparsableBody('The body is not JSON.');
  if (!isObject(sent)) throw new UnparsableBody('The body must be a JSON object.');
  if (format.name !== 'readings') return readUplink(format, sent, receivedAtMs);
  const { readings } = sent;
  if (!Array.isArray(readings)) throw new UnparsableBody('The body must be {"readings": [...]}.');
  if (readings.length > MAX_READINGS_PER_BODY) {
    throw new UnparsableBody(`A body may hold ${MAX_READINGS_PER_BODY} readings at most, not ${readings.length}.`);
  }
  const items: readonly unknown[] = readings;
  return judgeAll(items, (item) => (isObject(item) ? item['device_id'] : undefined), receivedAtMs, format);
}

/**
 * One uplink of a LoRaWAN network server. The decoded payload is a reading, or holds several as `readings`; what does
 * not carry its own time happened when the network heard it. Other messages of the network server are no readings.
 */
function readUplink(format: PayloadFormat, sent: JsonObject, receivedAtMs: number): ParsedPayload {
  const uplink = format.name === 'chirpstack' ? chirpStackUplink(sent) : thingsStackUplink(sent);
  if (uplink === undefined) return { readings: [], rejections: [] };
  const { decoded, heardAt } = uplink;
  const items: readonly unknown[] = Array.isArray(decoded['readings']) ? decoded['readings'] : [decoded];
  const timed = items.map((item) => (isObject(item) ? { ...item, created_at: item['created_at'] ?? heardAt } : item));
  // Both spellings of a DevEUI are in use; on the device's label it is in capitals.
  const deviceId = typeof uplink.devEui === 'string' ? uplink.devEui.toUpperCase() : uplink.devEui;
  return judgeAll(timed, () => deviceId, receivedAtMs, { ...format, name: 'readings' });
}

interface Uplink {
  devEui: unknown;
  heardAt: string | undefined;
  decoded: JsonObject;
}

function thingsStackUplink(sent: JsonObject): Uplink | undefined {
  const { end_device_ids: ids, uplink_message: message } = sent;
  if (!isObject(message)) return undefined; // joins, acknowledgements, locations
  const { decoded_payload: decoded } = message;
  if (decoded === undefined && isForNetwork(message['frm_payload'], message['f_port'])) return undefined;
  if (!isObject(ids) || !isObject(decoded)) {
    throw new UnparsableBody('The uplink has no decoded_payload; add a payload formatter that returns the level.');
  }
  return { devEui: ids['dev_eui'], heardAt: networkTime(message['received_at'] ?? sent['received_at']), decoded };
}

function chirpStackUplink(sent: JsonObject): Uplink | undefined {
  const { deviceInfo: info, object: decoded } = sent;
  if ('integrationName' in sent) return undefined; // has an object too, of somebody else's making
  // Joins, acknowledgements and statuses too have none of these.
  if (decoded === undefined && isForNetwork(sent['data'], sent['fPort'])) return undefined;
  if (!isObject(info) || !isObject(decoded)) {
    throw new UnparsableBody('The uplink has no object; add a codec to the device profile that returns the level.');
  }
  return { devEui: info['devEui'], heardAt: networkTime(sent['time']), decoded };
}

/**
 * A device that only answers its network sends no payload, or one on port 0 (which JSON may leave out). ReadingError, it
 * would look like a fault of the webhook, and some servers switch off a webhook that fails often.
 */
const isForNetwork = (payload: unknown, port: unknown): boolean => !payload || !port;

const networkTime = (given: unknown): string | undefined => (typeof given === 'string' ? given : undefined);

function judgeAll(
  items: readonly unknown[],
  deviceOf: (item: unknown) => unknown,
  receivedAtMs: number,
  format: PayloadFormat,
): ParsedPayload {
  const understood: ParsedPayload = { readings: [], rejections: [] };
  items.forEach((item, index) => {
    const deviceId = deviceOf(item);
    const judged = parseReading(deviceId, item, { receivedAtMs, nowMs: receivedAtMs }, format.levelField);
    if (isReadingError(judged)) {
      understood.rejections.push({
        ...judged,
        index,
        deviceId: isDeviceId(deviceId) ? deviceId : null,
        raw: Buffer.from(writeJson(item)).subarray(0, MAX_KEPT_BYTES),
        format: formatName(format),
      });
    } else understood.readings.push(judged);
  });
  return understood;
}

/** Judges a refused reading again: what was wrong may be right by now. */
export function parseRejectedPayload(
  { deviceId, raw, format: declared }: Pick<RejectedPayload, 'deviceId' | 'raw' | 'format'>,
  receivedAtMs: number,
  nowMs: number,
): DeviceReading | ReadingError {
  const sent = parseJson(raw);
  const item: unknown = Array.isArray(sent) && sent.length === 1 ? sent[0] : sent;
  const format = parseFormat(new URLSearchParams(declared));
  if ('faults' in format) return { code: 'malformed', detail: format.faults.map(({ detail }) => detail).join(' ') };
  const device = deviceId ?? (isObject(item) ? item['device_id'] : undefined);
  return parseReading(device, item, { receivedAtMs, nowMs }, format.levelField);
}
