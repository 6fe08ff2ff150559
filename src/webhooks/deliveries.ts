import type { Pool } from 'pg';
import { onlyRow } from '../db/only_row.ts';
import { type Db, type Tx, transaction } from '../db/pool.ts';
import { enqueueMails } from '../mail/mail_jobs.ts';
import { DAY_MS, SECOND_MS } from '../values/time.ts';
import { openEndpointSecret, openPreviousSecrets } from './endpoint_secrets.ts';
import { disableEndpoint } from './endpoints.ts';
import { type Attempt, messageId, messageOf, type Notification, RETRACTED_TYPE } from './message.ts';
import { DELIVERED_COLUMNS, type Webhook } from './read_webhooks.ts';
import { retryDelayMs } from './retry_delays.ts';
import { ATTEMPT_TIMEOUT_MS, type WebhookResponse, type WebhookSender } from './sender.ts';
import { signatureHeaders } from './signature.ts';
import { MAX_FAILING_DAYS } from './webhook_limits.ts';

/** A delivery claimed by this process, with the data that an attempt needs. */
export type WebhookDelivery = Notification & ClaimedDelivery;

interface ClaimedDelivery {
  no: number;
  /**
   * End of the lease. If `next_attempt_at` has another value, the delivery was replayed or canceled in the meantime.
   */
  leased_until: string;
  tries: number;
  endpoint_no: number;
  endpoint_id: string;
  url: string;
  /** Encrypted with SECRETS_KEY. */
  sealed_secrets: string[];
  /** When the claim began, on the clock of `performance.now()`. */
  claimedMs: number;
}

/** How many deliveries a process can start now. */
export interface WebhookCapacity {
  /** The capacity by endpoint number. */
  byEndpoint: ReadonlyMap<number, number>;
  /** The capacity of each endpoint that is not in `byEndpoint`. */
  perOtherEndpoint: number;
  total: number;
}

/** Whether a delivery is due. This takes one index lookup, however many endpoints there are. */
export async function isWebhookDeliveryDue(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ is_due: boolean }>({
    name: 'is_delivery_due',
    text: `select exists (select from webhook_deliveries where status = 'pending' and next_attempt_at <= now()) as is_due`,
  });
  return onlyRow(rows).is_due;
}

/**
 * For these days after a hold of notifications is released, the held deliveries are sent in order. After that none is left,
 * because an endpoint that fails longer is disabled at the next attempt, at most about a day later.
 */
const HELD_ORDER_DAYS = MAX_FAILING_DAYS + 2;

/** Longer than an attempt: if the lease expires, the process has died, and the delivery is due again. */
export const LEASE_SECONDS = ATTEMPT_TIMEOUT_MS / SECOND_MS + 5;

/**
 * SQL: the endpoints with pending deliveries. Each step of the recursion finds the next endpoint in the index of
 * pending deliveries, so the cost does not depend on the number of other endpoints or of finished deliveries.
 */
export const PENDING_ENDPOINTS_SQL = `pending (endpoint_no) as (
  (select endpoint_no from webhook_deliveries where status = 'pending' order by endpoint_no limit 1)
  union all
  select (select d.endpoint_no from webhook_deliveries d
          where d.status = 'pending' and d.endpoint_no > pending.endpoint_no order by d.endpoint_no limit 1)
  from pending where pending.endpoint_no is not null
)`;

/**
 * Claims due deliveries up to the capacity: first the oldest of every endpoint, then the second oldest, and so on, so
 * that an endpoint with many deliveries does not delay the others. `skip locked` keeps two processes from claiming the
 * same delivery.
 *
 * Deliveries that were due before the last hold was released are sent in order, one at a time per endpoint: the next
 * one starts when the attempt of the previous one has ended. A delivery with 0 tries and a lease is in its first
 * attempt. A held delivery that fails is retried like others, after those that were held with it.
 */
