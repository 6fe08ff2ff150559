import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { LedgerFailures } from '../deliveries/ledger/ledger_failures.ts';
import { makeDueLedgers, markReportedNotes } from '../deliveries/ledger/make_ledgers.ts';
import { Outage, type StatusLogger } from '../health/outage.ts';

const PAUSE_MS = 1_000;
/** The pause between two batches, because the worker has other work, and an import of years of notes can wait. */
const BUSY_PAUSE_MS = 20;
const WAITING_EVERY_MS = 60_000;

/** Rebuilds the ledgers of customers when a note, a refill or a pin has changed. */
export class LedgerLoop {
  readonly #closed = new AbortController();
  readonly #running: Promise<void>;

  constructor(pool: Pool, logger: StatusLogger) {
    this.#running = this.#run(pool, new Outage(logger, 'making ledgers'), new LedgerFailures(logger));
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
  }

  async #run(pool: Pool, outage: Outage, failures: LedgerFailures): Promise<void> {
    const { signal } = this.#closed;
    let nextMarkMs = 0;
    while (!signal.aborted) {
      let pauseMs = PAUSE_MS;
      try {
        if (performance.now() >= nextMarkMs) {
          await markReportedNotes(pool);
          nextMarkMs = performance.now() + WAITING_EVERY_MS;
        }
        if ((await makeDueLedgers(pool, { failures })) > 0) pauseMs = BUSY_PAUSE_MS;
        outage.worked();
      } catch (error) {
        outage.failed(error);
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}
