import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import type { PrivateDatabase } from '../engines/database.ts';
import type { RoleProcess } from '../engines/process.ts';
import { cpuSeconds } from '../engines/process_use.ts';
import { claimJobs } from '../src/db/job_tables.ts';
import { claimWebhookDeliveries } from '../src/webhooks/deliveries.ts';
import { findDue } from '../src/worker/due_watch.ts';
import { atMost, type BenchOptions, type Check } from './report.ts';

const RUNS = 100;
/** After this time hanging attempts have ended, and plans are made. */
const SETTLE_MS = 20_000;
const APPLICATION = 'bench';

/** The statement with which graphile-worker finds a job, without the update that locks it. */
const FIND_JOB = `
  select jobs.id from graphile_worker._private_jobs as jobs
  where jobs.is_available = true and run_at <= now()
    and task_id = any (array(select id from graphile_worker._private_tasks where identifier = 'notify_events'))
    and (jobs.job_queue_id is null or jobs.job_queue_id in (
      select id from graphile_worker._private_job_queues as queues where queues.is_available = true for update skip locked
    ))
  order by priority asc, run_at asc limit 1 for update skip locked`;

/**
 * Measures the cost of polling for work while many mails and deliveries are in the tables, in CPU time of PostgreSQL's processes,
 * so that other work on the machine does not count. The idle worker is measured first, and then stopped.
 */
export async function benchWaitingQueues(
  database: PrivateDatabase,
  worker: RoleProcess,
  { isQuick, log }: BenchOptions,
): Promise<Check[]> {
  const size = isQuick ? 20_000 : 200_000;
  const endpoints = size / 10;
  log(`${size} waiting mails, ${endpoints} endpoints, ${size} finished deliveries`);
  await fillQueues(database, size, endpoints);
  const seconds = isQuick ? 10 : 60;
  const share = await measureIdleShare(database, worker, seconds);

  const pool = new Pool({ connectionString: database.urls.worker, max: 3, application_name: APPLICATION });
  pool.on('error', () => {});
  try {
    const findJob = (): Promise<unknown> => pool.query({ name: 'find_job', text: FIND_JOB });
    const vainMs = await measureBackendMs(pool, findJob);
    // A running worker would take the job.
    await worker.kill();
    await database.owner.query(`select enqueue_events('{1}')`);
    const foundMs = await measureBackendMs(pool, findJob);
    const capacity = { byEndpoint: new Map<number, number>(), perOtherEndpoint: 1, total: 250 };
    const claimedBy = '00000000-0000-4000-8000-000000000000';
    return [
      atMost('database CPU of looking for a notification job in vain, ms', vainMs, 5),
      atMost('database CPU of finding a notification job, ms', foundMs, 5),
      atMost('database CPU of a poll for all due work, ms', await measureBackendMs(pool, () => findDue(pool)), 1),
      atMost(
        'database CPU of a claim of webhooks that finds nothing, ms',
        await measureBackendMs(pool, () => claimWebhookDeliveries(pool, capacity)),
        5,
      ),
      atMost(
        'database CPU of a claim of mails that finds nothing, ms',
        await measureBackendMs(pool, () => claimJobs(pool, 'mail_jobs', { claimedBy, afterNo: 0, limit: 4 })),
        5,
      ),
      atMost(`share of a core of an idle worker with its database, in ${seconds} s`, share, 0.02),
    ];
  } finally {
    await pool.end();
  }
}

/** Inserts mails that are due tomorrow and finished deliveries, so that an idle worker has nothing to send. */
async function fillQueues({ owner }: PrivateDatabase, size: number, endpoints: number): Promise<void> {
  // Pending deliveries to endpoints that hang would be repeated.
  await owner.query(`update webhook_deliveries set status = 'canceled', finished_at = now() where status = 'pending'`);
  await owner.query(
    `insert into mail_jobs (organization_no, task, key, payload, due_at)
     select n % 20000, 'mail_event', 'bench:' || n, '{"event_no": 0, "recipient": "customer", "recipient_no": 0}', now() + interval '1 day'
     from generate_series(1, $1::int) as n`,
    [size],
  );
  await owner.query(
    `with endpoint as (
       insert into webhook_endpoints (id, organization_no, url, types, secret)
       select gen_random_uuid(), o.no, 'http://127.0.0.1:9/', '{}', 'bench'
       from (select no from organizations limit 1) as o, generate_series(1, $1::int)
       returning no
     )
     insert into webhook_deliveries (endpoint_no, event_no, status, tries, finished_at)
     select endpoint.no, e.no, 'delivered', 1, now() from endpoint, (select no from events order by no limit $2) as e`,
    [endpoints, size / endpoints],
  );
  await owner.query('vacuum analyze');
}

/** Measures the CPU time of one run in the processes of the pool's connections. */
async function measureBackendMs(pool: Pool, work: () => Promise<unknown>): Promise<number> {
  await work(); // makes the plans
  const readMs = async (): Promise<number> => {
    const { rows } = await pool.query<{ pid: number }>('select pid from pg_stat_activity where application_name = $1', [
      APPLICATION,
    ]);
    const texts = await Promise.all(rows.map(({ pid }) => readFile(`/proc/${pid}/schedstat`, 'utf8')));
    return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e6, 0);
  };
  const beforeMs = await readMs();
  for (let run = 0; run < RUNS; run++) await work();
  return ((await readMs()) - beforeMs) / RUNS;
}

/** Measures the share of a core, with the connections that the worker opens meanwhile: pools close unused ones. */
async function measureIdleShare({ owner }: PrivateDatabase, worker: RoleProcess, seconds: number): Promise<number> {
  await sleep(SETTLE_MS);
  const startedMs = performance.now();
  const used = new Map<number, { before: number; now: number }>();
  for (let isFirst = true; isFirst || performance.now() - startedMs < seconds * 1_000; isFirst = false) {
    const { rows } = await owner.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name like 'tankwatch worker%'`,
    );
    for (const pid of [worker.pid ?? 0, ...rows.map((row) => row.pid)]) {
      const now = await cpuSeconds(pid);
      used.set(pid, { before: used.get(pid)?.before ?? (isFirst ? now : 0), now });
    }
    await sleep(1_000);
  }
  const total = [...used.values()].reduce((sum, { before, now }) => sum + now - before, 0);
  return total / ((performance.now() - startedMs) / 1_000);
}
