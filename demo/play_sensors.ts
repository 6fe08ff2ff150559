import { setTimeout as sleep } from 'node:timers/promises';
import { type MqttSender, playAll, publishOnce } from './play_story.ts';
import { SENSOR_EVERY_MS, type Sensor } from './sensors.ts';

export interface SensorOptions {
  sensors: readonly Sensor[];
  mqtt: MqttSender;
  /** The webhook of the network servers, and its key. */
  ingest: { url: string; key: string };
  durationMs: number;
  onNews: (line: string) => void;
}

/** Lets each sensor report at its time in the story, and every six hours after that. Returns a function that stops them. */
export const playSensors = (options: SensorOptions): (() => Promise<void>) =>
  playAll(options.sensors, (sensor, stopping) => play(sensor, options, stopping));

async function play(sensor: Sensor, options: SensorOptions, stopping: AbortSignal): Promise<void> {
  const wait = (ms: number): Promise<unknown> => sleep(ms, undefined, { signal: stopping }).catch(() => {});
  await wait(sensor.at * options.durationMs);
  for (let isFirst = true; !stopping.aborted; isFirst = false) {
    const isSent = await send(sensor, options, stopping);
    if (isSent && isFirst) options.onNews(`story    ${sensor.text}`);
    await wait(SENSOR_EVERY_MS);
  }
}

async function send(sensor: Sensor, { mqtt, ingest }: SensorOptions, stopping: AbortSignal): Promise<boolean> {
  const message = sensor.message(Date.now());
  if ('payload' in message) {
    const { deviceId, payload } = message;
    const topic = `readings/${mqtt.organization.code}/${deviceId}`;
    return publishOnce(mqtt, deviceId, () => ({ topic, payload }), stopping);
  }
  const response = await fetch(`${ingest.url}?format=${message.format}`, {
    method: 'POST',
    headers: { 'x-api-key': ingest.key, 'content-type': 'application/json' },
    body: JSON.stringify(message.body),
  });
  const answer = await response.text();
  if (!answer.startsWith('{"accepted":1,')) throw new Error(`${sensor.tank.name}: ${response.status} ${answer}`);
  return true;
}
