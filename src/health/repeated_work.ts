import { setTimeout as sleep } from 'node:timers/promises';
import { Outage, type StatusLogger } from './outage.ts';

/** Repeats work in the background until it is closed. `work` returns the pause until the next run, in milliseconds. */
export class RepeatedWork {
  readonly #closed = new AbortController();
  readonly #running: Promise<void>;

  constructor(logger: StatusLogger, name: string, pauseAfterFailureMs: number, work: () => Promise<number>) {
    this.#running = this.#run(new Outage(logger, name), pauseAfterFailureMs, work);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
  }

  async #run(outage: Outage, pauseAfterFailureMs: number, work: () => Promise<number>): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      let pauseMs = pauseAfterFailureMs;
      try {
        pauseMs = await work();
        outage.worked();
      } catch (error) {
        outage.failed(error);
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}
