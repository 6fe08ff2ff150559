import { isoTimeSql } from '../db/iso_time.ts';
import type { Db } from '../db/pool.ts';

/** An escalation with its texts, as /manage/v1 returns it. */
export interface Escalation {
  id: string;
  object: 'escalation';
  tank_id: string;
  tank_name: string | null;
  condition: 'losing' | 'low';
  began_at: string;
  /** The people that the next step notifies; null if there is no next step. */
  next: 'on_duty' | 'next' | 'all' | null;
  next_at: string | null;
  taken_at: string | null;
  ended_at: string | null;
  ended_because: 'over' | 'told' | 'unreachable' | 'failed' | null;
  texts: readonly {
    contact_id: string;
    name: string | null;
    step: number;
    status: 'waiting' | 'sent' | 'delivered' | 'failed' | 'canceled';
    created_at: string;
    finished_at: string | null;
    error: string | null;
  }[];
}

export const MAX_ESCALATIONS = 50;

/**
 * Reads the newest escalations of an organization, the open ones first, or one escalation by its id. Conditions from before the plan are
 * excluded, because they were never escalated. This read checks whether somebody handles a condition, because the escalation itself
 * checks this only when its next step is due.
 */
export async function listEscalations(db: Db, organizationNo: number, id: string | null = null): Promise<Escalation[]> {
  const { rows } = await db.query<Escalation>(
    `select x.id, 'escalation' as object, t.id as tank_id, t.name as tank_name, x.condition, x.began_at,
            case when x.ended_at is null and handled.since is null
              then (array['on_duty', 'next', 'all'])[x.stage + 1] end as next,
            case when x.ended_at is null and handled.since is null then x.next_at end as next_at,
            case when x.ended_at is null then handled.since else x.taken_at end as taken_at,
            x.ended_at, x.ended_because, coalesce(sent.texts, '[]') as texts
     from (
       select * from escalations
       where organization_no = $1 and ended_because is distinct from 'known' and ($2::uuid is null or id = $2)
       order by ended_at is not null, began_at desc limit ${MAX_ESCALATIONS}
     ) as x
     join tanks t on t.no = x.tank_no
     left join lateral (
       select min(h.created_at) as since from handled_conditions h
       where x.ended_at is null and h.tank_no = x.tank_no and h.condition = x.condition
     ) as handled on true
     left join lateral (
       select json_agg(json_build_object('contact_id', c.id, 'name', coalesce(c.name, c.email), 'step', s.step, 'status', s.status,
                'created_at', ${isoTimeSql('s.created_at')}, 'finished_at', ${isoTimeSql('s.finished_at')}, 'error', s.error) order by s.no) as texts
       from texts s join contacts c on c.no = s.contact_no where s.escalation_no = x.no
     ) as sent on true
     order by x.ended_at is not null, x.began_at desc`,
    [organizationNo, id],
  );
  return rows;
}
