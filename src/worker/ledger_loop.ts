import type { Pool } from 'pg';
import { LedgerFailures } from '../deliveries/ledger/ledger_failures.ts';
import { makeDueLedgers, markReportedNotes } from '../deliveries/ledger/make_ledgers.ts';
import type { StatusLogger } from '../health/outage.ts';
import { RepeatedWork } from '../health/repeated_work.ts';

const PAUSE_MS = 1_000;
/** The pause between two batches, because the worker has other work, and an import of years of notes can wait. */
const BUSY_PAUSE_MS = 20;
/** The interval at which notes that wait for their gauges are checked. */
const MARK_INTERVAL_MS = 60_000;

/** Rebuilds the ledgers of customers when a note, a refill or a pin has changed. */
export function startLedgerLoop(pool: Pool, logger: StatusLogger): RepeatedWork {
  const failures = new LedgerFailures(logger);
  let nextMarkMs = 0;
  return new RepeatedWork(logger, 'making ledgers', PAUSE_MS, async () => {
    if (performance.now() >= nextMarkMs) {
      await markReportedNotes(pool);
      nextMarkMs = performance.now() + MARK_INTERVAL_MS;
    }
    return (await makeDueLedgers(pool, { failures })) > 0 ? BUSY_PAUSE_MS : PAUSE_MS;
  });
}
