import type { Pool } from 'pg';
import { openPool } from './pool.ts';

/** Opens a pool for the work, and ends it afterwards. */
export async function withPool<T>(
  options: Parameters<typeof openPool>[0],
  work: (pool: Pool) => Promise<T>,
): Promise<T> {
  const pool = openPool(options);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
