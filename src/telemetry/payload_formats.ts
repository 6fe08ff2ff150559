import { isObject, type JsonObject, parseJson, writeJson } from '../values/json.ts';
import { describeUplink, type NetworkUplink, readUplink, type UplinkFormat, writeUplink } from './network_uplink.ts';
import {
  type DeviceReading,
  isDeviceId,
  isReadingError,
  LEVEL_UNITS,
  type LevelField,
  parseReading,
  type ReadingError,
  type RejectedPayload,
} from './reading.ts';
import type { OrganizationHealth } from './stream_message.ts';

export interface ParsedPayload {
  readings: DeviceReading[];
  /** The rejected readings, each with its index among the readings of the payload. */
  rejections: (RejectedPayload & { index: number })[];
  /** What devices said about themselves. */
  health?: Omit<OrganizationHealth, 'organization_no'>[];
}

/** A message as a device sent it, which a profile of a gauge may read. */
export interface RawMessage {
  /** The device that the sender names. The message itself may name others. */
  deviceId: unknown;
  /** Names by which an organization selects the profile. */
  model?: string | null;
  application?: string | null;
  topic?: string | null;
  /** The profile, if the sender names it. */
  profile?: string;
  port?: number | null;
  payload: Buffer;
  /** What another decoder made of the payload. */
  decoded?: unknown;
  /** When a network received the message. */
  receivedAt?: string | undefined;
  rssiDbm?: number | null;
  snrDb?: number | null;
  /** The sender is a device, and not a system that may name any device. */
  isFromDevice?: boolean;
  /** How the message is stored if it is rejected. */
  rejectedAs: () => { raw: Buffer; format: string };
}

export interface ReadTimes {
  receivedAtMs: number;
  nowMs: number;
}

/** Reads a message by the profile that the organization has selected for it. Returns undefined if there is none. */
export type ReadByProfile = (message: RawMessage, times: ReadTimes) => ParsedPayload | undefined;
const WITHOUT_PROFILES: ReadByProfile = () => undefined;

/** The whole body cannot be parsed. The message is for the sender. */
export class UnparsableBodyError extends Error {}

export const MAX_READINGS_PER_BODY = 1_000;
export const MAX_DEVICE_PAYLOAD_BYTES = 65_536;
/** Limit for the stored part of a rejected reading. No valid reading is longer. */
const MAX_RAW_BYTES = 4_096;

/** How a source writes its payloads. `levelField` is set if the source uses another field or unit for the level. */
export interface PayloadFormat {
  name: 'readings' | UplinkFormat;
  levelField?: LevelField;
  /** The profile that reads the body, instead of a format. */
  profile?: string;
  /** The device, if the body does not name it. */
  deviceId?: string;
}

const FORMAT_NAMES = ['readings', 'things-stack', 'chirpstack', 'uplink'] as const;
/** ChirpStack appends `event` to the configured URL. */
const PARAMETERS = new Set(['format', 'level', 'unit', 'profile', 'device', 'event']);

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
    errors.push({
      param,
      code: 'unknown',
      detail: 'Unknown parameter; the parameters are format, level, unit, profile and device.',
    });
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
  const [profile, device] = [query.get('profile'), query.get('device')];
  if (profile !== null && !/^[a-z0-9-]{1,64}$/.test(profile)) {
    errors.push({ param: 'profile', code: 'invalid', detail: 'Must be the name of a profile, such as otodata-neevo.' });
  }
  if (profile !== null && (query.has('format') || level !== null)) {
    errors.push({ param: 'profile', code: 'invalid', detail: 'A profile takes the place of format, level and unit.' });
  }
  if (device !== null && (profile === null || !isDeviceId(device))) {
    errors.push({ param: 'device', code: 'invalid', detail: 'Must be the id of a device, and needs profile.' });
  }
  if (name === undefined || errors.length > 0) return { errors };
  if (profile !== null) return { name, profile, ...(device !== null && { deviceId: device }) };
  return level === null || unit === undefined ? { name } : { name, levelField: { name: level, unit } };
}

export function formatName({ name, levelField, profile, deviceId }: PayloadFormat): string {
  const query = new URLSearchParams(name === 'readings' ? {} : { format: name });
  if (levelField) {
    query.set('level', levelField.name);
    query.set('unit', levelField.unit);
  }
  if (profile !== undefined) query.set('profile', profile);
  if (deviceId !== undefined) query.set('device', deviceId);
  return query.toString();
}

/**
 * Parses the payload of an MQTT device: by its profile, or as a reading or an array of readings. It never throws: MQTT 3.1.1 has no
 * error reply.
 */
