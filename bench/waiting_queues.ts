import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, runOnce } from 'graphile-worker';
import { Pool, type PoolClient } from 'pg';
import type { PrivateDatabase } from '../engines/database.ts';
import type { RoleProcess } from '../engines/process.ts';
import { cpuSeconds } from '../engines/process_use.ts';
import { JOBS_SCHEMA } from '../src/db/jobs.ts';
import { claimMails } from '../src/mail/mail_jobs.ts';
import { claimDeliveries, isDeliveryDue } from '../src/webhooks/deliveries.ts';
import { atMost, type BenchOptions, type Check, figure } from './report.ts';

const RUNS = 100;
const CLIENTS = 8;
const APPLICATION = 'bench';

/**
 * What looking for work costs while much of something else waits: CPU time of PostgreSQL's process, so that other work of the machine
 * does not count. The worker runs meanwhile, and has nothing to do.
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
  const seconds = isQuick ? 10 : 30;
  const share = await idleShare(database, worker, seconds);

  const pool = new Pool({ connectionString: database.urls.worker, max: 3, application_name: APPLICATION });
  pool.on('error', () => {});
  try {
    const runJobs = (): Promise<void> =>
      runOnce({
        pgPool: pool,
        schema: JOBS_SCHEMA,
        logger: new Logger(() => () => {}),
        concurrency: 1,
        noHandleSignals: true,
        taskList: { notify_events: () => {} },
      });
    const nothing = await backendMs(pool, 20, runJobs);
    // The worker would take them.
    await worker.kill();
    const jobs = await backendMs(pool, 1, async () => {
      await database.owner.query('select enqueue_events(array[n]) from generate_series(1, $1) as n', [RUNS]);
      await runJobs();
    });
    const capacity = { byEndpoint: new Map<number, number>(), perOtherEndpoint: 1, total: 250 };
    const claimedBy = '00000000-0000-4000-8000-000000000000';
    return [
      atMost('database CPU of looking for a notification job in vain, ms', nothing, 5),
      atMost('database CPU of a notification job: found, finished, ms', jobs / RUNS, 5),
      atMost('database CPU of a look for due webhooks, ms', await backendMs(pool, RUNS, () => isDeliveryDue(pool)), 1),
      atMost(
        'database CPU of a claim of webhooks that finds nothing, ms',
        await backendMs(pool, RUNS, () => claimDeliveries(pool, capacity)),
        5,
      ),
      atMost(
        'database CPU of a claim of mails that finds nothing, ms',
        await backendMs(pool, RUNS, () => claimMails(pool, { claimedBy, afterNo: 0, limit: 4 })),
        5,
      ),
      atMost(`share of a core of an idle worker with its database, in ${seconds} s`, share, 0.02),
      ...(await compareCommits(database, isQuick ? 1 : 4)),
    ];
  } finally {
    await pool.end();
  }
}

/** Mails whose time has not come: they wait, and an idle worker has nothing to send. */
async function fillQueues({ owner }: PrivateDatabase, size: number, endpoints: number): Promise<void> {
  // What endpoints that hang have left would be repeated.
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

/** The time that the processes of the pool's connections were on a CPU for one run. */
async function backendMs(pool: Pool, runs: number, work: () => Promise<unknown>): Promise<number> {
  await work(); // makes the plans
  const readMs = async (): Promise<number> => {
    const { rows } = await pool.query<{ pid: number }>('select pid from pg_stat_activity where application_name = $1', [
      APPLICATION,
    ]);
    const texts = await Promise.all(rows.map(({ pid }) => readFile(`/proc/${pid}/schedstat`, 'utf8')));
    return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e6, 0);
  };
  const beforeMs = await readMs();
  for (let run = 0; run < runs; run++) await work();
  return ((await readMs()) - beforeMs) / runs;
}

async function idleShare({ owner }: PrivateDatabase, worker: RoleProcess, seconds: number): Promise<number> {
  await sleep(3_000); // its plans are made
  const { rows } = await owner.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name like 'tankwatch worker%'`,
  );
  const pids = [worker.pid ?? 0, ...rows.map(({ pid }) => pid)];
  const used = async (): Promise<number> =>
    (await Promise.all(pids.map((pid) => cpuSeconds(pid)))).reduce((sum, each) => sum + each, 0);
  const [before, startedMs] = [await used(), performance.now()];
  await sleep(seconds * 1_000);
  return ((await used()) - before) / ((performance.now() - startedMs) / 1_000);
}

/** Commits of clients that enqueue notifications against those that insert a row, in turns. add_job notifies, as 0.3.0 did. */
async function compareCommits({ owner }: PrivateDatabase, seconds: number): Promise<Check[]> {
  await owner.query('create table bench_rows (payload json)');
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => owner.connect()));
  try {
    const insert = await commitsPerSecond(clients, seconds, `insert into bench_rows values ('{"event_nos": [1]}')`);
    const quiet = await commitsPerSecond(clients, seconds, `select enqueue_events('{1}')`);
    const loud = await commitsPerSecond(
      clients,
      seconds,
      `select graphile_worker.add_job('notify_events', '{"event_nos": [1]}', priority => -10)`,
    );
    return [
      figure(`commits per second of ${CLIENTS} clients that enqueue, relative to an insert`, quiet / insert),
      figure('the same with add_job, which notifies', loud / insert),
    ];
  } finally {
    for (const client of clients) client.release();
  }
}

async function commitsPerSecond(clients: readonly PoolClient[], seconds: number, text: string): Promise<number> {
  const endMs = performance.now() + seconds * 1_000;
  let commits = 0;
  const run = async (client: PoolClient): Promise<void> => {
    for (; performance.now() < endMs; commits++) await client.query(text);
  };
  await Promise.all(clients.map(run));
  return commits / seconds;
}
