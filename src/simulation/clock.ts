import { setTimeout as sleep } from 'node:timers/promises';

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Begins in the past, runs faster than the real one until it has caught up with it, and from then on is the real one. */
export class SimulatedClock {
  readonly #begunAtMs = Date.now();
  readonly #startMs: number;
  readonly #speed: number;

  constructor(startMs: number, speed: number) {
    this.#startMs = startMs;
    this.#speed = speed;
  }

  /** Never in the future. */
  nowMs(): number {
    const realMs = Date.now();
    return Math.min(realMs, this.#startMs + (realMs - this.#begunAtMs) * this.#speed);
  }

  /** Resolves when this clock shows that time, or at once when the signal says so. */
  async until(atMs: number, signal: AbortSignal): Promise<void> {
    const realMs = Math.max(atMs, this.#begunAtMs + (atMs - this.#startMs) / this.#speed);
    for (let restMs = realMs - Date.now(); restMs > 0 && !signal.aborted; restMs = realMs - Date.now()) {
      await sleep(Math.min(restMs, MAX_TIMER_MS), undefined, { signal }).catch(() => {});
    }
  }
}
