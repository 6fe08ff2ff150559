import { JOBS_SCHEMA } from './jobs.ts';
import { onlyRow } from './only_row.ts';
import type { Db } from './pool.ts';

/** Tables that are used as queues: rows are changed or deleted soon after they are added. */
const QUEUE_TABLES = ['_private_jobs', 'mail_jobs', 'webhook_deliveries', 'reevaluations', 'ledger_marks'];

/** The session, slot or prepared transaction that keeps dead rows from being removed. */
export interface OldestSnapshot {
  /** The oldest transaction id of the holder. It stays the same while the snapshot is open. */
  xid: string;
  /** The number of transaction ids assigned since then. */
  transactions: number;
  /** The name of the holder, such as `session 4711 (psql)`. */
  holder: string;
}

/**
 * Reads the oldest snapshot; null if none holds back vacuum. Every login may read these columns, but not the start time of another
 * login's transaction. A session in another database does not hold back vacuum here, but a replication slot does.
 */
export async function readOldestSnapshot(db: Db): Promise<OldestSnapshot | null> {
  const { rows } = await db.query<OldestSnapshot>(
    `select xid::text, age(xid) as transactions, holder
     from (
       select case when age(backend_xid) >= coalesce(age(backend_xmin), -1) then backend_xid else backend_xmin end as xid,
              format('session %s (%s)', pid, coalesce(nullif(application_name, ''), usename)) as holder
       from pg_stat_activity
       where pid <> pg_backend_pid() and (datname = current_database() or datname is null)
       union all
       select xmin, format('replication slot %s', slot_name) from pg_replication_slots
       union all
       select transaction, format('prepared transaction %s', gid) from pg_prepared_xacts where database = current_database()
     ) as held
     where xid is not null and age(xid) > 0
     order by age(xid) desc limit 1`,
  );
  return rows[0] ?? null;
}

export interface QueueTable {
  table_name: string;
  dead_rows: number;
  live_rows: number;
}

export async function readQueueTables(db: Db): Promise<QueueTable[]> {
  const { rows } = await db.query<QueueTable>(
    // Selected by name, because an operator may read the figures of the job queue but has no right on its schema.
    `select case schemaname when 'public' then relname else format('%s.%s', schemaname, relname) end as table_name,
            n_dead_tup as dead_rows, n_live_tup as live_rows
     from pg_stat_user_tables where schemaname = any ($1) and relname = any ($2) order by 1`,
    [['public', JOBS_SCHEMA], QUEUE_TABLES],
  );
  return rows;
}

export interface ConnectionUse {
  open: number;
  /** The number of connections without those that are reserved for superusers. */
  max: number;
}

export async function readConnectionUse(db: Db): Promise<ConnectionUse> {
  const { rows } = await db.query<ConnectionUse>(
    `select (select sum(numbackends) from pg_stat_database)::int as open,
            current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as max`,
  );
  return onlyRow(rows);
}
