import type { Pool } from 'pg';
import { CUSTOMER_COLUMNS, TANK_COLUMNS } from '../catalog/columns.ts';
import { onlyRow } from '../db/only_row.ts';
import { type Db, type Tx, transaction } from '../db/pool.ts';
import { disableEndpoint } from './endpoints.ts';
import { MAX_FAILING_MS, retryDelayMs } from './retry_delays.ts';
import type { WebhookResponse, WebhookSender } from './sender.ts';
import { signatureHeaders } from './signature.ts';

/** A delivery that this process has taken on, and everything an attempt needs. */
export interface Delivery {
  no: number;
  /** Until then it is ours, unless somebody puts it into the queue anew. */
  leased_until: string;
  tries: number;
  endpoint_no: number;
  url: string;
  secrets: string[];
  failing_since: string | null;
  event_id: string;
  type: string;
  occurred_at: string;
  data: Record<string, unknown>;
  is_retracted: boolean;
  tank_no: number;
  owner_no: number;
}

/** How many deliveries may be begun: of each endpoint named, of each other one, and altogether. */
export interface DeliveryCapacity {
  ofEndpoint: ReadonlyMap<number, number>;
  ofOthers: number;
  inAll: number;
}

/** An attempt ends within 15 s. One that is not over by then died with its process, and the delivery is due again. */
const LEASE_SECONDS = 20;

/** Takes on what is due, the longest due first, for as many as there is room; nobody else takes the same. */
export async function claimDeliveries(db: Db, { ofEndpoint, ofOthers, inAll }: DeliveryCapacity): Promise<Delivery[]> {
  const { rows } = await db.query<Delivery>(
    `with next as materialized (
       select due.no
       from webhook_endpoints w
       left join unnest($1::int[], $2::int[]) as known (endpoint_no, room) on known.endpoint_no = w.no
       cross join lateral (
         select d.no from webhook_deliveries d
         where d.endpoint_no = w.no and d.status = 'pending' and d.next_attempt_at <= now()
         order by d.next_attempt_at limit coalesce(known.room, $3) for update skip locked
       ) as due
       where w.disabled_at is null and coalesce(known.room, $3) > 0
       limit $4
     )
     update webhook_deliveries d set next_attempt_at = now() + make_interval(secs => ${LEASE_SECONDS})
     from next, webhook_endpoints w, events e, tanks t
     where d.no = next.no and w.no = d.endpoint_no and e.no = d.event_no and t.no = e.tank_no
     returning d.no, d.next_attempt_at as leased_until, d.tries, d.endpoint_no, w.url, w.failing_since,
               case when w.previous_secret_until > now() then array[w.secret, w.previous_secret]
                    else array[w.secret] end as secrets,
               e.id as event_id, e.type, e.occurred_at, e.data, e.retracted_at is not null as is_retracted,
               e.tank_no, t.owner_no`,
    [[...ofEndpoint.keys()], [...ofEndpoint.values()], ofOthers, inAll],
  );
  return rows;
}

export type DeliveryOutcome = 'delivered' | 'retrying' | 'failed' | 'canceled' | 'disabled';

/**
 * One attempt of one delivery, and what is recorded of it. Whatever kills it in between, the delivery is due again when
 * its lease is over, and the event is sent again under the same id.
 */
export async function deliver(
  pool: Pool,
  sender: WebhookSender,
  delivery: Delivery,
  { mails }: { mails: boolean },
): Promise<DeliveryOutcome> {
  if (delivery.is_retracted) {
    await finish(pool, delivery.no, 'canceled');
    return 'canceled';
  }
  const body = JSON.stringify(await messageOf(pool, delivery));
  const atMs = Date.now();
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Tankwatch',
    ...signatureHeaders(delivery.secrets, delivery.event_id, atMs, body),
  };
  const answer = await sender.post(delivery.url, headers, body);
  const { status, error, ms } = answer;
  const attempt = JSON.stringify({
    at: new Date(atMs).toISOString(),
    status,
    ...(error === null ? {} : { error }),
    ms,
  });
  if (status !== null && status >= 200 && status < 300) {
    await recordSuccess(pool, delivery, attempt);
    return 'delivered';
  }
  return transaction(pool, (tx) => recordFailure(tx, delivery, attempt, answer, mails));
}

