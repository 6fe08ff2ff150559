/** The part of a logger that reporting needs. Pino's loggers have it. */
export interface StatusLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** For programs that report nothing, such as tests. */
export const silentLogger: StatusLogger = { info: () => {}, warn: () => {}, error: () => {} };

/** Logs when an operation that is retried begins to fail and when it succeeds again, but not every attempt between. */
export class Outage {
  readonly #logger: Pick<StatusLogger, 'error' | 'warn'>;
  readonly #operation: string;
  #sinceMs: number | null = null;

  /** `operation` begins the log messages, such as "committing readings". */
  constructor(logger: Pick<StatusLogger, 'error' | 'warn'>, operation: string) {
    this.#logger = logger;
    this.#operation = operation;
  }

  get isOn(): boolean {
    return this.#sinceMs !== null;
  }

  /** `fields` are logged too, such as the ids of what failed. */
  failed(error?: unknown, fields: object = {}): void {
    if (this.#sinceMs !== null) return;
    this.#sinceMs = Date.now();
    this.#logger.error({ err: error, ...fields }, `${this.#operation} failed; retrying until it succeeds`);
  }

  worked(): void {
    if (this.#sinceMs === null) return;
    this.#logger.warn({ failedForMs: Date.now() - this.#sinceMs }, `${this.#operation} works again`);
    this.#sinceMs = null;
  }
}
