import { setTimeout as sleep } from 'node:timers/promises';
import type { DeviceLogin } from '../../src/simulation/device_login.ts';
import { HttpClient } from './http_client.ts';
import { LoadRecord } from './load_record.ts';

export interface IngestLoadOptions {
  url: string;
  key: string;
  devices: readonly DeviceLogin[];
  senders: number;
  /** The pause between two batches of one sender. */
  pauseMs: number;
  /** The share of the acknowledged batches that are sent once more. */
  replayShare: number;
  startAtMs: number;
  stepMs: number;
}

export interface IngestLoad {
  record: LoadRecord;
  /** Requests that were answered with 503. */
  refused: number;
  /** Requests without an answer. */
  lost: number;
  stop(): Promise<void>;
}

/** Sends batches over HTTP from several senders. Unacknowledged batches are sent again, as the cloud of a vendor does. */
export function startIngestLoad(options: IngestLoadOptions): IngestLoad {
  const { devices, senders } = options;
  const plan = { readingsPerPublish: 1, startAtMs: options.startAtMs, stepMs: options.stepMs };
  const load = { record: new LoadRecord(devices, plan), refused: 0, lost: 0 };
  const stopping = new AbortController();
  const http = new HttpClient({ connections: senders, timeoutMs: 10_000 });

  /** Returns whether the batch was acknowledged. */
  async function post(body: string): Promise<boolean> {
    const headers = { 'content-type': 'application/json' };
    const { status } = await http.send(options.url, { key: options.key, headers, body });
    // After a timeout, a reset or a refused connection, it is unknown whether the batch was stored.
    if (status === 0) load.lost++;
    else if (status === 503) load.refused++;
    else if (status !== 202) throw new Error(`unexpected answer ${status}`);
    return status === 202;
  }

  async function send(sender: number): Promise<void> {
    const own = devices
      .keys()
      .filter((device) => device % senders === sender)
      .toArray();
    while (!stopping.signal.aborted) {
      const publishes = own.map((device) => load.record.invoke(device).publish);
      const body = batchOf(load.record, publishes);
      let isAcknowledged = false;
      while (!isAcknowledged && !stopping.signal.aborted) {
        isAcknowledged = await post(body);
        if (!isAcknowledged) await sleep(200 + Math.random() * 200);
      }
      if (isAcknowledged) for (const publish of publishes) load.record.acknowledge(publish);
      if (Math.random() < options.replayShare) await post(body);
      await sleep(options.pauseMs);
    }
  }

  const running = Promise.all(Array.from({ length: senders }, (_, sender) => send(sender)));
  return Object.assign(load, {
    async stop() {
      stopping.abort();
      await running;
      http.close();
    },
  });
}

/** Formats publishes of a record as the body of one request. */
export const batchOf = (record: LoadRecord, publishes: readonly number[]): string =>
  JSON.stringify({
    readings: publishes
      .flatMap((publish) => record.readingsOf(publish))
      .map(({ deviceId, createdAt, fillPercentage }) => ({
        device_id: deviceId,
        created_at: createdAt,
        fill_percentage: fillPercentage,
      })),
  });