type Row = Record<string, unknown> & { id: string; object: string; deleted: boolean };

/** The message, with the tank and its owner as /v1 shows them now. */
async function messageOf(db: Db, { event_id, type, occurred_at, data, tank_no, owner_no }: Delivery): Promise<object> {
  const shown = async (columns: string, table: 'tanks' | 'customers', no: number): Promise<object> => {
    const { rows } = await db.query<Row>(
      `select ${columns}, i.deleted_at is not null as deleted from ${table} i where i.no = $1`,
      [no],
    );
    return asShown(onlyRow(rows));
  };
  const [tank, customer] = await Promise.all([
    shown(TANK_COLUMNS, 'tanks', tank_no),
    shown(CUSTOMER_COLUMNS, 'customers', owner_no),
  ]);
  return { type, timestamp: occurred_at, data: { id: event_id, ...data, tank, customer } };
}

function asShown({ deleted, ...row }: Row): object {
  return deleted ? { id: row.id, object: row.object, deleted: true } : row;
}

/** In SQL: it is still ours. If not, it was replayed or canceled meanwhile, and what we did is only noted. */
const IS_OURS = `(status = 'pending' and next_attempt_at = $2)`;

/** In one statement, because it is what nearly always happens. */
async function recordSuccess(db: Db, { no, leased_until, endpoint_no }: Delivery, attempt: string): Promise<void> {
  await db.query(
    `with healthy as (
       update webhook_endpoints set failing_since = null where no = $4 and failing_since is not null
     )
     update webhook_deliveries
     set attempts = attempts || $3::jsonb,
         tries = case when ${IS_OURS} then tries + 1 else tries end,
         status = case when ${IS_OURS} then 'delivered' else status end,
         finished_at = case when ${IS_OURS} then now() else finished_at end
     where no = $1`,
    [no, leased_until, attempt, endpoint_no],
  );
}

async function recordFailure(
  tx: Tx,
  delivery: Delivery,
  attempt: string,
  { status, retryAfterMs }: WebhookResponse,
  mails: boolean,
): Promise<DeliveryOutcome> {
  const { rows } = await tx.query<{ is_ours: boolean }>(
    `update webhook_deliveries set attempts = attempts || $3::jsonb,
       tries = case when ${IS_OURS} then tries + 1 else tries end
     where no = $1 returning ${IS_OURS} as is_ours`,
    [delivery.no, delivery.leased_until, attempt],
  );
  if (!onlyRow(rows).is_ours) return 'failed';
  const failingMs = delivery.failing_since === null ? 0 : Date.now() - Date.parse(delivery.failing_since);
  if (status === 410 || failingMs > MAX_FAILING_MS) {
    await finish(tx, delivery.no, 'failed');
    const isFirst = await disableEndpoint(tx, delivery.endpoint_no, status === 410 ? 'gone' : 'failing');
    if (isFirst && mails) await tellOwner(tx, delivery.endpoint_no);
    return 'disabled';
  }
  await tx.query('update webhook_endpoints set failing_since = now() where no = $1 and failing_since is null', [
    delivery.endpoint_no,
  ]);
  const delayMs = retryDelayMs(delivery.tries + 1, retryAfterMs);
  if (delayMs === null) {
    await finish(tx, delivery.no, 'failed');
    return 'failed';
  }
  await tx.query(
    `update webhook_deliveries set next_attempt_at = now() + make_interval(secs => $2::float8 / 1000) where no = $1`,
    [delivery.no, delayMs],
  );
  return 'retrying';
}

async function finish(db: Db, deliveryNo: number, status: 'failed' | 'canceled'): Promise<void> {
  await db.query('update webhook_deliveries set status = $2, finished_at = now() where no = $1', [deliveryNo, status]);
}

async function tellOwner(tx: Tx, endpointNo: number): Promise<void> {
  await tx.query(
    `select graphile_worker.add_job('mail_disabled_endpoint', json_build_object('endpoint_no', $1::int),
                                    max_attempts => 10)`,
    [endpointNo],
  );
}
