import type { Db } from '../db/pool.ts';
import { isUuid } from '../values/uuid7.ts';
import { MAX_WEBHOOKS } from './webhook_limits.ts';
import type { WebhookType } from './webhook_types.ts';

/** A webhook endpoint, as /manage/v1 returns it. */
export interface Webhook {
  id: string;
  object: 'webhook';
  url: string;
  types: WebhookType[];
  enabled: boolean;
  disabled_at: string | null;
  disabled_because: 'operator' | 'gone' | 'failing' | null;
  failing_since: string | null;
  previous_secret_until: string | null;
  last_test: { at: string; status: number | null; duration_ms: number; error: string | null } | null;
  created_at: string;
}

export interface StoredWebhook {
  no: number;
  object: Webhook;
}

interface Row extends Omit<Webhook, 'last_test'> {
  no: number;
  sent_at: string | null;
  status: number | null;
  error: string | null;
  duration_ms: number | null;
}

const WEBHOOKS = `select w.no, w.id, 'webhook' as object, w.url, w.types, w.disabled_at is null as enabled, w.disabled_at,
    w.disabled_because, w.failing_since,
    case when w.previous_secret_until > now() then w.previous_secret_until end as previous_secret_until, w.created_at,
    t.sent_at, t.status, t.error, t.duration_ms
  from webhook_endpoints w left join webhook_tests t on t.endpoint_no = w.no
  where w.organization_no = $1 and w.deleted_at is null`;

function stored({ no, sent_at, status, error, duration_ms, ...object }: Row): StoredWebhook {
  const last_test = sent_at === null ? null : { at: sent_at, status, duration_ms: duration_ms ?? 0, error };
  return { no, object: { ...object, last_test } };
}

/** With `isLocked`, the webhook is locked until the end of the transaction, and read after the lock was waited for. */
export async function findWebhook(
  db: Db,
  organizationNo: number,
  id: string,
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<StoredWebhook | undefined> {
  if (!isUuid(id)) return undefined;
  const lock = isLocked ? 'for no key update of w' : '';
  const { rows } = await db.query<Row>(`${WEBHOOKS} and w.id = $2 ${lock}`, [organizationNo, id]);
  return rows[0] && stored(rows[0]);
}

export async function isDeletedWebhook(db: Db, organizationNo: number, id: string): Promise<boolean> {
  if (!isUuid(id)) return false;
  const { rows } = await db.query(
    'select from webhook_endpoints where organization_no = $1 and id = $2 and deleted_at is not null',
    [organizationNo, id],
  );
  return rows.length > 0;
}

/** The endpoints of an organization: the enabled ones, then the disabled ones, each newest first. */
export async function listWebhooks(db: Db, organizationNo: number): Promise<Webhook[]> {
  const { rows } = await db.query<Row>(
    `${WEBHOOKS} order by w.disabled_at is not null, w.no desc limit ${MAX_WEBHOOKS}`,
    [organizationNo],
  );
  return rows.map((row) => stored(row).object);
}

/** Columns of a delivery `d` and its event `e`. The delivery of a change has no event. */
export const DELIVERED_COLUMNS = `coalesce(e.id, d.message_id) as event_id, coalesce(e.type, d.change_kind || '.changed') as type,
  coalesce(e.occurred_at, d.created_at) as occurred_at`;

/** The delivery of an event or a change to an endpoint. */
export interface ManagedWebhookDelivery {
  number: number;
  object: 'delivery';
  event_id: string;
  type: string;
  occurred_at: string;
  tank_id: string | null;
  object_id: string | null;
  status: 'pending' | 'delivered' | 'failed' | 'canceled';
  attempts: number;
  last_attempt: { at: string; status: number | null; duration_ms: number; error: string | null } | null;
  next_attempt_at: string | null;
}

/** The deliveries of an endpoint, newest first. */
export async function readWebhookDeliveryPage(
  db: Db,
  endpointNo: number,
  { size, beforeNo }: { size: number; beforeNo: number | null },
): Promise<ManagedWebhookDelivery[]> {
  const { rows } = await db.query<ManagedWebhookDelivery>(
    `select d.no as number, 'delivery' as object, ${DELIVERED_COLUMNS}, t.id as tank_id, d.change_id as object_id, d.status,
            jsonb_array_length(d.attempts) as attempts,
            case when d.attempts <> '[]' then json_build_object('at', d.attempts -> -1 -> 'at',
              'status', d.attempts -> -1 -> 'status', 'duration_ms', d.attempts -> -1 -> 'ms',
              'error', d.attempts -> -1 -> 'error') end as last_attempt,
            case when d.status = 'pending' then d.next_attempt_at end as next_attempt_at
     from webhook_deliveries d left join events e on e.no = d.event_no left join tanks t on t.no = e.tank_no
     where d.endpoint_no = $1 and ($2::bigint is null or d.no < $2)
     order by d.no desc limit $3`,
    [endpointNo, beforeNo, size],
  );
  return rows;
}

/** The endpoints of an organization, newest first, without their secrets. */
export async function listEndpoints(db: Db, organizationNo: number): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    `select id, url, coalesce(nullif(array_to_string(types, ' '), ''), 'all') as types,
            case when disabled_at is not null then 'disabled (' || disabled_because || ')'
                 when failing_since is not null then 'failing' else 'live' end as state,
            failing_since, disabled_at, created_at
     from webhook_endpoints where organization_no = $1 and deleted_at is null order by no desc`,
    [organizationNo],
  );
  return rows;
}

/** The deliveries of an endpoint, newest first, with all attempts. */
export async function listWebhookDeliveries(
  db: Db,
  endpointNo: number,
  limit: number,
): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    `select ${DELIVERED_COLUMNS}, e.retracted_at, d.change_id as object_id, d.status as state, jsonb_array_length(d.attempts) as tried,
            coalesce(d.attempts -> -1 ->> 'status', d.attempts -> -1 ->> 'error') as last_answer,
            case when d.status = 'pending' then d.next_attempt_at end as next_attempt_at, d.finished_at, d.attempts
     from webhook_deliveries d left join events e on e.no = d.event_no
     where d.endpoint_no = $1 order by d.no desc limit $2`,
    [endpointNo, limit],
  );
  return rows;
}
