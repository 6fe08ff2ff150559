import { monitorEventLoopDelay } from 'node:perf_hooks';

/** An idle process wakes up at this interval. It uses 0.25 % of a core at 20 ms, and 0.5 % at 10 ms. */
const RESOLUTION_MS = 20;
const PERIOD_MS = 30_000;
const OVERLAP_MS = 1_000;

/**
 * Measures the longest delay of the event loop within the last 30 to 60 seconds. Two histograms overlap, because a new histogram misses a
 * delay that begins at its start. A scrape does not reset them, because a second Prometheus would then miss the delay.
 */
export class EventLoopWatch {
  #older = startHistogram();
  #newer = this.#older;
  readonly #timer = setInterval(() => {
    const older = this.#newer;
    this.#older = older;
    this.#newer = startHistogram();
    setTimeout(() => older.disable(), OVERLAP_MS).unref(); // its longest delay stays readable
  }, PERIOD_MS).unref();

  /** The longest delay, without the interval of the measurements. */
  get longestSeconds(): number {
    const longestMs = Math.max(this.#older.max, this.#newer.max) / 1e6 - RESOLUTION_MS;
    return Math.max(0, longestMs) / 1_000;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#older.disable();
    this.#newer.disable();
  }
}

function startHistogram(): ReturnType<typeof monitorEventLoopDelay> {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return histogram;
}
