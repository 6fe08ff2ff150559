import { setTimeout as sleep } from 'node:timers/promises';
import { devicePassword } from '../src/keys/device_password.ts';
import { type DeviceLogin, mqttIdentity, readingsMessage } from '../src/simulation/device_login.ts';
import { DeviceClosedError, MqttDevice } from '../src/simulation/mqtt_device.ts';
import type { Scene } from './story.ts';

export interface StoryOptions {
  scenes: readonly Scene[];
  organization: { code: string; secret: string };
  /** The gateway, mqtt://host:port. */
  url: string;
  durationMs: number;
  /** Called when the gateway has acknowledged the report of a scene. */
  onScene: (scene: Scene) => void;
}

/** Sends the report of each scene at its time, as its device. The result stops the story. */
export function playStory(options: StoryOptions): () => Promise<void> {
  const stopping = new AbortController();
  const playing = Promise.all(options.scenes.map((scene) => playScene(scene, options, stopping.signal)));
  return async () => {
    stopping.abort();
    await playing;
  };
}

async function playScene(
  scene: Scene,
  { organization, url, durationMs, onScene }: StoryOptions,
  stopping: AbortSignal,
): Promise<void> {
  await sleep(scene.at * durationMs, undefined, { signal: stopping }).catch(() => {});
  if (stopping.aborted) return;
  const { deviceId, readings } = scene;
  const password = devicePassword(organization.secret, deviceId, 1);
  const login: DeviceLogin = { organizationCode: organization.code, deviceId, password };
  const device = new MqttDevice({ url, ...mqttIdentity(login) });
  const close = (): void => void device.close();
  stopping.addEventListener('abort', close);
  try {
    await device.publish(readingsMessage(login, readings));
    onScene(scene);
  } catch (error) {
    if (!(error instanceof DeviceClosedError)) throw error; // the demo was stopped before the acknowledgement
  } finally {
    stopping.removeEventListener('abort', close);
    await device.close();
  }
}
