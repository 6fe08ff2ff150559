import { setTimeout as sleep } from 'node:timers/promises';
import { probeReady } from '../../engines/process.ts';
import { type Repeated, repeat } from '../../engines/repeat.ts';
import type { Part } from './installation.ts';

const LOOK_EVERY_MS = 250;

/** Asks every role whether it is ready, again and again, and remembers since when it has given the same answer. */
export class ReadinessWatch {
  readonly #answers = new Map<Part, { isReady: boolean; sinceMs: number }>();
  readonly #watching: readonly Repeated[];

  constructor(parts: readonly Part[]) {
    this.#watching = parts.map((part) => repeat(LOOK_EVERY_MS, () => this.#look(part)));
  }

  isReady(part: Part): boolean {
    return this.#answers.get(part)?.isReady === true;
  }

  /** How long it has given its current answer. */
  unchangedMs(part: Part): number {
    return performance.now() - (this.#answers.get(part)?.sinceMs ?? performance.now());
  }

  /** Milliseconds until all of them give this answer at the same time; undefined if they do not in time. */
  async until(parts: readonly Part[], isReady: boolean, timeoutMs: number): Promise<number | undefined> {
    const startMs = performance.now();
    for (;;) {
      const elapsedMs = performance.now() - startMs;
      // Asked after the start: an older answer says nothing about what has begun since.
      if (elapsedMs > LOOK_EVERY_MS && parts.every((part) => this.isReady(part) === isReady)) return elapsedMs;
      if (elapsedMs > timeoutMs) return undefined;
      await sleep(50);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#watching.map((watch) => watch.stop()));
  }

  async #look(part: Part): Promise<void> {
    const answer = await probeReady(part.metricsPort);
    const known = this.#answers.get(part);
    if (known?.isReady !== answer) this.#answers.set(part, { isReady: answer, sinceMs: performance.now() });
  }
}
