import { deviceUserName } from '../keys/device_password.ts';
import type { SimulatedReading } from './life.ts';
import { type PublishPacket, publishPacket } from './mqtt_packets.ts';

/** What a device connects with. */
export interface DeviceLogin {
  organizationCode: string;
  deviceId: string;
  password: string;
}

export function mqttIdentity({ organizationCode, deviceId, password }: DeviceLogin) {
  const username = deviceUserName(organizationCode, deviceId);
  return { clientId: username, username, password };
}

/** Readings as a device publishes them, to its own topic: one as an object, several as an array. */
export function readingsPacket(login: DeviceLogin, readings: readonly SimulatedReading[]): PublishPacket {
  const wire = readings.map(
    ({ atMs, fillPercentage }) =>
      `{"fill_percentage":${fillPercentage},"created_at":"${new Date(atMs).toISOString()}"}`,
  );
  const topic = `readings/${login.organizationCode}/${login.deviceId}`;
  return publishPacket(topic, wire.length === 1 ? wire.join() : `[${wire.join()}]`);
}
