import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadResult, runLoad } from '../../bench/load_client/load.ts';
import { LoadRecord } from '../../bench/load_client/load_record.ts';
import { type HttpLoad, startHttpLoad } from '../http_load.ts';
import type { ChaosInstallation, GatewayPart } from './installation.ts';

const MQTT_DEVICES = 40;
const HTTP_DEVICES = 20;
/** Devices that have been quiet for nearly as long as it takes to be called silent; they send nothing more. */
const QUIET_DEVICES = 4;
const PER_GATEWAY = MQTT_DEVICES + HTTP_DEVICES;
export const CHAOS_DEVICES = 2 * PER_GATEWAY + QUIET_DEVICES;

const MINUTE_MS = 60_000;
const QUIET_FOR_MS = 35 * 60 * MINUTE_MS;

export interface ChaosLoad {
  /** Devices are connected to both gateways, and readings arrive. */
  started: Promise<unknown>;
  stop(): Promise<{ mqtt: LoadResult[]; http: HttpLoad[] }>;
}

/** Through each gateway: 40 publishes of two readings a second over MQTT, and batches of ten over HTTP. */
export function startChaosLoad({ pipeline, gateways }: ChaosInstallation): ChaosLoad {
  const stopping = new AbortController();
  // Near the present, and never faster than time passes: evaluation sees devices that report as they should.
  const plan = { startAtMs: Date.now() - 2 * MINUTE_MS, stepMs: 500, replayShare: 0.05 };
  const loads = gateways.map((gateway, at) => {
    const devices = pipeline.devices.slice(at * PER_GATEWAY, (at + 1) * PER_GATEWAY);
    const started = Promise.withResolvers<void>();
    const mqtt = runLoad({
      ...plan,
      url: `mqtt://127.0.0.1:${gateway.fromMqtt.port}`,
      devices: devices.slice(0, MQTT_DEVICES),
      readingsPerPublish: 2,
      inFlight: 2,
      publishesPerSecond: MQTT_DEVICES,
      durationMs: 3_600_000,
      signal: stopping.signal,
      connection: { maxBackoffMs: 500, timeoutMs: 8_000 },
      onAcknowledged: () => started.resolve(),
    });
    mqtt.catch(started.reject); // for a load that cannot begin; `stop` waits for the result itself
    const http = startHttpLoad({
      ...plan,
      url: ingestUrl(gateway),
      key: pipeline.ingestKey,
      devices: devices.slice(MQTT_DEVICES),
      senders: 2,
      pauseMs: 500,
    });
    return { mqtt, http, started: started.promise };
  });
  return {
    started: Promise.all(loads.map((load) => load.started)),
    async stop() {
      stopping.abort();
      const [mqtt] = await Promise.all([
        Promise.all(loads.map((load) => load.mqtt)),
        ...loads.map(({ http }) => http.stop()),
      ]);
      return { mqtt, http: loads.map(({ http }) => http) };
    },
  };
}

/** Eight hourly readings of each quiet device, the last one 35 hours ago. A clock that is an hour ahead calls it silent. */
export async function sendQuietHistory({ pipeline, gateways }: ChaosInstallation): Promise<LoadRecord> {
  const devices = pipeline.devices.slice(-QUIET_DEVICES);
  const hours = 8;
  const startAtMs = Date.now() - QUIET_FOR_MS - 20 * MINUTE_MS - (hours - 1) * 60 * MINUTE_MS;
  const record = new LoadRecord(devices, { readingsPerPublish: hours, startAtMs, stepMs: 60 * MINUTE_MS });
  const publishes = devices.map((_, device) => record.invoke(device).publish);
  const readings = publishes
    .flatMap((publish) => record.readingsOf(publish))
    .map(({ deviceId, createdAt, fillPercentage }) => ({
      device_id: deviceId,
      created_at: createdAt,
      fill_percentage: fillPercentage,
    }));
  for (let attempts = 1; ; attempts++) {
    const response = await fetch(ingestUrl(gateways[0]), {
      method: 'POST',
      headers: { 'x-api-key': pipeline.ingestKey, 'content-type': 'application/json' },
      body: JSON.stringify({ readings }),
    });
    await response.arrayBuffer();
    if (response.status === 202) break;
    if (attempts === 20) throw new Error(`the history was refused with ${response.status}`);
    await sleep(250);
  }
  for (const publish of publishes) record.acknowledge(publish);
  return record;
}

const ingestUrl = ({ fromHttp }: GatewayPart): string => `http://127.0.0.1:${fromHttp.port}/ingest/readings`;
