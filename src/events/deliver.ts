import type { Pool } from 'pg';
import { CUSTOMER_COLUMNS, TANK_COLUMNS } from '../catalog/columns.ts';
import { onlyRow } from '../catalog/rows.ts';
import { type Db, type Tx, transaction } from '../db/pool.ts';
import { MAX_FAILING_MS, retryDelayMs } from './retries.ts';
import type { Answer, WebhookSender } from './send.ts';
import { signatureHeaders } from './signature.ts';

interface Delivery {
  no: number;
  tries: number;
  endpoint_no: number;
  url: string;
  secrets: string[];
  failing_since: string | null;
  event_id: string;
  type: string;
  occurred_at: string;
  data: Record<string, unknown>;
  tank_no: number;
  owner_no: number;
  /** The endpoint was disabled, or the event retracted. */
  is_void: boolean;
}

export type Delivered = 'delivered' | 'retrying' | 'failed' | 'void' | 'disabled';

/**
 * One attempt of one delivery, from what is on record to what is recorded of it. Whatever kills it in between, the job
 * that called it is still there, and the event is sent again under the same id.
 */
export async function deliver(
  pool: Pool,
  sender: WebhookSender,
  deliveryNo: number,
  { mails }: { mails: boolean },
): Promise<Delivered> {
  const delivery = await findPending(pool, deliveryNo);
  if (delivery === undefined) return 'void';
  if (delivery.is_void) {
    await finish(pool, delivery.no, 'canceled');
    return 'void';
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

async function findPending(db: Db, deliveryNo: number): Promise<Delivery | undefined> {
  const { rows } = await db.query<Delivery>(
    `select d.no, d.tries, d.endpoint_no, w.url, w.failing_since,
            case when w.previous_secret_until > now() then array[w.secret, w.previous_secret]
                 else array[w.secret] end as secrets,
            e.id as event_id, e.type, e.occurred_at, e.data, e.tank_no, t.owner_no,
            w.disabled_at is not null or e.retracted_at is not null as is_void
     from webhook_deliveries d
     join webhook_endpoints w on w.no = d.endpoint_no
     join events e on e.no = d.event_no
     join tanks t on t.no = e.tank_no
     where d.no = $1 and d.state = 'pending'`,
    [deliveryNo],
  );
  return rows[0];
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

/** In one statement, because it is what nearly always happens. */
async function recordSuccess(db: Db, { no, endpoint_no }: Delivery, attempt: string): Promise<void> {
  await db.query(
    `with healthy as (
       update webhook_endpoints set failing_since = null where no = $2 and failing_since is not null
     )
     update webhook_deliveries
     set state = 'delivered', finished_at = now(), attempts = attempts || $3::jsonb, tries = tries + 1
     where no = $1`,
    [no, endpoint_no, attempt],
  );
}

async function recordFailure(
  tx: Tx,
  delivery: Delivery,
  attempt: string,
  { status, retryAfterMs }: Answer,
  mails: boolean,
): Promise<Delivered> {
  await tx.query('update webhook_deliveries set attempts = attempts || $2::jsonb, tries = tries + 1 where no = $1', [
    delivery.no,
    attempt,
  ]);
  const failingMs = delivery.failing_since === null ? 0 : Date.now() - Date.parse(delivery.failing_since);
  if (status === 410 || failingMs > MAX_FAILING_MS) {
    await finish(tx, delivery.no, 'failed');
    const isFirst = await disable(tx, delivery.endpoint_no, status === 410 ? 'gone' : 'failing');
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
  await tx.query('select enqueue_deliveries($1)', [[delivery.no]]);
  return 'retrying';
}

async function finish(db: Db, deliveryNo: number, state: 'failed' | 'canceled'): Promise<void> {
  await db.query('update webhook_deliveries set state = $2, finished_at = now() where no = $1', [deliveryNo, state]);
}

/** True once, however many attempts find the same at the same time. */
async function disable(tx: Tx, endpointNo: number, because: 'gone' | 'failing'): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update webhook_endpoints set disabled_at = now(), disabled_because = $2 where no = $1 and disabled_at is null',
    [endpointNo, because],
  );
  return Boolean(rowCount);
}

async function tellOwner(tx: Tx, endpointNo: number): Promise<void> {
  await tx.query(
    `select graphile_worker.add_job('mail_disabled_endpoint', json_build_object('endpoint_no', $1::int),
                                    max_attempts => 10, flags => array['mail'])`,
    [endpointNo],
  );
}
