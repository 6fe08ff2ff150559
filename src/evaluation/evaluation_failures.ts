import type { FastifyBaseLogger } from 'fastify';
import type { Counter } from 'prom-client';
import { newerVersion } from './state_codec.ts';

/** A tank whose evaluation failed. Its readings are stored. */
export interface EvaluationFailure {
  tankNo: number;
  error: unknown;
}

export interface FailureMetrics {
  evaluationFailures: Counter<'reason'>;
}

/** Counts failed evaluations and logs each failing tank once. */
export class EvaluationFailureReport {
  readonly #logger: FastifyBaseLogger;
  readonly #metrics: FailureMetrics;
  #isNewerVersionLogged = false;

  constructor(logger: FastifyBaseLogger, metrics: FailureMetrics) {
    this.#logger = logger;
    this.#metrics = metrics;
  }

  /** Adds tanks that failed while their readings were stored. They are marked and re-evaluated within a second. */
  addStored(failures: readonly EvaluationFailure[]): void {
    this.#add(failures, 'warn', 'evaluating a tank failed; its readings are stored, and it is re-evaluated');
  }

  /** Adds tanks that cannot be re-evaluated, each at its first failure. */
  addFailing(failures: readonly EvaluationFailure[]): void {
    this.#add(
      failures,
      'error',
      'a tank cannot be evaluated; its readings are stored, and its re-evaluation is retried with growing delay',
    );
  }

  #add(failures: readonly EvaluationFailure[], level: 'warn' | 'error', message: string): void {
    for (const failure of failures) {
      const { tankNo, error } = failure;
      if (!this.#count(failure)) this.#logger[level]({ tankNo, err: error }, message);
    }
  }

  /** Counts a failure. Returns true if a newer release wrote the state, which is logged once for all tanks. */
  #count({ tankNo, error }: EvaluationFailure): boolean {
    const version = newerVersion(error);
    this.#metrics.evaluationFailures.inc({ reason: version === null ? 'error' : 'newer_state' });
    if (version !== null && !this.#isNewerVersionLogged) {
      this.#isNewerVersionLogged = true;
      this.#logger.warn(
        { tankNo, version },
        'a newer release wrote the states of tanks; their readings are stored and wait for that release to evaluate them',
      );
    }
    return version !== null;
  }
}
