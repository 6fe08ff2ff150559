import { setTimeout as sleep } from 'node:timers/promises';
import { devicePassword } from '../src/keys/device_password.ts';
import {
  type DeviceLogin,
  mqttIdentity,
  type ReadingsMessage,
  readingsMessage,
} from '../src/simulation/device_login.ts';
import { DeviceClosedError, MqttDevice } from '../src/simulation/mqtt_device.ts';
import type { Scene } from './story.ts';

/** The organization of devices, and the gateway to which they publish. */
export interface MqttSender {
  organization: { code: string; secret: string };
  /** The address of the gateway, mqtt://host:port. */
  url: string;
}

export interface StoryOptions {
  scenes: readonly Scene[];
  mqtt: MqttSender;
  durationMs: number;
  /** Called when the gateway has acknowledged the report of a scene. */
  onScene: (scene: Scene) => void;
}

/** Sends the report of each scene at its time, as its device. Returns a function that stops the story. */
export const playStory = (options: StoryOptions): (() => Promise<void>) =>
  playAll(options.scenes, (scene, stopping) => playScene(scene, options, stopping));

/** Plays all parts at once. Returns a function that stops them. */
export function playAll<Part>(
  parts: readonly Part[],
  play: (part: Part, stopping: AbortSignal) => Promise<void>,
): () => Promise<void> {
  const stopping = new AbortController();
  const playing = Promise.all(parts.map((part) => play(part, stopping.signal)));
  return async () => {
    stopping.abort();
    await playing;
  };
}

async function playScene(
  scene: Scene,
  { mqtt, durationMs, onScene }: StoryOptions,
  stopping: AbortSignal,
): Promise<void> {
  await sleep(scene.at * durationMs, undefined, { signal: stopping }).catch(() => {});
  if (stopping.aborted) return;
  const message = (login: DeviceLogin): ReadingsMessage => readingsMessage(login, scene.readings);
  if (await publishOnce(mqtt, scene.deviceId, message, stopping)) onScene(scene);
}

/** Connects as a device and publishes a message. Returns false if the demo was stopped before the acknowledgement. */
export async function publishOnce(
  { organization, url }: MqttSender,
  deviceId: string,
  message: (login: DeviceLogin) => ReadingsMessage,
  stopping: AbortSignal,
): Promise<boolean> {
  const password = devicePassword(organization.secret, deviceId, 1);
  const login: DeviceLogin = { organizationCode: organization.code, deviceId, password };
  const device = new MqttDevice({ url, ...mqttIdentity(login) });
  const close = (): void => void device.close();
  stopping.addEventListener('abort', close);
  try {
    await device.publish(message(login));
    return true;
  } catch (error) {
    if (!(error instanceof DeviceClosedError)) throw error;
    return false;
  } finally {
    stopping.removeEventListener('abort', close);
    await device.close();
  }
}
