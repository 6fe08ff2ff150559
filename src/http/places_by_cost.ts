import type { Turns } from '../values/turns.ts';

/**
 * How much work of this thread may be in progress while others wait. The results of all requests in progress can arrive in one
 * turn of the event loop, and a request that arrives then waits for all of them.
 */
const MAX_WORK_MS = 5;
/** Fewer leave the database idle while this thread works. */
export const MIN_PLACES = 4;
/** Of one organization: while its requests wait for the database and hold all of them, others still begin. */
export const MAX_PLACES_PER_GROUP = 32;
const MAX_PLACES = 40;
const TICK_MS = 20;
/** Of the cost that is remembered, in each tick. */
const FORGET = 0.3;

/**
 * Adapts how many requests are in progress to what one costs this thread: 25 for a tank (0.2 ms), 4 for a page of 100 tanks
 * (4 ms). With 32 such pages in progress, another sender's p99 was 140 to 390 ms, with 4 it was 36 to 46 ms. With 4 places for
 * tanks, one sender got 0.54 to 0.65 of the throughput of 32.
 */
export class PlacesByCost {
  readonly #turns: Turns;
  #timer: NodeJS.Timeout | undefined;
  #cpu = process.threadCpuUsage();
  #ended = 0;
  #costMs = MAX_WORK_MS / MIN_PLACES;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  /** Call it after a request had to wait. */
  adapt(): void {
    if (this.#timer !== undefined) return;
    this.#cpu = process.threadCpuUsage();
    this.#ended = this.#turns.ended;
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  #tick(): void {
    if (this.#turns.waiting === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const ended = this.#turns.ended - this.#ended;
    this.#ended += ended;
    const { user, system } = process.threadCpuUsage(this.#cpu);
    this.#cpu = process.threadCpuUsage();
    // If none has ended and this thread had little to do, the requests wait for the database and cost nothing here.
    const costMs = (user + system) / 1_000 / Math.max(ended, 1);
    this.#costMs += FORGET * (costMs - this.#costMs);
    this.#turns.places = Math.round(Math.min(Math.max(MAX_WORK_MS / this.#costMs, MIN_PLACES), MAX_PLACES));
  }
}
