/**
 * Sends readings over HTTP and MQTT and reads from the API until its input ends, and then prints what happened as JSON. It runs in the
 * network of a machine, where 127.0.0.1 is the machine:
 *
 *   nsenter --target PID --net node test/containers/machine_load.ts '{"apiUrl": ..., "devices": [...]}'
 */
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { startIngestLoad } from '../../bench/load_client/ingest_load.ts';
import { runLoad } from '../../bench/load_client/load.ts';
import { startReads } from '../../bench/load_client/read_load.ts';
import { HOUR_MS } from '../../src/values/time.ts';

const Device = Type.Object({ organizationCode: Type.String(), deviceId: Type.String(), password: Type.String() });
const LoadPlan = Type.Object({
  apiUrl: Type.String(),
  ingestUrl: Type.String(),
  mqttUrl: Type.String(),
  readKey: Type.String(),
  ingestKey: Type.String(),
  paths: Type.Array(Type.String()),
  mqttDevices: Type.Array(Device),
  httpDevices: Type.Array(Device),
});
export type LoadPlan = Static<typeof LoadPlan>;

export const LoadOutcome = Type.Object({
  requests: Type.Integer(),
  failed: Type.Integer(),
  /** The number of requests by status, or by the error if there was no answer. */
  outcomes: Type.Record(Type.String(), Type.Integer()),
  /** Batches of readings over HTTP that were sent again. */
  batchesSentAgain: Type.Integer(),
  connects: Type.Integer(),
  /** DEVICE TIME of each reading that a gateway has acknowledged. */
  acknowledged: Type.Array(Type.String()),
});

const READS_PER_SECOND = 10;

async function run(plan: LoadPlan): Promise<Static<typeof LoadOutcome>> {
  const { readKey, ingestKey, mqttDevices, httpDevices } = plan;
  const readings = { startAtMs: Date.now() - 6 * HOUR_MS, stepMs: 1_000, replayShare: 0 };
  const http = startIngestLoad({
    ...readings,
    url: plan.ingestUrl,
    key: ingestKey,
    devices: httpDevices,
    senders: 2,
    pauseMs: 500,
  });
  const stopping = new AbortController();
  const mqtt = runLoad({
    ...readings,
    url: plan.mqttUrl,
    devices: mqttDevices,
    publishesPerSecond: 2 * mqttDevices.length,
    durationMs: 2 ** 31 - 1,
    signal: stopping.signal,
    // The certificate of the walk is not signed by an authority.
    connection: { maxBackoffMs: 500, timeoutMs: 8_000, tls: { rejectUnauthorized: false } },
  });
  const reads = startReads({
    url: plan.apiUrl,
    keys: [readKey],
    paths: plan.paths,
    clients: 4,
    requestsPerSecond: READS_PER_SECOND,
  });
  await new Promise((resolve) => process.stdin.once('end', resolve).resume());
  stopping.abort();
  const [{ record, connects }] = await Promise.all([mqtt, http.stop(), reads.stop()]);
  return {
    requests: reads.requests,
    failed: reads.failed,
    outcomes: Object.fromEntries(reads.outcomes),
    batchesSentAgain: http.refused + http.lost,
    connects,
    acknowledged: [record, http.record].flatMap((one) =>
      [...one.readings('acknowledged')].map(({ deviceId, createdAt }) => `${deviceId} ${createdAt}`),
    ),
  };
}

if (import.meta.main) console.log(JSON.stringify(await run(Value.Parse(LoadPlan, JSON.parse(process.argv[2] ?? '')))));
