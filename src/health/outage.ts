import type { BaseLogger } from 'pino';

type OutageLogger = Pick<BaseLogger, 'error' | 'warn'>;

/** What is tried again and again: that it fails is said once, however often, and once that it works again. */
export class Outage {
  readonly #logger: OutageLogger;
  readonly #what: string;
  #sinceMs: number | null = null;

  constructor(logger: OutageLogger, what: string) {
    this.#logger = logger;
    this.#what = what;
  }

  get isOn(): boolean {
    return this.#sinceMs !== null;
  }

  failed(error: unknown): void {
    if (this.#sinceMs !== null) return;
    this.#sinceMs = Date.now();
    this.#logger.error({ err: error }, `${this.#what} failed; trying until it can be done`);
  }

  worked(): void {
    if (this.#sinceMs === null) return;
    this.#logger.warn({ failedForMs: Date.now() - this.#sinceMs }, `${this.#what} works again`);
    this.#sinceMs = null;
  }
}
