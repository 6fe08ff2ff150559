import { type LoadResult, runLoad } from '../bench/load_client/load.ts';
import type { Pipeline } from '../engines/pipeline.ts';
import { DAY_MS } from '../src/values/time.ts';
import { type HttpLoad, startHttpLoad } from './http_load.ts';

export const MQTT_DEVICES = 200;
const HTTP_DEVICES = 100;
export const DEVICES = MQTT_DEVICES + HTTP_DEVICES;

export interface Load {
  http: HttpLoad;
  /** Stops sending, waits for the last answers, and returns the outcome. */
  stop(): Promise<{ mqtt: LoadResult; http: HttpLoad }>;
}

/** 300 publishes per second with two readings each over MQTT, and batches over HTTP from four senders. */
export function startLoad(
  pipeline: Pipeline,
  { replayShare, startAtMs = Date.now() - 60 * DAY_MS }: { replayShare: number; startAtMs?: number },
): Load {
  const { devices } = pipeline;
  const plan = { startAtMs, stepMs: 1_000, replayShare };
  const http = startHttpLoad({
    ...plan,
    url: pipeline.ingestUrl,
    key: pipeline.ingestKey,
    devices: devices.slice(MQTT_DEVICES),
    senders: 4,
    pauseMs: 100,
  });
  const stopping = new AbortController();
  const mqtt = runLoad({
    ...plan,
    url: pipeline.mqttUrl,
    devices: devices.slice(0, MQTT_DEVICES),
    readingsPerPublish: 2,
    inFlight: 2,
    publishesPerSecond: 300,
    durationMs: 3_600_000,
    signal: stopping.signal,
    connection: { maxBackoffMs: 500, timeoutMs: 8_000 },
  });
  return {
    http,
    async stop() {
      stopping.abort();
      const [result] = await Promise.all([mqtt, http.stop()]);
      return { mqtt: result, http };
    },
  };
}

/** The number of reconnects. */
export const reconnects = ({ connects }: LoadResult): number => connects - MQTT_DEVICES;
