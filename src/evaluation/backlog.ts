import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';

export interface EvaluationBacklog {
  /** Tanks that are due, counted up to MAX_COUNTED_TANKS. */
  tanks: number;
  oldest_seconds: number;
  timer_lag_seconds: number;
}

/** The queue has a row for every tank after an upgrade. Counting all of them every few seconds would cost too much. */
const MAX_COUNTED_TANKS = 10_000;

/** Reads how far behind the evaluation is. Timers are not evaluated beyond `storedUpToMs`. */
export async function readBacklog(db: Db, storedUpToMs: number): Promise<EvaluationBacklog> {
  // Finding the oldest row of an organization takes one index lookup, however many of its tanks are in the queue.
  const { rows } = await db.query<EvaluationBacklog>(
    `with recursive queued (organization_no) as (
       select min(organization_no) from reevaluations
       union all
       select (select min(r.organization_no) from reevaluations r where r.organization_no > q.organization_no)
       from queued q where q.organization_no is not null
     ), oldest as (
       select min((select min(r.next_attempt_at) from reevaluations r
                   where r.organization_no = q.organization_no and r.next_attempt_at <= now())) as at
       from queued q where q.organization_no is not null
     ), timer as (
       select min(timer_at) as at from tank_states where timer_at <= to_timestamp($1::float8 / 1000)
     )
     select (select count(*) from (select from reevaluations where next_attempt_at <= now() limit $2) as due)::int as tanks,
            coalesce(greatest(extract(epoch from now() - (select at from oldest)), 0), 0)::float8 as oldest_seconds,
            coalesce($1::float8 / 1000 - extract(epoch from (select at from timer)), 0)::float8 as timer_lag_seconds`,
    [storedUpToMs, MAX_COUNTED_TANKS],
  );
  return onlyRow(rows);
}