export async function claimWebhookDeliveries(
  db: Db,
  { byEndpoint, perOtherEndpoint, total }: WebhookCapacity,
): Promise<WebhookDelivery[]> {
  const claimedMs = performance.now();
  const { rows } = await db.query<WebhookDelivery>({
    name: 'claim_deliveries',
    text: `with recursive ${PENDING_ENDPOINTS_SQL}, last_release as materialized (
       select max(released_at) as at from notification_holds where released_at > now() - interval '${HELD_ORDER_DAYS} days'
     ), due as materialized (
       select due.no, due.event_no, due.next_attempt_at,
              row_number() over (partition by w.no order by due.next_attempt_at, due.no) as turn
       from pending
       join webhook_endpoints w on w.no = pending.endpoint_no
       cross join last_release r
       left join unnest($1::int[], $2::int[]) as known (endpoint_no, capacity) on known.endpoint_no = w.no
       cross join lateral (
         select r.at is not null and exists (
           select from webhook_deliveries d
           where d.endpoint_no = w.no and d.status = 'pending' and d.next_attempt_at <= r.at
         ) as is_held_order
       ) as endpoint
       cross join lateral (
         select * from (
           select d.no, d.event_no, d.next_attempt_at from webhook_deliveries d
           where not endpoint.is_held_order
             and d.endpoint_no = w.no and d.status = 'pending' and d.next_attempt_at <= now()
           order by d.next_attempt_at limit least(coalesce(known.capacity, $3), $4) for update skip locked
         ) as usual
         union all
         select * from (
           -- The first one is chosen before it is locked: if another process has just claimed it, this one must not take the second.
           select d.no, d.event_no, d.next_attempt_at
           from (
             select first.no from webhook_deliveries first
             where endpoint.is_held_order
               and first.endpoint_no = w.no and first.status = 'pending' and first.next_attempt_at <= now()
               and not exists (
                 select from webhook_deliveries sent
                 where sent.endpoint_no = w.no and sent.status = 'pending' and sent.tries = 0 and sent.next_attempt_at > now()
                   -- Reads only as far as leases end: a failing endpoint can have thousands of later retries. Twice the lease, because
                   -- now() is the start of this statement, and the other process may have claimed after it.
                   and sent.next_attempt_at <= now() + make_interval(secs => 2 * ${LEASE_SECONDS})
               )
             order by first.next_attempt_at, first.no limit 1
           ) as head
           join webhook_deliveries d on d.no = head.no
           where d.status = 'pending' and d.next_attempt_at <= now() for update of d skip locked
         ) as in_order
       ) as due
       where w.disabled_at is null and coalesce(known.capacity, $3) > 0
     ), next as (
       select no, event_no from due order by turn, next_attempt_at limit $4
     )
     update webhook_deliveries d set next_attempt_at = now() + make_interval(secs => ${LEASE_SECONDS})
     from next left join events e on e.no = next.event_no left join tanks t on t.no = e.tank_no, webhook_endpoints w
     where d.no = next.no and w.no = d.endpoint_no
     returning d.no, d.next_attempt_at as leased_until, d.tries, d.endpoint_no, w.id as endpoint_id, w.url,
               case when w.previous_secret_until > now() then array[w.secret, w.previous_secret]
                    else array[w.secret] end as sealed_secrets,
               d.attempts, ${DELIVERED_COLUMNS}, e.data, e.retracted_at, e.retracted_because, e.tank_no, t.owner_no,
               w.organization_no, d.change_kind, d.change_id`,
    values: [[...byEndpoint.keys()], [...byEndpoint.values()], perOtherEndpoint, total],
  });
  return rows.map((row) => ({ ...row, claimedMs }));
}

export type DeliveryOutcome = 'delivered' | 'retrying' | 'failed' | 'canceled' | 'disabled';

/**
 * Makes one attempt of a delivery and records the result. If the process dies in between, the delivery is due again
 * when its lease expires, and the event is sent again with the same id.
 */
export async function attemptWebhookDelivery(
  pool: Pool,
  sender: WebhookSender,
  delivery: WebhookDelivery,
  { mails, secretsKeys }: { mails: boolean; secretsKeys: readonly string[] },
): Promise<DeliveryOutcome> {
  const isRetraction = delivery.retracted_at !== null;
  // An event that was never sent to the endpoint needs no retraction there.
  if (isRetraction && !delivery.attempts.some(({ type }) => type === undefined)) {
    await pool.query(
      `update webhook_deliveries set status = 'canceled', finished_at = now() where no = $1 and ${OWNS_LEASE}`,
      [delivery.no, delivery.leased_until],
    );
    return 'canceled';
  }
  const body = JSON.stringify(await messageOf(pool, delivery));
  const atMs = Date.now();
  const [current = '', ...previous] = delivery.sealed_secrets;
  const secrets = [
    openEndpointSecret(secretsKeys, delivery.endpoint_id, current),
    ...openPreviousSecrets(secretsKeys, delivery.endpoint_id, previous),
  ];
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Tankwatch',
    ...signatureHeaders(secrets, messageId(delivery), atMs, body),
  };
  // After a suspension, another worker may have sent this message, and others after it.
  if (performance.now() - delivery.claimedMs >= LEASE_SECONDS * SECOND_MS)
    throw new Error('the lease of the delivery has ended before it was sent');
  const response = await sender.post(delivery.url, headers, body);
  const { status, error, ms } = response;
  const attempt = JSON.stringify({
    at: new Date(atMs).toISOString(),
    status,
    ...(error === null ? {} : { error }),
    ms,
    ...(isRetraction ? { type: RETRACTED_TYPE } : {}),
  } satisfies Attempt);
  if (status !== null && status >= 200 && status < 300) {
    await recordSuccess(pool, delivery, attempt);
    return 'delivered';
  }
  return transaction(pool, (tx) => recordFailure(tx, delivery, attempt, response, mails));
}

