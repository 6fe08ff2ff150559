import type { Db } from '../db/pool.ts';
import { amount } from '../values/text_format.ts';
import { type CheckFinding, finding, firstOfMany, warning } from './finding.ts';

/** Finds endpoints that receive nothing, and deliveries that no worker attempts. */
export async function checkWebhooks(db: Db): Promise<CheckFinding[]> {
  return [...(await checkEndpoints(db)), ...(await checkOverdue(db))];
}

/** Finds endpoints that Tankwatch has disabled. Operators know about those that they disabled themselves. */
async function checkEndpoints(db: Db): Promise<CheckFinding[]> {
  const { rows } = await db.query<{ is_disabled: boolean; n: number; id: string; code: string; since: string }>(
    `select disabled_at is not null as is_disabled, count(*) as n,
            (array_agg(w.id order by w.no))[1] as id, (array_agg(o.code order by w.no))[1] as code,
            (array_agg(coalesce(disabled_at, failing_since) order by w.no))[1] as since
     from webhook_endpoints w join organizations o on o.no = w.organization_no
     where (disabled_at is null and failing_since < now() - interval '1 minute') or disabled_because in ('gone', 'failing')
     group by 1 order by 1`,
  );
  return rows.map(({ is_disabled, n, id, code, since }) =>
    is_disabled
      ? warning(
          firstOfMany(`the webhook ${id} of ${code} was disabled at ${since}, because deliveries failed`, n),
          'ask its owner to fix the endpoint, then: tankwatch webhooks enable, and replay',
        )
      : warning(
          firstOfMany(`the webhook ${id} of ${code} has been failing since ${since}`, n),
          'tankwatch webhooks deliveries shows the responses; an endpoint that fails for five days is disabled',
        ),
  );
}

async function checkOverdue(db: Db): Promise<CheckFinding[]> {
  const { rows } = await db.query<{ n: number; since: string }>(
    `select count(*) as n, min(d.next_attempt_at) as since
     from webhook_deliveries d join webhook_endpoints w on w.no = d.endpoint_no
     where d.status = 'pending' and d.next_attempt_at < now() - interval '10 minutes' and w.disabled_at is null
       and w.failing_since is null
       -- Another check reports held deliveries. Deliveries that were held have ten minutes after the release.
       and not exists (
         select from notification_holds h
         where h.released_at is null or h.released_at > now() - interval '10 minutes' and d.next_attempt_at <= h.released_at
       )`,
  );
  return rows
    .filter(({ n }) => n > 0)
    .map(({ n, since }) =>
      finding(
        `${amount(n, 'webhook messages')} overdue, the oldest since ${since}`,
        'check that tankwatch worker is running and ready, or start a second one',
      ),
    );
}
