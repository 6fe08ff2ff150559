import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import { devicePassword, deviceUserName } from '../../src/keys/device_password.ts';
import { organizationSecret } from '../../src/keys/organization_secret.ts';
import { DEVICE_SECRET } from './ingest.ts';

/** A payload that a gateway accepts. */
export const READING = '{"fill_percentage": 45.5, "created_at": "2025-01-01T00:00:00Z"}';

export interface DeviceOptions extends IClientOptions {
  organizationCode: string;
  deviceId: string;
  generation?: number;
}

/** A device that connects once, as itself. */
export function connectDevice(
  port: number,
  { organizationCode, deviceId, generation = 1, ...options }: DeviceOptions,
): Promise<MqttClient> {
  return connectAsync(
    `${options.protocol ?? 'mqtt'}://127.0.0.1:${port}`,
    {
      username: deviceUserName(organizationCode, deviceId),
      password: devicePassword(organizationSecret(DEVICE_SECRET, organizationCode), deviceId, generation),
      reconnectPeriod: 0,
      connectTimeout: 15_000,
      ...options,
    },
    false,
  );
}

export const topicOf = ({ organizationCode, deviceId }: DeviceOptions): string =>
  `readings/${deviceUserName(organizationCode, deviceId)}`;

/** Publishes with QoS 1. Returns what came first: the PUBACK or the end of the connection. */
export function publish(
  client: MqttClient,
  topic: string,
  payload: string | Buffer,
): Promise<'acknowledged' | 'closed'> {
  if (!client.connected) return Promise.resolve('closed');
  return new Promise((resolve) => {
    const onClose = (): void => resolve('closed');
    client.setMaxListeners(0).once('close', onClose);
    client.publish(topic, payload, { qos: 1 }, (error) => {
      client.off('close', onClose);
      resolve(error ? 'closed' : 'acknowledged');
    });
  });
}

/** Waits until the connection has ended. */
export const closed = (client: MqttClient): Promise<void> =>
  new Promise((resolve) => {
    if (client.connected) client.once('close', () => resolve());
    else resolve();
  });
