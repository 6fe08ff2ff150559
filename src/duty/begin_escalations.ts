import type { Pool } from 'pg';
import { enqueueJobs } from '../db/job_tables.ts';
import { type Db, type Tx, transaction } from '../db/pool.ts';
import { IS_LOSING_SQL, LOSING_HOURS } from '../status/sections.ts';

/** Adds a job for each of these open escalations. A job that already waits is not changed. */
const enqueueEscalations = (db: Db, condition: string, values: readonly unknown[]): Promise<void> =>
  enqueueJobs(
    db,
    'escalation_jobs',
    'escalate',
    `select x.organization_no, 'escalation:' || x.no as key, jsonb_build_object('escalation_no', x.no) as payload, x.next_at as due_at
     from escalations x where x.ended_at is null and ${condition}`,
    values,
    'keep_job',
  );

/**
 * Begins the escalations of losses, in the transaction that creates the mails and webhooks of these events. An event of a tank with an
 * open escalation begins none, because it belongs to the same alert. If the earlier loss has ended or was retracted, its escalation is
 * ended first, because it would check this only at its next step.
 */
export async function beginEscalations(tx: Db, eventNos: readonly number[]): Promise<void> {
  await tx.query(
    `update escalations x set ended_at = now(), ended_because = 'over', next_at = null
     from events e, events earlier
     where e.no = any ($1) and e.type = 'tank.rapid_loss' and e.retracted_at is null
       and x.tank_no = e.tank_no and x.condition = 'losing' and x.ended_at is null and x.event_no <> e.no and earlier.no = x.event_no
       and (earlier.retracted_at is not null or e.occurred_at > earlier.occurred_at + interval '${LOSING_HOURS} hours')`,
    [eventNos],
  );
  await tx.query(
    `insert into escalations (organization_no, tank_no, event_no, condition, next_at)
     select distinct on (e.tank_no) e.organization_no, e.tank_no, e.no, 'losing', now() + make_interval(secs => p.first_minutes * 60)
     from events e join duty_plans p on p.organization_no = e.organization_no and p.escalates
     where e.no = any ($1) and e.type = 'tank.rapid_loss' and e.retracted_at is null
     order by e.tank_no, e.no desc
     on conflict do nothing`,
    [eventNos],
  );
  await enqueueEscalations(tx, 'x.event_no = any ($1)', [eventNos]);
}

/**
 * Begins the escalations of low tanks that have become empty, whose event may be old, and of losses that a worker of release 0.3.0
 * reported during an upgrade. Runs every minute. Returns the number of new escalations of empty tanks.
 */
export async function beginMissingEscalations(pool: Pool): Promise<number> {
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ no: number }>(
      `insert into escalations (organization_no, tank_no, event_no, condition, next_at)
       select p.organization_no, l.tank_no, low.no, 'low', now() + make_interval(secs => p.first_minutes * 60)
       from duty_plans p
       join fleet_levels l on l.organization_no = p.organization_no and l.fill <= p.empty_percentage
       join fleet_tanks f on f.tank_no = l.tank_no and f.is_low
       cross join lateral (
         select e.no, e.notify from events e where e.tank_no = l.tank_no and e.type = 'tank.low_fill' and e.retracted_at is null
         order by e.occurred_at desc limit 1
       ) as low
       where p.escalates and low.notify and not exists (select from escalations x where x.event_no = low.no)
       order by low.no
       on conflict do nothing
       returning no`,
    );
    await enqueueEscalations(tx, 'x.no = any ($1)', [rows.map(({ no }) => no)]);
    const { rows: losses } = await tx.query<{ no: number }>(
      `select loss.no
       from duty_plans p
       join fleet_tanks f on f.organization_no = p.organization_no and ${IS_LOSING_SQL}
       cross join lateral (
         select e.no, e.notify from events e where e.tank_no = f.tank_no and e.type = 'tank.rapid_loss' and e.retracted_at is null
         order by e.occurred_at desc limit 1
       ) as loss
       where p.escalates and loss.notify and not exists (select from escalations x where x.event_no = loss.no)
         and not exists (
           select from escalations x where x.organization_no = p.organization_no and x.tank_no = f.tank_no and x.condition = 'losing'
             and x.began_at > now() - interval '${LOSING_HOURS} hours'
         )`,
    );
    if (losses.length > 0)
      await beginEscalations(
        tx,
        losses.map(({ no }) => no),
      );
    return rows.length;
  });
}

/**
 * Marks the conditions that exist when a plan begins to escalate or raises the level of empty tanks, so that they are not escalated.
 * Otherwise the first plan would notify people of every empty tank at once, and use up the texts of the day that a loss needs. `upTo`
 * is the new level of empty tanks, `above` the previous one; null if nothing was escalated.
 */
export async function markKnownConditions(
  tx: Tx,
  organizationNo: number,
  { above, upTo }: { above: number | null; upTo: number | null },
): Promise<void> {
  await tx.query(
    `insert into escalations (organization_no, tank_no, event_no, condition, ended_at, ended_because)
     select $1, known.tank_no, begun.no, known.condition, now(), 'known'
     from (
       select l.tank_no, 'low' as condition, 'tank.low_fill' as type
       from fleet_levels l join fleet_tanks f on f.tank_no = l.tank_no and f.is_low
       where l.organization_no = $1 and l.fill <= $3::real and ($2::real is null or l.fill > $2::real)
       union all
       select f.tank_no, 'losing', 'tank.rapid_loss' from fleet_tanks f
       where f.organization_no = $1 and ${IS_LOSING_SQL} and $2::real is null
     ) as known
     cross join lateral (
       select e.no from events e where e.tank_no = known.tank_no and e.type = known.type and e.retracted_at is null
       order by e.occurred_at desc limit 1
     ) as begun
     order by begun.no
     on conflict do nothing`,
    [organizationNo, above, upTo],
  );
}
