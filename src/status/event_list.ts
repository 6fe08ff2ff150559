import type { Db } from '../db/pool.ts';
import { isUuid } from '../values/uuid7.ts';

export interface EventFilter {
  limit: number;
  tankNo: number | null;
  type: string | null;
  since: string | null;
  /** True to include retracted events. */
  withRetracted: boolean;
}

const STATE = `case when e.retracted_at is not null
  then 'retracted' || coalesce(' (' || replace(e.retracted_because, '_', ' ') || ')', '') when e.notify then 'notified' else 'recorded' end`;

/** The events of an organization, newest first. */
export async function listEvents(
  db: Db,
  organizationNo: number,
  { limit, tankNo, type, since, withRetracted }: EventFilter,
): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    `select e.id, e.occurred_at, e.type, t.id as tank_id, t.name as tank, ${STATE} as state, e.data
     from events e left join tanks t on t.no = e.tank_no
     where e.organization_no = $1 and ($2::int is null or e.tank_no = $2) and ($3::text is null or e.type = $3)
       and ($4::timestamptz is null or e.occurred_at >= $4) and ($5 or e.retracted_at is null)
     order by e.occurred_at desc, e.no desc limit $6`,
    [organizationNo, tankNo, type, since, withRetracted, limit],
  );
  return rows;
}

/** One event with the readings that caused it, its webhook deliveries and its mails; undefined if there is none. */
export async function explainEvent(
  db: Db,
  organizationNo: number,
  id: string,
): Promise<(Record<string, unknown> & { tank_no: number }) | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await db.query<Record<string, unknown> & { tank_no: number }>(
    `select e.id, e.type, e.occurred_at, e.recorded_at, e.retracted_at, ${STATE} as state, e.tank_no, t.id as tank_id,
            t.name as tank, e.data, e.readings,
            array(
              select json_build_object('webhook', w.id, 'state', d.status, 'attempts', d.attempts)
              from webhook_deliveries d join webhook_endpoints w on w.no = d.endpoint_no
              where d.event_no = e.no order by d.no
            ) as webhooks,
            array(
              select json_build_object('to', m.recipient, 'kind', m.kind, 'sent_at', m.sent_at,
                                       'retraction_sent_at', m.retraction_sent_at)
              from event_mails m where m.event_no = e.no order by m.no
            ) as mails
     from events e left join tanks t on t.no = e.tank_no
     where e.organization_no = $1 and e.id = $2`,
    [organizationNo, id],
  );
  return rows[0];
}
