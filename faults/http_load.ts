import { setTimeout as sleep } from 'node:timers/promises';
import { LoadRecord } from '../bench/load_client/load_record.ts';
import type { DeviceLogin } from '../src/simulation/device_login.ts';

export interface HttpLoadOptions {
  url: string;
  key: string;
  devices: readonly DeviceLogin[];
  senders: number;
  /** The pause between two batches of one sender. */
  pauseMs: number;
  replayShare: number;
  startAtMs: number;
  stepMs: number;
}

export interface HttpLoad {
  record: LoadRecord;
  /** Requests that were answered with 503. */
  refused: number;
  /** Requests without an answer. */
  lost: number;
  stop(): Promise<void>;
}

/** Sends batches over HTTP from several senders. Unacknowledged batches are sent again, as the cloud of a vendor does. */
export function startHttpLoad(options: HttpLoadOptions): HttpLoad {
  const { devices, senders } = options;
  const plan = { readingsPerPublish: 1, startAtMs: options.startAtMs, stepMs: options.stepMs };
  const load = { record: new LoadRecord(devices, plan), refused: 0, lost: 0 };
  const stopping = new AbortController();

  async function post(body: string): Promise<boolean> {
    try {
      const headers = { 'x-api-key': options.key, 'content-type': 'application/json' };
      const response = await fetch(options.url, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) });
      await response.arrayBuffer();
      if (response.status === 503) load.refused++;
      else if (response.status !== 202) throw new Error(`unexpected answer ${response.status}`);
      return response.status === 202;
    } catch (error) {
      // A timeout, a reset or a refused connection: whether the batch was stored is unknown.
      if (!(error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError'))) throw error;
      load.lost++;
      return false;
    }
  }

  async function send(sender: number): Promise<void> {
    const own = devices
      .keys()
      .filter((device) => device % senders === sender)
      .toArray();
    while (!stopping.signal.aborted) {
      const batch = own.map((device) => load.record.invoke(device));
      const readings = batch.flatMap(({ publish }) => load.record.readingsOf(publish));
      const body = JSON.stringify({
        readings: readings.map(({ deviceId, createdAt, fillPercentage }) => ({
          device_id: deviceId,
          created_at: createdAt,
          fill_percentage: fillPercentage,
        })),
      });
      for (let isStored = false; !isStored && !stopping.signal.aborted; ) {
        isStored = await post(body);
        if (isStored) for (const { publish } of batch) load.record.acknowledge(publish);
        else await sleep(200 + Math.random() * 200);
      }
      if (Math.random() < options.replayShare) await post(body);
      await sleep(options.pauseMs);
    }
  }

  const running = Promise.all(Array.from({ length: senders }, (_, sender) => send(sender)));
  return Object.assign(load, {
    async stop() {
      stopping.abort();
      await running;
    },
  });
}
