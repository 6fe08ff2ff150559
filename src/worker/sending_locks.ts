import type { Db } from '../db/pool.ts';

/** The first half of the key of the advisory locks. */
const LOCK_CLASS = 'tankwatch sending';

/**
 * The kinds of messages that a worker sends, each with the second half of the key of its advisory lock. A worker takes the shared lock
 * before it checks for a hold, and keeps it until everything that it has begun to send has ended. So after a hold is committed, the
 * exclusive lock is free only when nothing is being sent. If a worker is killed, PostgreSQL releases its lock.
 */
export const SENDING_LOCKS = { notifications: 1, signInMails: 2 } as const;
export type SendingLock = keyof typeof SENDING_LOCKS;

const keyOf = (lock: SendingLock): [string, number] => [LOCK_CLASS, SENDING_LOCKS[lock]];

export async function lockSending(session: Db, lock: SendingLock): Promise<void> {
  await session.query('select pg_advisory_lock_shared(hashtext($1), $2)', keyOf(lock));
}

export async function unlockSending(session: Db, lock: SendingLock): Promise<void> {
  await session.query('select pg_advisory_unlock_shared(hashtext($1), $2)', keyOf(lock));
}

/**
 * Waits until no worker sends. The lock ends with the transaction that the caller has begun on this session after
 * committing the hold. Throws an error with the code 55P03 if a worker still sends after the lock timeout of the session.
 */
export async function untilSendersEnd(session: Db, lock: SendingLock): Promise<void> {
  await session.query('select pg_advisory_xact_lock(hashtext($1), $2)', keyOf(lock));
}

/** The number of workers that may send. */
export async function countSenders(db: Db, lock: SendingLock): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    `select count(*)::int as n from pg_locks
     where locktype = 'advisory' and granted and mode = 'ShareLock' and objsubid = 2
       and database = (select oid from pg_database where datname = current_database())
       and classid = (hashtext($1)::bigint & 4294967295)::oid and objid = $2::int::bigint::oid`,
    keyOf(lock),
  );
  return rows[0]?.n ?? 0;
}
