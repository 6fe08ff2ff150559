import type { Db } from '../db/pool.ts';
import { readConnectionUse, readOldestSnapshot, readQueueTables } from '../db/server_load.ts';
import { type CheckFinding, warning } from './finding.ts';

/** A transaction is old after this many others: some minutes with 1,000 commits a second. */
const OLD_TRANSACTIONS = 500_000;
const MANY_DEAD_ROWS = 100_000;
const MANY_CONNECTIONS = 0.8;

/**
 * Finds what makes every queue slow: old snapshots, dead rows that cannot be removed, and connections that are nearly
 * used up.
 */
export async function checkServerLoad(db: Db): Promise<CheckFinding[]> {
  const snapshot = await readOldestSnapshot(db);
  const { open, max } = await readConnectionUse(db);
  const isOld = snapshot !== null && snapshot.transactions > OLD_TRANSACTIONS;
  const findings: CheckFinding[] = [];
  if (isOld)
    findings.push(
      warning(
        `${snapshot.holder} has an old snapshot: ${snapshot.transactions.toLocaleString('en')} transactions have begun since, and their dead rows stay`,
        'end it if nobody needs it: a forgotten psql, a dump, or a replica with hot_standby_feedback. For a session: select pg_terminate_backend(number of the session)',
      ),
    );
  for (const { table_name, dead_rows, live_rows } of await readQueueTables(db))
    if (dead_rows > MANY_DEAD_ROWS && dead_rows > 2 * live_rows)
      findings.push(
        warning(
          `the queue ${table_name} has ${dead_rows.toLocaleString('en')} dead rows, which every read of it passes over`,
          isOld
            ? `end the old snapshot, then: vacuum ${table_name}`
            : `vacuum ${table_name}; check that autovacuum runs`,
        ),
      );
  if (open / max > MANY_CONNECTIONS)
    findings.push(
      warning(
        `${open} of ${max} connections are open; when all are, PostgreSQL refuses more`,
        'set a larger max_connections (a restart), or end what opens too many: select usename, application_name, count(*) from pg_stat_activity group by 1, 2',
      ),
    );
  return findings;
}
