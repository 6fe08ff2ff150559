const EVERY_MS = 2_000;

/** Tells how far a long command has come: a line rewritten in place on a terminal, else a plain line now and then. */
export class Progress {
  readonly #what: string;
  readonly #startedMs = Date.now();
  #toldMs = Date.now();
  #isLineOpen = false;

  constructor(what: string) {
    this.#what = what;
  }

  at(phase: string, count: number): void {
    const nowMs = Date.now();
    if (nowMs - this.#toldMs < (process.stderr.isTTY ? 100 : EVERY_MS)) return;
    this.#toldMs = nowMs;
    const perSecond = Math.round(count / Math.max(0.001, (nowMs - this.#startedMs) / 1_000));
    const line = `${phase} ${count.toLocaleString('en')} ${this.#what} (${perSecond.toLocaleString('en')}/s)`;
    this.#isLineOpen = process.stderr.isTTY;
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
  }

  /** A line that stays. */
  say(line: string): void {
    this.end();
    process.stderr.write(`${line}\n`);
  }

  end(): void {
    if (this.#isLineOpen) process.stderr.write('\r\x1b[K');
    this.#isLineOpen = false;
  }
}
