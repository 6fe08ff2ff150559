import { setTimeout as sleep } from 'node:timers/promises';
import type { Pipeline } from '../../engines/pipeline.ts';
import { silentLogger } from '../../src/health/outage.ts';
import { readStreamConfig } from '../../src/settings/command_settings.ts';
import { Stream } from '../../src/stream/stream.ts';

const LOOK_EVERY_MS = 500;

/** Watches how long readings wait in the stream until they are committed, past all proxies. */
export class LagWatch {
  readonly #stream: Stream;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  /** The age of the oldest message that is not committed; 0 where none waits. */
  nowMs = 0;
  /** The highest since the last `forget`. */
  maxMs = 0;

  private constructor(stream: Stream) {
    this.#stream = stream;
    this.#running = this.#watch();
  }

  static async start({ environment }: Pipeline): Promise<LagWatch> {
    return new LagWatch(
      await Stream.connect({ ...readStreamConfig(environment), clientName: 'fault run', logger: silentLogger }),
    );
  }

  forget(): void {
    this.maxMs = 0;
  }

  /** Whether writers have caught up with gateways within this time. */
  async untilLow(timeoutMs: number): Promise<boolean> {
    const deadlineMs = performance.now() + timeoutMs;
    while (this.nowMs > 2_000) {
      if (performance.now() > deadlineMs) return false;
      await sleep(100);
    }
    return true;
  }

  /** Whether everything in the stream was committed within this time. */
  async untilDrained(timeoutMs: number): Promise<boolean> {
    const deadlineMs = performance.now() + timeoutMs;
    for (;;) {
      const waiting = await this.#stream.status().then(
        (status) => status.waiting,
        () => Number.NaN,
      );
      if (waiting === 0) return true;
      if (performance.now() > deadlineMs) return false;
      await sleep(50);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#stream.close();
  }

  async #watch(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      // What nats-server cannot answer, because it is the one that fails, stays as it was.
      const lagMs = await this.#look().catch(() => undefined);
      if (lagMs !== undefined) {
        this.nowMs = lagMs;
        this.maxMs = Math.max(this.maxMs, lagMs);
      }
      await sleep(LOOK_EVERY_MS);
    }
  }

  async #look(): Promise<number> {
    const { waiting, committedSequence } = await this.#stream.status();
    if (waiting === 0) return 0;
    const storedAtMs = await this.#stream.storedAtMs(committedSequence + 1);
    return storedAtMs === undefined ? 0 : Math.max(0, Date.now() - storedAtMs);
  }
}
