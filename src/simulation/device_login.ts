import { deviceUserName } from '../keys/device_password.ts';
import type { SimulatedReading } from './life.ts';

export interface DeviceLogin {
  organizationCode: string;
  deviceId: string;
  password: string;
}

export interface ReadingsMessage {
  topic: string;
  payload: string;
}

export function mqttIdentity({ organizationCode, deviceId, password }: DeviceLogin) {
  const username = deviceUserName(organizationCode, deviceId);
  return { clientId: username, username, password };
}

/** Returns the message that a device publishes to its own topic: one reading as an object, several readings as an array. */
export function readingsMessage(login: DeviceLogin, readings: readonly SimulatedReading[]): ReadingsMessage {
  const json = readings.map(
    ({ atMs, fillPercentage }) =>
      `{"fill_percentage":${fillPercentage},"created_at":"${new Date(atMs).toISOString()}"}`,
  );
  return {
    topic: `readings/${login.organizationCode}/${login.deviceId}`,
    payload: json.length === 1 ? json.join() : `[${json.join()}]`,
  };
}
