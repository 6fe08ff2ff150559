import { isObject, type JsonObject, parseJson, writeJson } from '../values/json.ts';
import { formatName, type PayloadFormat, parseFormat } from './format_query.ts';
import { describeUplink, type NetworkUplink, readUplink, type UplinkFormat, writeUplink } from './network_uplink.ts';
import { MAX_DEVICE_PAYLOAD_BYTES, MAX_READINGS_PER_BODY, OVERSIZED_DEVICE_PAYLOAD } from './payload_limits.ts';
import { firstBytes, type ParsedPayload, type ReadByProfile, type ReadTimes } from './raw_message.ts';
import { isDeviceId, isReadingError, parseReading, type ReadingError, type RejectedPayload } from './reading.ts';

const WITHOUT_PROFILES: ReadByProfile = () => undefined;

/** Thrown if the whole body cannot be parsed. The message is for the sender. */
export class UnparsableBodyError extends Error {}

/**
 * Parses the payload of an MQTT device: by its profile, or as a reading or an array of readings. It never throws, because MQTT 3.1.1
 * has no error response.
 */
export function parseDevicePayload(
  deviceId: string,
  payload: Buffer,
  receivedAtMs: number,
  { byProfile = WITHOUT_PROFILES, topic = null }: { byProfile?: ReadByProfile; topic?: string | null } = {},
): ParsedPayload {
  const rejectAll = (code: 'malformed' | 'oversized', detail: string): ParsedPayload => ({
    readings: [],
    rejections: [{ index: 0, code, detail, deviceId, raw: firstBytes(payload), format: '' }],
  });
  if (payload.length > MAX_DEVICE_PAYLOAD_BYTES) {
    return rejectAll('oversized', OVERSIZED_DEVICE_PAYLOAD);
  }
  const times = { receivedAtMs, nowMs: receivedAtMs };
  const rejectedAs = () => rejectedBytes(payload, messageFormat(deviceId, topic));
  const read = byProfile({ deviceId, isFromDevice: true, topic, payload, rejectedAs }, times);
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
 * The stored format of a message over MQTT that a profile has decoded. Senders cannot name this format. A replay selects the profile
 * again by the device and the topic; the rejected reading may name another device, or none.
 */
const messageFormat = (device: string, topic: string | null): string =>
  new URLSearchParams({ format: 'message', device, ...(topic !== null && { topic }) }).toString();

/** The stored form of a rejected payload: its first bytes and its format. */
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
 * Parses one uplink of a LoRaWAN network server: its bytes, if a profile is selected for the device, otherwise the output of the
 * server's decoder, which is a reading, or has several in `readings`. A reading without a time gets the time at which the network
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
  /** The whole uplink is stored, so that a profile that is assigned later can decode it. */
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

/** Limits the readings of one body in every format, because half a million would block the gateway for seconds. */
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

/** Parses a rejected reading for a replay. A time that was in the future may be valid now, and a profile may be assigned now. */
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
  // A malformed payload without a format is a message that no profile has decoded.
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
