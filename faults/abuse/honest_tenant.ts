import { Worker } from 'node:worker_threads';
import type { DeviceLogin } from '../../src/simulation/device_login.ts';

/**
 * What an honest tenant does: publishes over an open connection, connects and publishes, sends readings over HTTP, reads its
 * tanks in /v1 and in /fleet/v1, watches them, changes its customers, opens a page without a key, and receives webhooks.
 * The latency of `probe`, a health check of the api, shows the delay of the api's event loop. The latency of `idle`, the same
 * request to an idle process, shows the delay that the machine and the honest tenant's own thread cause.
 */
export type HonestPath =
  | 'publish'
  | 'connect'
  | 'ingest'
  | 'read'
  | 'fleet'
  | 'watch'
  | 'change'
  | 'page'
  | 'webhook'
  | 'probe'
  | 'idle';

export interface HonestOptions {
  paths: readonly HonestPath[];
  mqttUrl: string;
  gatewayUrl: string;
  apiUrl: string;
  /** The address of an idle process. */
  idleUrl: string;
  devices: readonly DeviceLogin[];
  ingestKey: string;
  readKey: string;
  manageKey: string;
  /** For the events that webhooks announce. */
  ownerDatabaseUrl: string;
  organizationNo: number;
  tankNo: number;
  /** Where the honest tenant's endpoint listens. */
  webhookPort: number;
}

export interface PathMeasurement {
  path: HonestPath;
  requests: number;
  failures: number;
  /** The message of the first failure. Empty if there was none. */
  firstFailure: string;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

/** The honest tenant. It runs in another thread, because the attack keeps this one busy. */
export class HonestTenant {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  static async start(options: HonestOptions): Promise<HonestTenant> {
    const worker = new Worker(new URL('honest_thread.ts', import.meta.url), { workerData: options });
    const tenant = new HonestTenant(worker);
    await tenant.#next();
    return tenant;
  }

  /** Sends requests at a fixed rate until `until` is settled, then waits for the last answers. */
  async measure<T>(until: Promise<T>): Promise<{ measured: PathMeasurement[]; result: T }> {
    this.#command('begin');
    const result = await until;
    this.#command('end');
    return { measured: await this.#next(), result };
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #command(command: 'begin' | 'end'): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage(command);
  }

  #next(): Promise<PathMeasurement[]> {
    return new Promise((resolve, reject) => {
      this.#worker.once('error', reject);
      this.#worker.once('message', (message: PathMeasurement[]) => {
        this.#worker.off('error', reject);
        resolve(message);
      });
    });
  }
}
