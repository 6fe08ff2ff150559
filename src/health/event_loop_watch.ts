import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
/** Each histogram covers two of these periods. */
const PERIOD_MS = 30_000;

/**
 * The longest delay of the event loop within the last 30 to 60 seconds. Two histograms overlap: one that is reset misses a delay
 * that begins at once, and one that each scrape resets hides the delay from a second Prometheus.
 */
export class EventLoopWatch {
  #older = startHistogram();
  #newer = startHistogram();
  readonly #timer = setInterval(() => {
    this.#older.disable();
    this.#older = this.#newer;
    this.#newer = startHistogram();
  }, PERIOD_MS).unref();

  /** Without the time between two measurements. */
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
