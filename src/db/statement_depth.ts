import type { StatementTurns } from './statement_turns.ts';

const TICK_MS = 20;
/** A timer that is later than this means that the event loop is busy: more statements in progress only wait for it. */
const MAX_LATE_MS = 5;
/** This process must also use the CPU: on a machine that has no CPU for it, timers are late without any work. */
const MIN_CPU_SHARE = 0.7;
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
  #cpu = process.cpuUsage();

  constructor(turns: StatementTurns) {
    this.#turns = turns;
  }

  /** Call it after a statement was added. */
  adapt(): void {
    if (this.#timer !== undefined || this.#turns.waiting === 0) return;
    this.#tickAtMs = performance.now();
    this.#cpu = process.cpuUsage();
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    const nowMs = performance.now();
    const elapsedMs = nowMs - this.#tickAtMs;
    const { user, system } = process.cpuUsage(this.#cpu);
    const isLate = elapsedMs > TICK_MS + MAX_LATE_MS && (user + system) / 1_000 > MIN_CPU_SHARE * elapsedMs;
    this.#tickAtMs = nowMs;
    this.#cpu = process.cpuUsage();
    const { places, waiting } = this.#turns;
    if (waiting > 0 && isLate) this.#turns.places = Math.max(MIN_DEPTH, Math.floor(places * SHRINK));
    else if (places < StatementDepth.MAX) this.#turns.places = places + 1;
    else if (waiting === 0) this.close();
  }
}
