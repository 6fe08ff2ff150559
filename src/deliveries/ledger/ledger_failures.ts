import { Outage, type StatusLogger } from '../../health/outage.ts';

/** A failed ledger fails again until the data or the program changes, so it is retried only once a minute. */
const RETRY_AFTER_MS = 60_000;

/** Organizations whose ledgers cannot be made. Each waits a minute before it is tried again; the others continue. */
export class LedgerFailures {
  readonly #logger: Pick<StatusLogger, 'error' | 'warn'>;
  readonly #nowMs: () => number;
  readonly #failing = new Map<number, { outage: Outage; retryAtMs: number }>();

  constructor(logger: Pick<StatusLogger, 'error' | 'warn'>, nowMs = (): number => performance.now()) {
    this.#logger = logger;
    this.#nowMs = nowMs;
  }

  /** The numbers of organizations that are not tried now. */
  get waiting(): number[] {
    const nowMs = this.#nowMs();
    return [...this.#failing].flatMap(([organizationNo, { retryAtMs }]) => (retryAtMs > nowMs ? organizationNo : []));
  }

  failed(organizationNo: number, error: unknown): void {
    const outage = this.#failing.get(organizationNo)?.outage ?? new Outage(this.#logger, 'making a ledger');
    outage.failed(error, { organizationNo });
    this.#failing.set(organizationNo, { outage, retryAtMs: this.#nowMs() + RETRY_AFTER_MS });
  }

  worked(organizationNo: number): void {
    this.#failing.get(organizationNo)?.outage.worked();
    this.#failing.delete(organizationNo);
  }
}
