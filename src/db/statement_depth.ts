import type { StatementTurns } from './statement_turns.ts';

const TICK_MS = 20;
/** A timer that is later than this means that the event loop is busy: more statements in progress only wait for it. */
const MAX_LATE_MS = 5;
const MIN_DEPTH = 3;
const SHRINK = 0.7;

/**
 * Adapts how many fast reads are in progress while others wait. With 4 places, one sender got 0.54 to 0.65 of the throughput
 * of 32. But when the event loop is busy, the results of 32 reads are handled before the read of a newcomer even begins.
 */
export class StatementDepth {
  static readonly MAX = 32;
  readonly #turns: StatementTurns;
  #timer: NodeJS.Timeout | undefined;
  #tickAtMs = 0;

  constructor(turns: StatementTurns) {
    this.#turns = turns;
  }

  /** Call it after a statement was added. */
  adapt(): void {
    if (this.#timer !== undefined || this.#turns.waiting === 0) return;
    this.#tickAtMs = performance.now();
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    const nowMs = performance.now();
    const isLate = nowMs - this.#tickAtMs > TICK_MS + MAX_LATE_MS;
    this.#tickAtMs = nowMs;
    const { places, waiting } = this.#turns;
    if (waiting > 0 && isLate) this.#turns.places = Math.max(MIN_DEPTH, Math.floor(places * SHRINK));
    else if (places < StatementDepth.MAX) this.#turns.places = places + 1;
    else if (waiting === 0) this.close();
  }
}
