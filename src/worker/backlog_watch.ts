import type { Pool, QueryConfig } from 'pg';
import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import { everyInterval } from '../health/every_interval.ts';
import { Outage, type StatusLogger } from '../health/outage.ts';
import { PENDING_ENDPOINTS_SQL } from '../webhooks/deliveries.ts';
import { readOpenHold } from './holds.ts';
import type { WorkerMetrics } from './metrics.ts';
import { NOTIFICATION_TASKS } from './tasks.ts';

const INTERVAL_MS = 10_000;

/** SQL expression: the seconds since a time. */
const secondsSince = (time: string): string => `coalesce(greatest(extract(epoch from now() - ${time}), 0), 0)::float8`;

/** SQL expression: the time from which held deliveries count as waiting. */
const LAST_RELEASE = '(select max(released_at) from notification_holds)';

/** Failing endpoints are left out of the oldest delivery, because their retries would hide that the worker is too slow. */
const DELIVERIES = `
  with recursive ${PENDING_ENDPOINTS_SQL}
  select (select ${secondsSince(`min(greatest(due.next_attempt_at, ${LAST_RELEASE}))`)}
          from pending join webhook_endpoints w on w.no = pending.endpoint_no
          cross join lateral (
            select d.next_attempt_at from webhook_deliveries d
            where d.endpoint_no = w.no and d.status = 'pending' and d.next_attempt_at <= now()
            order by d.next_attempt_at limit 1
          ) as due
          where w.disabled_at is null and w.failing_since is null) as oldest_delivery,
         count(*) as failing_endpoints, ${secondsSince('min(failing_since)')} as failing_for
  from webhook_endpoints where disabled_at is null and failing_since is not null`;

/**
 * A failed attempt moves run_at and due_at into the future, so a job that was attempted has been waiting since it was
 * created. One row of each index of mail_jobs is enough, independent of the number of mails.
 */
const JOBS = `
  with job as (
    select task_identifier, attempts >= max_attempts as is_given_up, locked_at is not null as is_running,
           case when attempts < max_attempts and (attempts > 0 or run_at <= now())
                then case when attempts = 0 then run_at else created_at end end as waiting_since
    from graphile_worker.jobs
  ), mail as (
    select waiting_since from job where task_identifier like 'mail\\_%'
    union all
    select min(due_at) from mail_jobs where given_up_at is null and due_at <= now()
    union all
    select min(created_at) from mail_jobs where tries > 0 and given_up_at is null
  )
  select (select ${secondsSince(`min(greatest(waiting_since, ${LAST_RELEASE}))`)} from mail where waiting_since is not null) as oldest_mail,
         (select ${secondsSince('min(waiting_since)')} from job
          where not is_running and task_identifier = any ($1)) as oldest_notification,
         (select ${secondsSince('min(waiting_since)')} from job
          where not is_running and task_identifier <> all ($1) and task_identifier not like 'mail\\_%') as oldest_job,
         (select count(*) from job where is_given_up)
           + (select count(*) from mail_jobs where tries > 0 and given_up_at is not null) as given_up`;

interface JobBacklog {
  oldest_mail: number;
  oldest_notification: number;
  oldest_job: number;
  given_up: number;
}

/** Exports how far behind the worker is. It reads every 10 seconds and not at each scrape, so that scrapes cause no load. */
export class BacklogWatch {
  readonly #pool: Pool;
  readonly #metrics: WorkerMetrics;
  readonly #timer: NodeJS.Timeout;

  constructor(pool: Pool, metrics: WorkerMetrics, logger: StatusLogger) {
    this.#pool = pool;
    this.#metrics = metrics;
    const { run, timer } = everyInterval(
      INTERVAL_MS,
      new Outage(logger, 'reading the backlog of the worker'),
      async () => {
        try {
          await this.#read();
        } catch (error) {
          this.#forget();
          throw error;
        }
      },
    );
    this.#timer = timer;
    void run();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** An unknown value is not exported, because an old one would hide the problem. */
  #forget(): void {
    const { oldestDeliverySeconds, failingEndpoints, failingEndpointSeconds } = this.#metrics;
    const { oldestMailSeconds, oldestJobSeconds, givenUpJobs, heldSeconds } = this.#metrics;
    const ofDeliveries = [oldestDeliverySeconds, failingEndpoints, failingEndpointSeconds];
    for (const gauge of [...ofDeliveries, oldestMailSeconds, givenUpJobs, heldSeconds]) gauge.remove();
    oldestJobSeconds.reset();
  }

  async #read(): Promise<void> {
    const metrics = this.#metrics;
    // Held notifications do not wait for a worker, so they must not look like a worker that is too slow.
    const hold = await readOpenHold(this.#pool);
    metrics.heldSeconds.set(hold === undefined ? 0 : (Date.now() - Date.parse(hold.held_at)) / 1_000);
    const deliveries = await readRow<{ oldest_delivery: number; failing_endpoints: number; failing_for: number }>(
      this.#pool,
      { name: 'backlog_of_deliveries', text: DELIVERIES },
    );
    metrics.oldestDeliverySeconds.set(hold === undefined ? deliveries.oldest_delivery : 0);
    metrics.failingEndpoints.set(deliveries.failing_endpoints);
    metrics.failingEndpointSeconds.set(deliveries.failing_for);
    const jobs = await readRow<JobBacklog>(this.#pool, {
      name: 'backlog_of_jobs',
      text: JOBS,
      values: [NOTIFICATION_TASKS],
    });
    metrics.oldestMailSeconds.set(hold === undefined ? jobs.oldest_mail : 0);
    metrics.oldestJobSeconds.set({ queue: 'notifications' }, jobs.oldest_notification);
    metrics.oldestJobSeconds.set({ queue: 'maintenance' }, jobs.oldest_job);
    metrics.givenUpJobs.set(jobs.given_up);
  }
}

async function readRow<Row extends object>(db: Db, statement: QueryConfig): Promise<Row> {
  const { rows } = await db.query<Row>(statement);
  return onlyRow(rows);
}
