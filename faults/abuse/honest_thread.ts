import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { percentile } from '../../bench/report.ts';
import { openPaths } from './honest_paths.ts';
import { type HonestOptions, type HonestPath, type PathMeasurement } from './honest_tenant.ts';

/** The thread of the honest tenant: it begins to send at "begin" and reports at "end". */

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- HonestTenant.start gives it
const options = workerData as HonestOptions;
/** The time between two requests of one path. Requests are sent on time even if earlier ones have no answer yet. */
const EVERY_MS: Readonly<Record<HonestPath, number>> = {
  publish: 25,
  connect: 50,
  ingest: 25,
  read: 25,
  page: 50,
  fleet: 25,
  watch: 500,
  change: 100,
  webhook: 100,
  probe: 10,
  idle: 10,
};

class Probe {
  readonly path: HonestPath;
  readonly #send: () => Promise<void>;
  readonly #latenciesMs: number[] = [];
  readonly #underWay = new Set<Promise<void>>();
  readonly #failures: string[] = [];
  #isOver = false;
  readonly #running: Promise<void>;

  constructor(path: HonestPath, send: () => Promise<void>) {
    this.path = path;
    this.#send = send;
    this.#running = this.#run();
  }

  async end(): Promise<PathMeasurement> {
    this.#isOver = true;
    await this.#running;
    await Promise.all(this.#underWay);
    const latenciesMs = this.#latenciesMs;
    return {
      path: this.path,
      requests: latenciesMs.length,
      failures: this.#failures.length,
      firstFailure: this.#failures[0] ?? '',
      p50Ms: percentile(latenciesMs, 0.5),
      p99Ms: percentile(latenciesMs, 0.99),
      maxMs: percentile(latenciesMs, 1),
    };
  }

  async #run(): Promise<void> {
    for (let dueMs = performance.now(); !this.#isOver; dueMs += EVERY_MS[this.path]) {
      const restMs = dueMs - performance.now();
      if (restMs > 0) await sleep(restMs);
      const sent = this.#measure(dueMs).finally(() => this.#underWay.delete(sent));
      this.#underWay.add(sent);
    }
  }

  /** A failed request counts as slow too, so that a server that refuses everybody does not look fast. */
  async #measure(dueMs: number): Promise<void> {
    try {
      await this.#send();
    } catch (error) {
      this.#failures.push(error instanceof Error ? error.message : String(error));
    }
    this.#latenciesMs.push(performance.now() - dueMs);
  }
}

function report(measured: PathMeasurement[]): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(measured);
}

const paths = await openPaths(options);
let probes: Probe[] = [];
parentPort?.on('message', (command: 'begin' | 'end') => {
  if (command === 'begin') probes = [...paths].map(([path, send]) => new Probe(path, send));
  else void Promise.all(probes.map((probe) => probe.end())).then(report);
});
report([]);
