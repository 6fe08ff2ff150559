import { HttpClient } from '../../bench/load_client/http_client.ts';
import { batchOf } from '../../bench/load_client/ingest_load.ts';
import { LoadRecord } from '../../bench/load_client/load_record.ts';
import { until } from '../../engines/until.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/values/time.ts';
import { type Load, startLoad } from '../load.ts';
import type { ChaosInstallation, GatewayPart } from './installation.ts';

const MQTT_DEVICES = 40;
const HTTP_DEVICES = 20;
/** Devices that send nothing during the run, and are nearly silent at its start. */
const QUIET_DEVICES = 4;
const PER_GATEWAY = MQTT_DEVICES + HTTP_DEVICES;
export const CHAOS_DEVICES = 2 * PER_GATEWAY + QUIET_DEVICES;

/** Starts a load through each gateway: 40 publishes a second over MQTT, and batches of ten readings over HTTP. */
export const startChaosLoads = (installation: ChaosInstallation): Load[] =>
  installation.gateways.map((gateway, index) =>
    startLoad(installation, {
      // Times begin near the present and do not pass faster than real time, so that no device seems silent.
      startAtMs: Date.now() - 2 * MINUTE_MS,
      stepMs: 500,
      replayShare: 0.05,
      devices: installation.devices.slice(index * PER_GATEWAY, (index + 1) * PER_GATEWAY),
      mqttDevices: MQTT_DEVICES,
      publishesPerSecond: MQTT_DEVICES,
      senders: 2,
      pauseMs: 500,
      mqttUrl: `mqtt://127.0.0.1:${gateway.fromMqtt.port}`,
      ingestUrl: ingestUrl(gateway),
    }),
  );

/**
 * Sends eight hourly readings of each quiet device, the last one 35 hours ago. A writer whose clock is an hour ahead would
 * find the device silent.
 */
export async function sendQuietHistory({ devices, gateways, ingestKey }: ChaosInstallation): Promise<LoadRecord> {
  const quiet = devices.slice(-QUIET_DEVICES);
  const hours = 8;
  const startAtMs = Date.now() - (35 + hours - 1) * HOUR_MS - 20 * MINUTE_MS;
  const record = new LoadRecord(quiet, { readingsPerPublish: hours, startAtMs, stepMs: HOUR_MS });
  const publishes = quiet.map((_, device) => record.invoke(device).publish);
  const http = new HttpClient();
  await until('the history is accepted', async () => {
    const headers = { 'content-type': 'application/json' };
    const sent = { key: ingestKey, headers, body: batchOf(record, publishes) };
    return (await http.send(ingestUrl(gateways[0]), sent)).status === 202;
  });
  http.close();
  for (const publish of publishes) record.acknowledge(publish);
  return record;
}

const ingestUrl = ({ fromHttp }: GatewayPart): string => `http://127.0.0.1:${fromHttp.port}/ingest/readings`;
