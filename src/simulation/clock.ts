import { setTimeout as sleep } from 'node:timers/promises';

const MAX_TIMER_MS = 2 ** 31 - 1;

/** A clock that starts in the past and runs faster than real time until it reaches the present. From then on it shows real time. */
export class SimulatedClock {
  readonly #begunAtMs = Date.now();
  readonly #startMs: number;
  readonly #speed: number;

  constructor(startMs: number, speed: number) {
    this.#startMs = startMs;
    this.#speed = speed;
  }

  /** The simulated time, which is never in the future. */
  nowMs(): number {
    const realMs = Date.now();
    return Math.min(realMs, this.#startMs + (realMs - this.#begunAtMs) * this.#speed);
  }

  /** Waits until this clock reaches the time, or the signal is aborted. */
  async until(atMs: number, signal: AbortSignal): Promise<void> {
    const realMs = Math.max(atMs, this.#begunAtMs + (atMs - this.#startMs) / this.#speed);
    while (!signal.aborted) {
      const restMs = realMs - Date.now();
      if (restMs <= 0) return;
      await sleep(Math.min(restMs, MAX_TIMER_MS), undefined, { signal }).catch(() => {});
    }
  }
}
