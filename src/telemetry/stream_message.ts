import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { parseJson } from '../values/json.ts';
import { type DeviceReading, MEASURE_KINDS, REJECTION_CODES, type RejectedPayload } from './reading.ts';

/**
 * A stream message: the readings of many senders, and readings that a gateway or connector has rejected. It is JSON, so
 * that an operator can read it. Readings are arrays instead of objects, because they take most of the space.
 */
export interface StreamBatch {
  /** The id that the gateway or connector chose. A redelivered message has the same id. */
  id: string;
  receivedAtMs: number;
  readings: OrganizationReading[];
  rejections: OrganizationRejectedPayload[];
  /** The health that devices reported beside their readings. */
  health: OrganizationHealth[];
}

export interface OrganizationReading extends DeviceReading {
  organizationNo: number;
}

export interface OrganizationRejectedPayload extends RejectedPayload {
  /** Null if the whole stream message could not be decoded. */
  organizationNo: number | null;
}

/** The limits are those of PostgreSQL, because a message that cannot be recorded as rejected would be redelivered forever. */
const OrganizationNo = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 });
const UnixMs = Type.Integer({ minimum: 0, maximum: Date.UTC(9999) });

const Unit = Type.Union([Type.Literal('percent'), Type.Literal('liters'), Type.Literal('gallons')]);
const ReadingRow = Type.Tuple([
  OrganizationNo,
  Type.String(), // device
  UnixMs,
  Type.Number(), // level
  Unit,
]);
/** The level may be null. The two last items are the measure. */
const MeasuredRow = Type.Tuple([
  OrganizationNo,
  Type.String(),
  UnixMs,
  Type.Union([Type.Number(), Type.Null()]),
  Unit,
  Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }),
  Type.Enum(MEASURE_KINDS),
]);

const HealthValue = Type.Optional(Type.Number({ minimum: -1e6, maximum: 1e6 }));
/** The health of a device. The fields have the names of the columns that store them. */
export const OrganizationHealth = Type.Object({
  organization_no: OrganizationNo,
  /** The id without the channel, because a device on four tanks has one battery. */
  device_id: Type.String({ minLength: 1, maxLength: 64 }),
  at_ms: UnixMs,
  battery_v: HealthValue,
  battery_percent: HealthValue,
  is_battery_low: Type.Optional(Type.Boolean()),
  celsius: HealthValue,
  rssi_dbm: HealthValue,
  snr_db: HealthValue,
  signal_percent: HealthValue,
  firmware: Type.Optional(Type.String({ maxLength: 64 })),
  /** When the device will report again. */
  next_at_ms: Type.Optional(UnixMs),
  /** The profile that decoded the message. */
  profile: Type.Optional(Type.String({ maxLength: 64 })),
  /** Why the device sent no level. */
  fault: Type.Optional(Type.String({ maxLength: 200 })),
  /** True if the device sent a level or a measure. Only this ends a fault. */
  has_level: Type.Optional(Type.Boolean()),
});
export type OrganizationHealth = Static<typeof OrganizationHealth>;

const Wire = Type.Object({
  id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
  received_at_ms: UnixMs,
  readings: Type.Array(Type.Union([ReadingRow, MeasuredRow])),
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
  health: Type.Optional(Type.Array(OrganizationHealth)),
});
type Wire = Static<typeof Wire>;
const wire = Compile(Wire);

/** Encodes one reading. The batcher needs the size of each entry before it builds the message. */
export function encodeReading({ organizationNo, deviceId, atMs, level, measure }: OrganizationReading): string {
  const [amount, unit] = typeof level === 'object' && level !== null ? [level.amount, level.unit] : [level, 'percent'];
  // JSON has no NaN and no Infinity: such a level would make the message with the readings of all senders invalid.
  if (amount !== null && !Number.isFinite(amount)) throw new TypeError(`The level ${amount} is not a number.`);
  const measured = measure === undefined ? '' : `,${measure.value},"${measure.kind}"`;
  // This is called about 30,000 times a second. JSON.stringify of the whole array would take a third of the batcher's time.
  return `[${organizationNo},${JSON.stringify(deviceId)},${atMs},${amount},"${unit}"${measured}]`;
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
  health: readonly string[] = [],
): string {
  const healthKey = health.length === 0 ? '' : `,"health":[${health.join()}]`;
  return `{"id":"${id}","received_at_ms":${receivedAtMs},"readings":[${readings.join()}],"rejections":[${rejections.join()}]${healthKey}}`;
}

/** Returns undefined for a message that neither a gateway nor a connector wrote. */
export function decodeMessage(bytes: Uint8Array): StreamBatch | undefined {
  const message = parseJson(bytes);
  if (!wire.Check(message)) return undefined;
  return {
    id: message.id,
    receivedAtMs: message.received_at_ms,
    readings: message.readings.map(decodeReading),
    rejections: message.rejections.map((rejection) => ({
      organizationNo: rejection.organization_no,
      deviceId: rejection.device_id,
      code: rejection.code,
      detail: rejection.detail,
      raw: Buffer.from(rejection.raw_base64, 'base64'),
      format: rejection.format,
    })),
    health: message.health ?? [],
  };
}

function decodeReading(row: Wire['readings'][number]): OrganizationReading {
  const [organizationNo, deviceId, atMs, amount, unit] = row;
  const level = unit === 'percent' || amount === null ? amount : { amount, unit };
  if (row.length === 5) return { organizationNo, deviceId, atMs, level };
  return { organizationNo, deviceId, atMs, level, measure: { value: row[5], kind: row[6] } };
}
