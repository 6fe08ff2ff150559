import { isObject, type JsonObject } from '../values/json.ts';
import { valueAt } from './profiles/json_path.ts';

/** An uplink of a LoRaWAN network server, before anybody has decoded it. */
export interface NetworkUplink {
  /** The DevEUI in capitals. */
  deviceId: string;
  /** The names under which an operator chooses the profile: of the model, and of the application. */
  model: string | null;
  application: string | null;
  port: number;
  bytes: Buffer;
  receivedAt: string | null;
  /** At the gateway that heard it best. */
  rssiDbm: number | null;
  snrDb: number | null;
}

/** Undefined for messages without a payload: joins, acknowledgements, status. */
export function readUplink(server: 'things-stack' | 'chirpstack', sent: JsonObject): NetworkUplink | undefined {
  const at = (path: string): unknown => valueAt(sent, path);
  const isThingsStack = server === 'things-stack';
  const deviceId = textOf(at(isThingsStack ? 'end_device_ids.dev_eui' : 'deviceInfo.devEui'));
  const data = textOf(at(isThingsStack ? 'uplink_message.frm_payload' : 'data'));
  const port = at(isThingsStack ? 'uplink_message.f_port' : 'fPort');
  if (deviceId === null || data === null || typeof port !== 'number' || port < 1) return undefined;
  const [brand, model] = [
    textOf(at('uplink_message.version_ids.brand_id')),
    textOf(at('uplink_message.version_ids.model_id')),
  ];
  return {
    deviceId: deviceId.toUpperCase(),
    model: isThingsStack
      ? brand !== null && model !== null
        ? `${brand}/${model}`
        : null
      : textOf(at('deviceInfo.deviceProfileName')),
    application: textOf(
      at(isThingsStack ? 'end_device_ids.application_ids.application_id' : 'deviceInfo.applicationName'),
    ),
    port,
    bytes: Buffer.from(data, 'base64'),
    receivedAt: isThingsStack ? textOf(at('uplink_message.received_at') ?? at('received_at')) : textOf(at('time')),
    ...bestSignal(at(isThingsStack ? 'uplink_message.rx_metadata' : 'rxInfo')),
  };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

function bestSignal(received: unknown): Pick<NetworkUplink, 'rssiDbm' | 'snrDb'> {
  const heard = Array.isArray(received) ? received.slice(0, 32).filter(isObject) : [];
  const number = (value: unknown): number | null =>
    typeof value === 'number' && Number.isFinite(value) ? value : null;
  const signals = heard.map(({ rssi, snr }) => ({ rssiDbm: number(rssi), snrDb: number(snr) }));
  return signals.toSorted((a, b) => (b.rssiDbm ?? -999) - (a.rssiDbm ?? -999))[0] ?? { rssiDbm: null, snrDb: null };
}
