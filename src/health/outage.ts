import { explanationOf } from '../values/explanation.ts';

/** The part of Pino's loggers that reporting needs. */
export interface StatusLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A logger for programs that report nothing, such as tests. */
export const silentLogger: StatusLogger = { info: () => {}, warn: () => {}, error: () => {} };

type OutageLogger = Pick<StatusLogger, 'error' | 'warn'>;

/** Explained failures that are not resolved, by cause. If several parts of a role fail for the same cause, the cause is logged once. */
class OpenProblems {
  readonly #byCause = new Map<string, { sentence: string; outages: Set<Outage> }>();

  get sentences(): string[] {
    return [...this.#byCause.values()].map(({ sentence }) => sentence);
  }

  /** Returns true if the cause is new. */
  open(cause: string, sentence: string, outage: Outage): boolean {
    const known = this.#byCause.get(cause);
    if (known === undefined) this.#byCause.set(cause, { sentence, outages: new Set([outage]) });
    else known.outages.add(outage);
    return known === undefined;
  }

  /** Returns true if no part still fails for this cause. */
  close(cause: string, outage: Outage): boolean {
    const known = this.#byCause.get(cause);
    known?.outages.delete(outage);
    if (known === undefined || known.outages.size > 0) return false;
    return this.#byCause.delete(cause);
  }
}

const problemsByLogger = new WeakMap<OutageLogger, OpenProblems>();

function problemsOf(logger: OutageLogger): OpenProblems {
  const known = problemsByLogger.get(logger) ?? new OpenProblems();
  problemsByLogger.set(logger, known);
  return known;
}

/** Makes roles of one process that use the same servers share their failures, so that each is logged once. */
export function reportTogether(loggers: readonly OutageLogger[]): void {
  const shared = new OpenProblems();
  for (const logger of loggers) problemsByLogger.set(logger, shared);
}

/** Returns the current failures, as sentences with the reason. */
export const openProblems = (logger: OutageLogger): string[] => problemsOf(logger).sentences;

/** Logs when an operation that is retried begins to fail and when it succeeds again, but not every attempt between. */
export class Outage {
  readonly #logger: OutageLogger;
  readonly #operation: string;
  #sinceMs: number | null = null;
  #cause: string | undefined;
  #reason: string | undefined;

  /** `operation` begins the log messages, such as "committing readings". */
  constructor(logger: OutageLogger, operation: string) {
    this.#logger = logger;
    this.#operation = operation;
  }

  get isOn(): boolean {
    return this.#sinceMs !== null;
  }

  /** The reason of the failure, if it is known. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Records a failure. `fields`, such as ids, are logged too. An explained error is logged again when its cause changes. */
  failed(error?: unknown, fields: object = {}): void {
    const explanation = explanationOf(error);
    const isBegin = this.#sinceMs === null;
    this.#sinceMs ??= Date.now();
    if (explanation === undefined) {
      if (isBegin)
        this.#logger.error({ err: error, ...fields }, `${this.#operation} failed; retrying until it succeeds`);
      return;
    }
    const { cause, sentence } = explanation;
    if (cause === this.#cause) return;
    const problems = problemsOf(this.#logger);
    if (this.#cause !== undefined) problems.close(this.#cause, this);
    this.#cause = cause;
    this.#reason = sentence;
    if (problems.open(cause, sentence, this)) this.#logger.error({ waiting: this.#operation, ...fields }, sentence);
  }

  worked(): void {
    if (this.#sinceMs === null) return;
    const failedForMs = Date.now() - this.#sinceMs;
    const isEnd = this.#cause === undefined || problemsOf(this.#logger).close(this.#cause, this);
    this.#sinceMs = null;
    this.#cause = undefined;
    this.#reason = undefined;
    if (isEnd) this.#logger.warn({ failedForMs }, `${this.#operation} works again`);
  }
}
