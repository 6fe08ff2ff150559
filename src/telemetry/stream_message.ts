import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { parseJson } from '../values/json.ts';
import type { RejectedPayload } from './payload_formats.ts';
import { type DeviceReading, REJECTION_CODES } from './reading.ts';

/**
 * A stream message: the readings of many senders and the ones that the gateway rejected. It is JSON, so that an operator
 * can read it. Readings are arrays instead of objects because they take most of the space.
 */
export interface StreamBatch {
  /** The id that the gateway chose. A message that is delivered twice has the same id. */
  id: string;
  receivedAtMs: number;
  readings: OrganizationReading[];
  rejections: OrganizationRejectedPayload[];
}

export interface OrganizationReading extends DeviceReading {
  organizationNo: number;
}

export interface OrganizationRejectedPayload extends RejectedPayload {
  /** Null if the whole stream message could not be decoded. */
  organizationNo: number | null;
}

/** Limited to what PostgreSQL can store: a message that cannot be recorded as rejected would be redelivered forever. */
const OrganizationNo = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 });
const UnixMs = Type.Integer({ minimum: 0, maximum: Date.UTC(9999) });

const ReadingRow = Type.Tuple([
  OrganizationNo,
  Type.String(), // device
  UnixMs,
  Type.Number(), // level
  Type.Union([Type.Literal('percent'), Type.Literal('liters'), Type.Literal('gallons')]),
]);

const Wire = Type.Object({
  id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
  received_at_ms: UnixMs,
  readings: Type.Array(ReadingRow),
  rejections: Type.Array(
    Type.Object({
      organization_no: Type.Union([OrganizationNo, Type.Null()]),
      device_id: Type.Union([Type.String(), Type.Null()]),
      code: Type.Enum(REJECTION_CODES),
      detail: Type.String(),
      raw_base64: Type.String(),
      format: Type.String(),
    }),
  ),
});
type Wire = Static<typeof Wire>;
const wire = Compile(Wire);

/** Encodes one reading. The batcher needs the size of each entry before it builds the message. */
export function encodeReading({ organizationNo, deviceId, atMs, level }: OrganizationReading): string {
  const [amount, unit] = typeof level === 'number' ? [level, 'percent'] : [level.amount, level.unit];
  // Called about 30,000 times a second. JSON.stringify of the whole array would take a third of the batcher's time.
  return `[${organizationNo},${JSON.stringify(deviceId)},${atMs},${amount},"${unit}"]`;
}

export function encodeRejection({
  organizationNo,
  deviceId,
  code,
  detail,
  raw,
  format,
}: OrganizationRejectedPayload): string {
  const rejection: Wire['rejections'][number] = {
    organization_no: organizationNo,
    device_id: deviceId,
    code,
    detail,
    raw_base64: raw.toString('base64'),
    format,
  };
  return JSON.stringify(rejection);
}

export function encodeMessage(
  id: string,
  receivedAtMs: number,
  readings: readonly string[],
  rejections: readonly string[],
): string {
  return `{"id":"${id}","received_at_ms":${receivedAtMs},"readings":[${readings.join()}],"rejections":[${rejections.join()}]}`;
}

/** Returns undefined for a message that no gateway wrote. */
export function decodeMessage(bytes: Uint8Array): StreamBatch | undefined {
  const message = parseJson(bytes);
  if (!wire.Check(message)) return undefined;
  return {
    id: message.id,
    receivedAtMs: message.received_at_ms,
    readings: message.readings.map(([organizationNo, deviceId, atMs, amount, unit]) => ({
      organizationNo,
      deviceId,
      atMs,
      level: unit === 'percent' ? amount : { amount, unit },
    })),
    rejections: message.rejections.map((rejection) => ({
      organizationNo: rejection.organization_no,
      deviceId: rejection.device_id,
      code: rejection.code,
      detail: rejection.detail,
      raw: Buffer.from(rejection.raw_base64, 'base64'),
      format: rejection.format,
    })),
  };
}
