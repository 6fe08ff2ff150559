import type { Pool } from 'pg';
import { onlyRow } from '../src/db/only_row.ts';

/** Settings for a server whose statements are measured. */
export const MEASURED_STATEMENTS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
};

/** Buffers that statements looked at, and those of them that were not in the memory of the server. */
export interface Buffers {
  buffers: number;
  misses: number;
}

/** What the server spent on a request. Other work on the machine changes these figures little. */
export interface ServerCost extends Buffers {
  /** The fastest execution and planning of each statement. */
  minMs: number;
}

/** Runs requests of the api role, and returns what the server spent on one of them. */
export async function serverCost(owner: Pool, requests: number, work: () => Promise<unknown>): Promise<ServerCost> {
  const total = await measureStatements(owner, 'fleet_api', requests, work);
  return { minMs: total.minMs, buffers: total.buffers / requests, misses: total.misses / requests };
}

/** Runs work of a login, and returns the buffers of all its statements. */
export const statementBuffers = (owner: Pool, login: string, work: () => Promise<unknown>): Promise<Buffers> =>
  measureStatements(owner, login, 1, work);

async function measureStatements(
  owner: Pool,
  login: string,
  requests: number,
  work: () => Promise<unknown>,
): Promise<ServerCost> {
  await owner.query('create extension if not exists pg_stat_statements');
  await owner.query('select pg_stat_statements_reset()');
  await work();
  const { rows } = await owner.query<{ min_ms: number; buffers: number; misses: number }>(
    `select coalesce(sum((min_exec_time * calls + min_plan_time * plans) / $2), 0) as min_ms,
            coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as buffers,
            coalesce(sum(shared_blks_read), 0)::float8 as misses
     from pg_stat_statements s join pg_roles r on r.oid = s.userid where r.rolname = $1`,
    [login, requests],
  );
  const { min_ms: minMs, buffers, misses } = onlyRow(rows);
  return { minMs, buffers, misses };
}
