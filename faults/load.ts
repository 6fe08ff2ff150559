import { type IngestLoad, startIngestLoad } from '../bench/load_client/ingest_load.ts';
import { type LoadResult, runLoad } from '../bench/load_client/load.ts';
import type { Installation } from '../engines/installation.ts';
import { DAY_MS } from '../src/values/time.ts';

export const MQTT_DEVICES = 200;
const HTTP_DEVICES = 100;
export const DEVICES = MQTT_DEVICES + HTTP_DEVICES;

export interface Load {
  http: IngestLoad;
  /** Resolves at the first acknowledged publish over MQTT. */
  started: Promise<void>;
  /** Stops sending, waits for the last answers, and returns the outcome. */
  stop(): Promise<{ mqtt: LoadResult; http: IngestLoad }>;
}

export interface SendOptions {
  replayShare: number;
  startAtMs?: number;
  /** The time between two readings of a device. */
  stepMs?: number;
  /** The same for devices that send over HTTP. Default: `stepMs`. */
  httpStepMs?: number;
  /** The first `mqttDevices` devices send over MQTT, the others over HTTP. */
  devices?: Installation['devices'];
  mqttDevices?: number;
  publishesPerSecond?: number;
  readingsPerPublish?: number;
  senders?: number;
  pauseMs?: number;
  /** The addresses of a balancer or a proxy in front of the gateway. */
  mqttUrl?: string;
  ingestUrl?: string;
}

/** Sends 300 publishes per second with two readings each over MQTT, and batches over HTTP, unless the options differ. */
export function startLoad(installation: Installation, options: SendOptions): Load {
  const { devices = installation.devices, mqttDevices = MQTT_DEVICES, stepMs = 1_000 } = options;
  const { startAtMs = Date.now() - 60 * DAY_MS, replayShare } = options;
  const http = startIngestLoad({
    url: options.ingestUrl ?? installation.ingestUrl,
    key: installation.ingestKey,
    devices: devices.slice(mqttDevices),
    senders: options.senders ?? 4,
    pauseMs: options.pauseMs ?? 100,
    startAtMs,
    stepMs: options.httpStepMs ?? stepMs,
    replayShare,
  });
  const stopping = new AbortController();
  const started = Promise.withResolvers<void>();
  const mqtt = runLoad({
    url: options.mqttUrl ?? installation.mqttUrl,
    devices: devices.slice(0, mqttDevices),
    readingsPerPublish: options.readingsPerPublish ?? 2,
    inFlight: 2,
    publishesPerSecond: options.publishesPerSecond ?? 300,
    durationMs: 2 ** 31 - 1,
    startAtMs,
    stepMs,
    replayShare,
    signal: stopping.signal,
    connection: { maxBackoffMs: 500, timeoutMs: 8_000 },
    onAcknowledged: () => started.resolve(),
  });
  mqtt.catch(started.reject); // if the load cannot begin; `stop` awaits the result itself
  started.promise.catch(() => {});
  return {
    http,
    started: started.promise,
    async stop() {
      stopping.abort();
      const [result] = await Promise.all([mqtt, http.stop()]);
      return { mqtt: result, http };
    },
  };
}
