import type pg from 'pg';

/**
 * Installs or upgrades the schema of graphile-worker and gives the worker role access to it. Its tables have row security
 * without a policy, so that only their owner can use them; this function adds a policy for the worker role.
 */
export async function installJobs(pool: pg.Pool): Promise<void> {
  // Imported here, because most programs that import this module never migrate.
  const { Logger, runMigrations } = await import('graphile-worker');
  const silent = new Logger(() => () => {});
  await runMigrations({ pgPool: pool, schema: JOBS_SCHEMA, logger: silent });
  await pool.query(`do $$
    declare
      job_table text;
    begin
      grant usage on schema ${JOBS_SCHEMA} to tankwatch_worker;
      grant select on ${JOBS_SCHEMA}.migrations, ${JOBS_SCHEMA}.jobs to tankwatch_worker;
      foreach job_table in array array['_private_jobs', '_private_job_queues', '_private_tasks', '_private_known_crontabs'] loop
        execute format('grant select, insert, update, delete on ${JOBS_SCHEMA}.%I to tankwatch_worker', job_table);
        execute format('drop policy if exists worker on ${JOBS_SCHEMA}.%I', job_table);
        execute format('create policy worker on ${JOBS_SCHEMA}.%I to tankwatch_worker using (true)', job_table);
      end loop;
    end $$`);
}

export const JOBS_SCHEMA = 'graphile_worker';
