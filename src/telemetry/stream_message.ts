import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { parseJson } from '../values/json.ts';
import type { RejectedPayload } from './payload_formats.ts';
import { type DeviceReading, REJECTION_CODES } from './reading.ts';

/**
 * What the stream holds: the readings of many senders, gathered, with what was refused among them. It is JSON, so that
 * whoever replays a stream in anger can read it; readings are arrays, because they are the bulk of it.
 */
export interface StreamBatch {
  /** Of the gateway's making. Tells a message that is delivered twice from two messages. */
  id: string;
  receivedAtMs: number;
  readings: OrganizationReading[];
  rejections: OrganizationRejectedPayload[];
}

export interface OrganizationReading extends DeviceReading {
  organizationNo: number;
}

export interface OrganizationRejectedPayload extends RejectedPayload {
  /** Null where a message of the stream could not be read at all. */
  organizationNo: number | null;
}

/** Within what the database can hold: a message that could not even be listed as rejected would come again for ever. */
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

/** One reading or rejection as it will stand in a message, so that its size is known before it is gathered. */
export function encodeReading({ organizationNo, deviceId, atMs, level }: OrganizationReading): string {
  const [amount, unit] = typeof level === 'number' ? [level, 'percent'] : [level.amount, level.unit];
  // Some 30,000 a second: as JSON.stringify of the whole, a third of the cost of gathering.
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

/** Undefined for what no gateway of ours has written. */
export function decodeMessage(bytes: Uint8Array): StreamBatch | undefined {
  const sent = parseJson(bytes);
  if (!wire.Check(sent)) return undefined;
  return {
    id: sent.id,
    receivedAtMs: sent.received_at_ms,
    readings: sent.readings.map(([organizationNo, deviceId, atMs, amount, unit]) => ({
      organizationNo,
      deviceId,
      atMs,
      level: unit === 'percent' ? amount : { amount, unit },
    })),
    rejections: sent.rejections.map((rejection) => ({
      organizationNo: rejection.organization_no,
      deviceId: rejection.device_id,
      code: rejection.code,
      detail: rejection.detail,
      raw: Buffer.from(rejection.raw_base64, 'base64'),
      format: rejection.format,
    })),
  };
}