export function parseDevicePayload(
  deviceId: string,
  payload: Uint8Array,
  receivedAtMs: number,
  { byProfile = WITHOUT_PROFILES, topic = null }: { byProfile?: ReadByProfile; topic?: string | null } = {},
): ParsedPayload {
  const rejectAll = (code: 'malformed' | 'oversized', detail: string): ParsedPayload => ({
    readings: [],
    rejections: [{ index: 0, code, detail, deviceId, raw: firstBytes(payload), format: '' }],
  });
  if (payload.length > MAX_DEVICE_PAYLOAD_BYTES) {
    return rejectAll(
      'oversized',
      `A payload may have at most ${MAX_DEVICE_PAYLOAD_BYTES} bytes; send fewer readings at once.`,
    );
  }
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  const times = { receivedAtMs, nowMs: receivedAtMs };
  const rejectedAs = () => rejectedBytes(bytes, messageFormat(deviceId, topic));
  const read = byProfile({ deviceId, isFromDevice: true, topic, payload: bytes, rejectedAs }, times);
  if (read !== undefined) return read;
  const sent = parseJson(payload);
  if (sent === undefined) {
    return rejectAll('malformed', 'The payload is not valid JSON, and no profile is assigned to the device.');
  }
  const items: readonly unknown[] = Array.isArray(sent) ? sent : [sent];
  if (items.length > MAX_READINGS_PER_BODY) {
    return rejectAll('oversized', `A payload may hold at most ${MAX_READINGS_PER_BODY} readings.`);
  }
  return parseItems(items, () => deviceId, times, { name: 'readings' });
}

/**
 * A message over MQTT that a profile has read. Only stored: no sender can name this format. The device and the topic are those by
 * which a replay selects the profile again; the rejected reading may name another device, or none.
 */
const messageFormat = (device: string, topic: string | null): string =>
  new URLSearchParams({ format: 'message', device, ...(topic !== null && { topic }) }).toString();

/** What is stored of a rejected payload: a copy, which does not keep the rest of a large body in memory. */
export const firstBytes = (payload: string | Uint8Array): Buffer =>
  typeof payload === 'string'
    ? Buffer.from(payload.slice(0, MAX_RAW_BYTES)).subarray(0, MAX_RAW_BYTES)
    : Buffer.from(payload.subarray(0, MAX_RAW_BYTES));

/** The first bytes. A replay selects the profile again, unless the sender has named it. */
const rejectedBytes = (payload: Buffer, format: string): { raw: Buffer; format: string } => ({
  raw: firstBytes(payload),
  format,
});

/** Parses the body of an HTTP request, which may hold readings of many devices. */
export function parseBody(
  format: PayloadFormat,
  body: Buffer,
  receivedAtMs: number,
  byProfile: ReadByProfile = WITHOUT_PROFILES,
): ParsedPayload {
  const times = { receivedAtMs, nowMs: receivedAtMs };
  if (format.profile !== undefined) return parseByNamedProfile(format, body, times, byProfile);
  const sent = parseJson(body);
  if (sent === undefined) throw new UnparsableBodyError('The body is not valid JSON.');
  if (!isObject(sent)) throw new UnparsableBodyError('The body must be a JSON object.');
  if (format.name !== 'readings') return parseUplink(format, format.name, sent, times, byProfile);
  const { readings } = sent;
  if (!Array.isArray(readings)) throw new UnparsableBodyError('The body must be {"readings": [...]}.');
  const items: readonly unknown[] = readings;
  checkCount(items);
  return parseItems(items, (item) => (isObject(item) ? item['device_id'] : undefined), times, format);
}

function parseByNamedProfile(
  format: PayloadFormat,
  payload: Buffer,
  times: ReadTimes,
  byProfile: ReadByProfile,
): ParsedPayload {
  const { profile = '', deviceId } = format;
  const read = byProfile(
    { deviceId, profile, payload, rejectedAs: () => rejectedBytes(payload, formatName(format)) },
    times,
  );
  if (read === undefined) {
    throw new UnparsableBodyError(`There is no profile ${profile}; GET /manage/v1/gauge-profiles lists them.`);
  }
  return read;
}

/**
 * Parses one uplink of a LoRaWAN network server: its bytes, if a profile is selected for the device, or what the server has
 * decoded. That is a reading, or holds several as `readings`. A reading without a time gets the time at which the network
 * received it. Other messages of the server are ignored.
 */
