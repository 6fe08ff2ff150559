const INTERVAL_MS = 2_000;

/** Shows the progress of a long command: one line that is rewritten on a terminal, or a new line every 2 s elsewhere. */
export class Progress {
  readonly #unit: string;
  #phase = '';
  #startedMs = Date.now();
  #latestMs = Date.now();
  #shownMs = Date.now();
  #isLineOpen = false;

  constructor(unit: string) {
    this.#unit = unit;
  }

  at(phase: string, count: number): void {
    const nowMs = Date.now();
    // Each phase counts from 0. It begins when the previous one has ended.
    if (phase !== this.#phase) this.#startedMs = this.#latestMs;
    this.#phase = phase;
    this.#latestMs = nowMs;
    if (nowMs - this.#shownMs < (process.stderr.isTTY ? 100 : INTERVAL_MS)) return;
    this.#shownMs = nowMs;
    const perSecond = Math.round(count / Math.max(0.001, (nowMs - this.#startedMs) / 1_000));
    const text = `${phase} ${count.toLocaleString('en')} ${this.#unit} (${perSecond.toLocaleString('en')}/s)`;
    this.#isLineOpen = process.stderr.isTTY;
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
  }

  /** Prints a line that stays. */
  line(text: string): void {
    this.end();
    process.stderr.write(`${text}\n`);
  }

  end(): void {
    if (this.#isLineOpen) process.stderr.write('\r\x1b[K');
    this.#isLineOpen = false;
  }
}
