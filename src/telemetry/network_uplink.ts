import { isObject, type JsonObject } from '../values/json.ts';
import { valueAt } from '../values/json_path.ts';

/** The formats in which LoRaWAN network servers send uplinks. `uplink` is our own format, for other servers and for replays. */
export type UplinkFormat = 'things-stack' | 'chirpstack' | 'uplink';

/** An uplink as the network server forwarded it. */
export interface NetworkUplink {
  /** The DevEUI in upper case, as on the label of the device: network servers use both cases. */
  deviceId: unknown;
  /** Names by which an organization selects the profile. */
  model: string | null;
  application: string | null;
  port: number | null;
  bytes: Buffer;
  /** The output of the network server's decoder. */
  decoded: unknown;
  /** The time at which the network received the uplink. */
  receivedAt: string | undefined;
  /** The signal strength at the LoRaWAN gateway with the best signal. */
  rssiDbm: number | null;
  /** The signal-to-noise ratio at the same LoRaWAN gateway. */
  snrDb: number | null;
}

/** Parses an uplink. Undefined for other messages, such as joins, acknowledgements and locations. */
export function readUplink(format: UplinkFormat, sent: JsonObject): NetworkUplink | undefined {
  const uplink = READERS[format](sent);
  if (uplink === undefined) return undefined;
  // A device that only responds to its network sends no payload, or a payload on port 0 (which JSON may omit). Such an
  // uplink is accepted and ignored, because some network servers disable a webhook that often gets errors.
  const isForNetwork = uplink.bytes.length === 0 || !uplink.port;
  return uplink.decoded === undefined && isForNetwork ? undefined : uplink;
}

const READERS: Readonly<Record<UplinkFormat, (sent: JsonObject) => NetworkUplink | undefined>> = {
  'things-stack'(sent) {
    const { uplink_message: message } = sent;
    if (!isObject(message)) return undefined;
    const brand = textAt(message, 'version_ids.brand_id');
    const model = textAt(message, 'version_ids.model_id');
    return {
      deviceId: upperCase(valueAt(sent, 'end_device_ids.dev_eui')),
      model: brand === null || model === null ? null : `${brand}/${model}`,
      application: textAt(sent, 'end_device_ids.application_ids.application_id'),
      port: numberOf(message['f_port']),
      bytes: base64(message['frm_payload']),
      decoded: message['decoded_payload'],
      receivedAt: textAt(message, 'received_at') ?? textAt(sent, 'received_at') ?? undefined,
      ...bestSignal(message['rx_metadata']),
    };
  },
  chirpstack(sent) {
    // The event of an integration has another structure.
    if ('integrationName' in sent) return undefined;
    return {
      deviceId: upperCase(valueAt(sent, 'deviceInfo.devEui')),
      model: textAt(sent, 'deviceInfo.deviceProfileName'),
      application: textAt(sent, 'deviceInfo.applicationName'),
      port: numberOf(sent['fPort']),
      bytes: base64(sent['data']),
      decoded: sent['object'],
      receivedAt: textAt(sent, 'time') ?? undefined,
      ...bestSignal(sent['rxInfo']),
    };
  },
  uplink: (sent) => ({
    deviceId: upperCase(sent['device_id']),
    model: textAt(sent, 'model'),
    application: textAt(sent, 'application'),
    port: numberOf(sent['port']),
    bytes: Buffer.from(typeof sent['payload_hex'] === 'string' ? sent['payload_hex'] : '', 'hex'),
    decoded: sent['decoded'],
    receivedAt: textAt(sent, 'created_at') ?? undefined,
    rssiDbm: numberOf(sent['rssi_dbm']),
    snrDb: numberOf(sent['snr_db']),
  }),
};

/** Writes an uplink in our own format. */
export const writeUplink = ({ receivedAt, bytes, ...uplink }: NetworkUplink): JsonObject => ({
  device_id: uplink.deviceId,
  model: uplink.model,
  application: uplink.application,
  port: uplink.port,
  payload_hex: bytes.toString('hex'),
  created_at: receivedAt,
  rssi_dbm: uplink.rssiDbm,
  snr_db: uplink.snrDb,
  decoded: uplink.decoded,
});

/** Describes the received bytes for a technician, as a part of a sentence. */
export function describeUplink({ model, application, port, bytes }: NetworkUplink): string {
  const names = [model && `model ${model}`, application && `application ${application}`].filter(Boolean).join(', ');
  return `${bytes.length} bytes on port ${port ?? 'none'} (${bytes.toString('hex', 0, 8)}${bytes.length > 8 ? '…' : ''})${names && `, ${names}`}`;
}

const upperCase = (value: unknown): unknown => (typeof value === 'string' ? value.toUpperCase() : value);
const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
const base64 = (value: unknown): Buffer => Buffer.from(typeof value === 'string' ? value : '', 'base64');

function textAt(sent: JsonObject, path: string): string | null {
  const value = valueAt(sent, path);
  return typeof value === 'string' && value !== '' ? value.slice(0, 100) : null;
}

function bestSignal(received: unknown): Pick<NetworkUplink, 'rssiDbm' | 'snrDb'> {
  const heard = Array.isArray(received) ? received.slice(0, 32).filter(isObject) : [];
  const signals = heard.map(({ rssi, snr }) => ({ rssiDbm: numberOf(rssi), snrDb: numberOf(snr) }));
  return signals.toSorted((a, b) => (b.rssiDbm ?? -999) - (a.rssiDbm ?? -999))[0] ?? { rssiDbm: null, snrDb: null };
}
