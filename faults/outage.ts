import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, atMost, type BenchOptions, type Report, told } from '../bench/report.ts';
import { startPipeline } from '../engines/pipeline.ts';
import { runLoad } from '../src/simulation/load.ts';
import { startHttpLoad } from './http_load.ts';
import { untilDrained, verify } from './verify.ts';

const MQTT_DEVICES = 200;
const DAY_MS = 86_400_000;

/** PostgreSQL stopped for three minutes (15 s in short) under load: no sender is refused, and everything is stored after. */
export async function outageOfPostgres({ isQuick, tell }: BenchOptions): Promise<Report> {
  const outageMs = isQuick ? 15_000 : 180_000;
  const pipeline = await startPipeline({ devices: MQTT_DEVICES + 50 });
  try {
    const { postgres, devices } = pipeline;
    await pipeline.role('writer').start();
    const plan = { startAtMs: Date.now() - 60 * DAY_MS, stepMs: 1_000 };
    const overHttp = startHttpLoad({
      ...plan,
      url: pipeline.ingestUrl,
      key: pipeline.ingestKey,
      devices: devices.slice(MQTT_DEVICES),
      senders: 2,
      pauseMs: 100,
      replayShare: 0,
    });
    const stopMqtt = new AbortController();
    const overMqtt = runLoad({
      ...plan,
      url: pipeline.mqttUrl,
      devices: devices.slice(0, MQTT_DEVICES),
      readingsPerPublish: 2,
      publishesPerSecond: 300,
      durationMs: 3_600_000,
      signal: stopMqtt.signal,
    });
    await sleep(2_000);
    tell(`PostgreSQL is away for ${outageMs / 1_000} s ...`);
    await postgres.kill();
    await sleep(outageMs);
    const acknowledgedDuring = overHttp.record.acknowledged;
    await postgres.restart();
    await sleep(2_000);
    stopMqtt.abort();
    const [mqtt] = await Promise.all([overMqtt, overHttp.stop()]);
    const records = [mqtt.record, overHttp.record];
    const drainStartMs = performance.now();
    await untilDrained(pipeline);
    const drainedSeconds = (performance.now() - drainStartMs) / 1_000;
    return {
      name: 'outage',
      checks: [
        atMost('HTTP requests refused', overHttp.refused + overHttp.lost, 0),
        atMost('MQTT connections lost', mqtt.connects - MQTT_DEVICES, 0),
        atMost('MQTT publishes not acknowledged', mqtt.unknown, 0),
        atLeast('readings acknowledged over HTTP by the end of the outage', acknowledgedDuring, outageMs / 1_000),
        ...(await verify(pipeline, records)),
        told('seconds to store everything after', drainedSeconds),
      ],
      outage_seconds: outageMs / 1_000,
    };
  } finally {
    await pipeline.stop();
  }
}
