import type pg from 'pg';

/**
 * Installs graphile-worker's own schema, or brings it up to the release we use, and lets the worker role work in it.
 * Its tables have row security on and no policy, which shuts out everybody but their owner.
 */
export async function installJobs(pool: pg.Pool): Promise<void> {
  // Loaded here and not above: everything that knows of migrations would wait for it.
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
