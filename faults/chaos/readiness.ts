import { setTimeout as sleep } from 'node:timers/promises';
import { probeReady } from '../../engines/process.ts';
import { type Repeated, repeat } from '../../engines/repeat.ts';
import type { Part } from './installation.ts';

const LOOK_EVERY_MS = 250;

/** Polls the readiness of every role, and records since when it is unchanged. */
export class ReadinessWatch {
  readonly #answers = new Map<Part, { isReady: boolean; sinceMs: number }>();
  readonly #watching: readonly Repeated[];

  constructor(parts: readonly Part[]) {
    this.#watching = parts.map((part) => repeat(LOOK_EVERY_MS, () => this.#look(part)));
  }

  isReady(part: Part): boolean {
    return this.#answers.get(part)?.isReady === true;
  }

  /** The time for which the readiness of the role is unchanged. */
  unchangedMs(part: Part): number {
    return performance.now() - (this.#answers.get(part)?.sinceMs ?? performance.now());
  }

  /** Waits until all these roles have this readiness. Returns the milliseconds, or undefined after the timeout. */
  async until(parts: readonly Part[], isReady: boolean, timeoutMs: number): Promise<number | undefined> {
    const startMs = performance.now();
    for (;;) {
      const elapsedMs = performance.now() - startMs;
      // Only probes after the start count: older ones may be from before the fault.
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
    if (this.#answers.get(part)?.isReady !== answer)
      this.#answers.set(part, { isReady: answer, sinceMs: performance.now() });
  }
}