function parseUplink(
  format: PayloadFormat,
  name: UplinkFormat,
  sent: JsonObject,
  times: ReadTimes,
  byProfile: ReadByProfile,
): ParsedPayload {
  const uplink = readUplink(name, sent);
  if (uplink === undefined) return { readings: [], rejections: [] };
  const { deviceId, decoded, receivedAt } = uplink;
  /** The whole uplink: a profile that is assigned later can read it. */
  const rejectedAs = (item: unknown = decoded): { raw: Buffer; format: string } => ({
    raw: firstBytes(writeJson(writeUplink({ ...uplink, decoded: item }))),
    format: formatName({ ...format, name: 'uplink' }),
  });
  const read = byProfile({ ...uplink, payload: uplink.bytes, rejectedAs }, times);
  if (read !== undefined) return read;
  if (!isObject(decoded)) return { readings: [], rejections: [{ ...undecoded(uplink), ...rejectedAs() }] };
  const items: readonly unknown[] = Array.isArray(decoded['readings']) ? decoded['readings'] : [decoded];
  checkCount(items);
  const timed = items.map((item) =>
    isObject(item) ? { ...item, created_at: item['created_at'] ?? receivedAt } : item,
  );
  const parsed = parseItems(timed, () => deviceId, times, { ...format, name: 'readings' });
  if (uplink.bytes.length === 0) return parsed;
  const isOfBytes = ({ code }: ReadingError): boolean => code === 'malformed' || code === 'malformed_level';
  return {
    ...parsed,
    rejections: parsed.rejections.map((rejection) =>
      isOfBytes(rejection) ? { ...rejection, ...rejectedAs(timed[rejection.index]) } : rejection,
    ),
  };
}

function undecoded(uplink: NetworkUplink): ReadingError & { index: number; deviceId: string | null } {
  const { deviceId } = uplink;
  return {
    index: 0,
    code: isDeviceId(deviceId) ? 'malformed' : 'malformed_device',
    detail: `No profile reads this uplink (${describeUplink(uplink)}), and the network server has not decoded it; assign a profile, then replay the reading.`,
    deviceId: isDeviceId(deviceId) ? deviceId : null,
  };
}

/** Limits the readings of one body in every format: half a million would block the gateway for seconds. */
function checkCount(items: readonly unknown[]): void {
  if (items.length <= MAX_READINGS_PER_BODY) return;
  throw new UnparsableBodyError(
    `A body may hold at most ${MAX_READINGS_PER_BODY} readings; this one has ${items.length}.`,
  );
}

function parseItems(
  items: readonly unknown[],
  deviceOf: (item: unknown) => unknown,
  times: ReadTimes,
  format: PayloadFormat,
): ParsedPayload {
  const parsed: ParsedPayload = { readings: [], rejections: [] };
  items.forEach((item, index) => {
    const deviceId = deviceOf(item);
    const reading = parseReading(deviceId, item, times, format.levelField);
    if (isReadingError(reading)) {
      parsed.rejections.push({
        ...reading,
        index,
        deviceId: isDeviceId(deviceId) ? deviceId : null,
        raw: firstBytes(writeJson(item)),
        format: formatName(format),
      });
    } else parsed.readings.push(reading);
  });
  return parsed;
}

/** Parses a rejected reading again for a replay. A time that was in the future may be valid now, and a profile may be assigned. */
export function parseRejectedPayload(
  { deviceId, code, raw, format: query }: Pick<RejectedPayload, 'deviceId' | 'code' | 'raw' | 'format'>,
  times: ReadTimes,
  byProfile: ReadByProfile = WITHOUT_PROFILES,
): ParsedPayload {
  const reject = (error: ReadingError): ParsedPayload => ({
    readings: [],
    rejections: [{ index: 0, ...error, deviceId, raw, format: query }],
  });
  const params = new URLSearchParams(query);
  const isMessage = params.get('format') === 'message';
  const format: ReturnType<typeof parseFormat> = isMessage ? { name: 'readings' } : parseFormat(params);
  if ('errors' in format)
    return reject({ code: 'malformed', detail: format.errors.map(({ detail }) => detail).join(' ') });
  const rejectedAs = () => ({ raw, format: query });
  // Without a format, a message that no profile read.
  if (isMessage || format.profile !== undefined || (query === '' && code === 'malformed')) {
    const named = format.profile === undefined ? {} : { profile: format.profile };
    const isFromDevice = format.profile === undefined;
    const sender = { deviceId: params.get('device') ?? deviceId, isFromDevice, topic: params.get('topic') };
    const read = byProfile({ ...sender, ...named, payload: raw, rejectedAs }, times);
    if (read !== undefined) return read;
  }
  const sent = parseJson(raw);
  if (format.name !== 'readings' && isObject(sent)) return parseUplink(format, format.name, sent, times, byProfile);
  const item: unknown = Array.isArray(sent) && sent.length === 1 ? sent[0] : sent;
  const device = deviceId ?? (isObject(item) ? item['device_id'] : undefined);
  const reading = parseReading(device, item, times, format.levelField);
  return isReadingError(reading) ? reject(reading) : { readings: [reading], rejections: [] };
}