/**
 * SQL condition: this process still owns the lease. If not, the delivery was replayed or canceled during the attempt.
 * Then the attempt is recorded, but the status of the delivery is not changed.
 */
const OWNS_LEASE = `(status = 'pending' and next_attempt_at = $2)`;

/**
 * One statement without a transaction, because nearly all attempts succeed. The condition on `healthy` makes PostgreSQL
 * lock the endpoint before the delivery, as recordFailure does; without it, the endpoint is updated last.
 */
async function recordSuccess(
  db: Db,
  { no, leased_until, endpoint_no }: WebhookDelivery,
  attempt: string,
): Promise<void> {
  await db.query(
    `with healthy as (
       update webhook_endpoints set failing_since = null where no = $4 and failing_since is not null
       returning no
     )
     update webhook_deliveries
     set attempts = attempts || $3::jsonb,
         tries = case when ${OWNS_LEASE} then tries + 1 else tries end,
         status = case when ${OWNS_LEASE} then 'delivered' else status end,
         finished_at = case when ${OWNS_LEASE} then now() else finished_at end
     where no = $1 and (select count(*) from healthy) >= 0`,
    [no, leased_until, attempt, endpoint_no],
  );
}

/**
 * Locks the endpoint before the delivery. An attempt that disables the endpoint cancels all its deliveries: two such
 * attempts that had locked their own delivery first would deadlock. The endpoint may have succeeded or got another URL
 * during the attempt, so what is stored now decides whether it is disabled.
 */
async function recordFailure(
  tx: Tx,
  delivery: WebhookDelivery,
  attempt: string,
  { status, retryAfterMs }: WebhookResponse,
  mails: boolean,
): Promise<DeliveryOutcome> {
  const { rows: endpoints } = await tx.query<Pick<Webhook, 'url' | 'failing_since'>>(
    'select url, failing_since from webhook_endpoints where no = $1 for no key update',
    [delivery.endpoint_no],
  );
  const [endpoint] = endpoints;
  const { rows } = await tx.query<{ owns_lease: boolean }>(
    `update webhook_deliveries set attempts = attempts || $3::jsonb,
       tries = case when ${OWNS_LEASE} then tries + 1 else tries end
     where no = $1 returning ${OWNS_LEASE} as owns_lease`,
    [delivery.no, delivery.leased_until, attempt],
  );
  // The delivery may be gone: the tank was deleted during the attempt, and its events with it.
  if (rows[0]?.owns_lease !== true) return 'failed';
  const failingMs = endpoint?.failing_since ? Date.now() - Date.parse(endpoint.failing_since) : 0;
  if (endpoint?.url === delivery.url && (status === 410 || failingMs > MAX_FAILING_DAYS * DAY_MS)) {
    await finish(tx, delivery.no);
    const wasEnabled = await disableEndpoint(tx, delivery.endpoint_no, status === 410 ? 'gone' : 'failing');
    if (wasEnabled && mails) await enqueueDisabledEndpointMails(tx, delivery.endpoint_no);
    return 'disabled';
  }
  await tx.query(
    'update webhook_endpoints set failing_since = now() where no = $1 and url = $2 and failing_since is null',
    [delivery.endpoint_no, delivery.url],
  );
  const delayMs = retryDelayMs(delivery.tries + 1, retryAfterMs);
  if (delayMs === null) {
    await finish(tx, delivery.no);
    return 'failed';
  }
  await tx.query(
    `update webhook_deliveries set next_attempt_at = now() + make_interval(secs => $2::float8 / 1000) where no = $1`,
    [delivery.no, delayMs],
  );
  return 'retrying';
}

async function finish(db: Db, deliveryNo: number): Promise<void> {
  await db.query("update webhook_deliveries set status = 'failed', finished_at = now() where no = $1", [deliveryNo]);
}

/** One job for each contact, so that an address that is refused delays no other contact. */
async function enqueueDisabledEndpointMails(tx: Tx, endpointNo: number): Promise<void> {
  await enqueueMails(
    tx,
    'mail_disabled_endpoint',
    `select w.organization_no, format('disabled_endpoint:%s:%s', w.no, c.no) as key,
            jsonb_build_object('endpoint_no', w.no, 'contact_no', c.no) as payload, now() as due_at
     from webhook_endpoints w join contacts c on c.organization_no = w.organization_no and c.deleted_at is null
     where w.no = $1`,
    [endpointNo],
  );
}
