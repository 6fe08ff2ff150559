import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation } from '../../engines/installation.ts';
import { type Repeated, repeat } from '../../engines/repeat.ts';
import { silentLogger } from '../../src/health/outage.ts';
import { readStreamConfig } from '../../src/settings/command_settings.ts';
import { Stream } from '../../src/stream/stream.ts';

const LOOK_EVERY_MS = 500;

/** Measures how long readings wait in the stream until they are committed. It connects to nats-server without a proxy. */
export class LagWatch {
  readonly #stream: Stream;
  readonly #watching: Repeated;
  /** The age of the oldest message that is not committed. 0 if all messages are committed. */
  nowMs = 0;
  /** The highest since the last `forget`. */
  maxMs = 0;

  private constructor(stream: Stream) {
    this.#stream = stream;
    // While nats-server does not answer, the last values stay.
    this.#watching = repeat(LOOK_EVERY_MS, () => this.#look().catch(() => {}));
  }

  static async start({ environment }: Installation): Promise<LagWatch> {
    return new LagWatch(
      await Stream.connect({ ...readStreamConfig(environment), clientName: 'fault run', logger: silentLogger }),
    );
  }

  forget(): void {
    this.maxMs = 0;
  }

  /** Waits until no reading waits for longer than two seconds. Returns false after the timeout. */
  async untilLow(timeoutMs: number): Promise<boolean> {
    const deadlineMs = performance.now() + timeoutMs;
    while (this.nowMs > 2_000) {
      if (performance.now() > deadlineMs) return false;
      await sleep(100);
    }
    return true;
  }

  /** Waits until everything in the stream is committed. Returns false after the timeout. */
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
    await this.#watching.stop();
    await this.#stream.close();
  }

  async #look(): Promise<void> {
    const { waiting, committedSequence } = await this.#stream.status();
    const storedAtMs = waiting === 0 ? undefined : await this.#stream.storedAtMs(committedSequence + 1);
    this.nowMs = storedAtMs === undefined ? 0 : Math.max(0, Date.now() - storedAtMs);
    this.maxMs = Math.max(this.maxMs, this.nowMs);
  }
}
