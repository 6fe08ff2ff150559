import type { Db } from './pool.ts';

/** The tables of jobs. They have the same columns. */
export type JobTable = 'mail_jobs' | 'text_jobs' | 'push_jobs' | 'escalation_jobs';

/** A job claimed by this process. */
export interface QueuedJob<Task extends string = string> {
  no: number;
  organization_no: number;
  task: Task;
  payload: unknown;
}

/** A worker that dies loses its leases after this time. */
export const LEASE_SECONDS = 25;
/** The largest number of attempts. With the delays of `retryJob` they take 3.5 hours. */
const MAX_TRIES = 10;

/**
 * The action if there is already a job with the key. `replace` restarts the job with the new time and payload. `keep_time`
 * replaces the payload but keeps the time, unless an attempt has failed. `keep_job` changes nothing.
 */
export type IfWaiting = 'replace' | 'keep_time' | 'keep_job';

/** If an attempt of the job is in progress, the job is due again after it, so that two attempts never run at the same time. */
const replaced = (dueAt: string): string => `do update set
  task = excluded.task, payload = excluded.payload, last_error = null, given_up_at = null,
  tries = case when m.claimed_by is null then 0 else m.tries end,
  due_at = case when m.claimed_by is null then ${dueAt} else m.due_at end,
  due_again_at = case when m.claimed_by is not null then excluded.due_at end`;

export const ON_CONFLICT: Readonly<Record<IfWaiting, string>> = {
  replace: replaced('excluded.due_at'),
  keep_time: replaced('case when m.tries = 0 then m.due_at else excluded.due_at end'),
  keep_job: 'do nothing',
};

/**
 * Adds jobs. `wanted` is a select with the columns organization_no, key, payload and due_at; `values` are its parameters. All callers
 * insert in the order of the keys, so that they cannot deadlock.
 */
export async function enqueueJobs(
  db: Db,
  table: JobTable,
  task: string,
  wanted: string,
  values: readonly unknown[],
  ifWaiting: IfWaiting = 'replace',
): Promise<void> {
  await db.query(
    `insert into ${table} as m (organization_no, task, key, payload, due_at)
     select distinct on (key) organization_no, '${task}', key, payload, due_at from (${wanted}) as wanted order by key
     on conflict (key) ${ON_CONFLICT[ifWaiting]}`,
    [...values],
  );
}

/**
 * Claims due jobs up to `limit`: one of each organization, in the order of their numbers and beginning after `afterNo`, so that
 * organizations take turns. The statement reads the first index entry of each organization, and stops at `limit` jobs.
 */
export async function claimJobs<Task extends string>(
  db: Db,
  table: JobTable,
  { claimedBy, afterNo, limit }: { claimedBy: string; afterNo: number; limit: number },
): Promise<QueuedJob<Task>[]> {
  const { rows } = await db.query<QueuedJob<Task>>({
    name: `claim_${table}`,
    text: `with recursive organization (no) as (
         select (select organization_no from ${table}
                 where given_up_at is null and organization_no > $2 order by organization_no limit 1)
         where exists (select from ${table} where given_up_at is null and due_at <= now())
         union all
         select (select m.organization_no from ${table} m
                 where m.given_up_at is null and m.organization_no > organization.no order by m.organization_no limit 1)
         from organization where organization.no is not null
       ), next as materialized (
         select first.no from organization
         cross join lateral (
           select m.no from ${table} m
           where m.given_up_at is null and m.organization_no = organization.no and m.due_at <= now()
           order by m.due_at limit 1 for update skip locked
         ) as first
         limit $3
       )
       update ${table} m
       set due_at = now() + make_interval(secs => ${LEASE_SECONDS}), claimed_by = $1, due_again_at = null,
           tries = tries + 1
       from next where m.no = next.no
       returning m.no, m.organization_no, m.task, m.payload`,
    values: [claimedBy, afterNo, limit],
  });
  return rows.toSorted((a, b) => a.organization_no - b.organization_no);
}

/** Extends the leases of these jobs. */
export async function extendLeases(db: Db, table: JobTable, claimedBy: string, nos: readonly number[]): Promise<void> {
  await db.query(
    `update ${table} set due_at = now() + make_interval(secs => ${LEASE_SECONDS}) where no = any ($2) and claimed_by = $1`,
    [claimedBy, nos],
  );
}

/** Whether this process has the lease of a job when it reads the answer. A process that was suspended may have lost it. */
export async function hasLease(db: Db, table: JobTable, claimedBy: string, { no }: QueuedJob): Promise<boolean> {
  const startMs = performance.now();
  const { rows } = await db.query<{ left_ms: number }>(
    `select extract(epoch from due_at - now())::float8 * 1000 as left_ms from ${table} where no = $1 and claimed_by = $2`,
    [no, claimedBy],
  );
  return performance.now() - startMs < (rows[0]?.left_ms ?? 0);
}

/** Deletes a job whose attempt succeeded, unless it was enqueued again in the meantime. */
export async function finishJob(db: Db, table: JobTable, claimedBy: string, { no }: QueuedJob): Promise<void> {
  await db.query(
    `with again as (
       update ${table} set due_at = due_again_at, due_again_at = null, claimed_by = null, tries = 0
       where no = $2 and claimed_by = $1 and due_again_at is not null
       returning no
     )
     delete from ${table} where no = $2 and claimed_by = $1 and due_again_at is null and not exists (select from again)`,
    [claimedBy, no],
  );
}

/**
 * Schedules the next attempt of a job. The delays are 3, 7, 20, 55 s ... and 2.3 h. After the last attempt, gives the job up and
 * returns true.
 */
export async function retryJob(
  db: Db,
  table: JobTable,
  claimedBy: string,
  { no }: QueuedJob,
  error: string,
): Promise<boolean> {
  const { rows } = await db.query<{ is_given_up: boolean }>(
    `update ${table}
     set claimed_by = null, last_error = $3, due_again_at = null,
         tries = case when due_again_at is null then tries else 0 end,
         due_at = coalesce(due_again_at, now() + make_interval(secs => exp(tries))),
         given_up_at = case when due_again_at is null and tries >= ${MAX_TRIES} then now() end
     where no = $2 and claimed_by = $1
     returning given_up_at is not null as is_given_up`,
    [claimedBy, no, error],
  );
  return rows[0]?.is_given_up ?? false;
}
