import type { Pool, PoolClient } from 'pg';
import { expect } from 'vitest';

/** The number of statements that wait for a lock in this database. */
export async function countLockWaits(connection: Pool | PoolClient): Promise<number> {
  const { rows } = await connection.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.n ?? 0;
}

export const expectLockWaits = (connection: Pool | PoolClient, count: number): Promise<void> =>
  expect.poll(() => countLockWaits(connection)).toBe(count);
