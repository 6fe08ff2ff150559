import { recordCommand } from '../catalog/audit_log.ts';
import { insertRow } from '../db/insert_row.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import {
  ALL_ROWS,
  isSealedWith,
  openSecret,
  type Resealed,
  type ResealPage,
  type SealedText,
  sealSecret,
} from '../keys/sealed_secret.ts';
import { ChangeRefusedError } from '../values/change_refusal.ts';
import { uuid7 } from '../values/uuid7.ts';
import { makeSecret } from './signature.ts';
import type { WebhookType } from './webhook_types.ts';
import { DELIVERED_COLUMNS } from './webhooks.ts';

export interface EndpointRef {
  no: number;
  id: string;
}

export interface NewEndpoint {
  url: string;
  /** The types that are sent; empty for all events. */
  types: readonly WebhookType[];
}

export interface IssuedSecret {
  id: string;
  /** The secret that signs the messages. It is shown only once. */
  secret: string;
}

/** Creates an endpoint without checking the limit, which webhook_changes.ts does. */
export async function createEndpoint(
  tx: Tx,
  organizationNo: number,
  endpoint: NewEndpoint,
  secretsKey: string,
  { isDryRun = false }: { isDryRun?: boolean } = {},
): Promise<IssuedSecret> {
  const issued = { id: uuid7(), secret: makeSecret() };
  await tx.query(insertRow('webhook_endpoints', ['id', 'organization_no', 'url', 'types', 'secret'], { isDryRun }), [
    issued.id,
    organizationNo,
    endpoint.url,
    endpoint.types,
    sealSecret(secretsKey, issued.secret, secretContext(issued.id)),
  ]);
  return issued;
}

/** Changes an endpoint, and cancels pending deliveries of changes that it no longer wants. */
export async function changeEndpoint(tx: Tx, no: number, { url, types }: NewEndpoint): Promise<void> {
  await tx.query('update webhook_endpoints set url = $2, types = $3 where no = $1', [no, url, types]);
  await tx.query(
    `update webhook_deliveries set status = 'canceled', finished_at = now()
     where endpoint_no = $1 and status = 'pending' and change_kind || '.changed' <> all ($2::text[])`,
    [no, types],
  );
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

/** Makes a new secret. Messages are signed with both secrets until the overlap ends, which may be at once. */
export async function rotateSecret(
  tx: Tx,
  { no, id }: EndpointRef,
  overlapHours: number,
  secretsKey: string,
): Promise<string> {
  const secret = makeSecret();
  const sealed = sealSecret(secretsKey, secret, secretContext(id));
  await tx.query('select rotate_webhook_secret($1, $2, $3)', [no, sealed, overlapHours]);
  return secret;
}

/** Disables an endpoint and cancels its pending deliveries. Returns false if it was already disabled. */
export async function disableEndpoint(
  tx: Tx,
  endpointNo: number,
  because: 'operator' | 'gone' | 'failing',
): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update webhook_endpoints set disabled_at = now(), disabled_because = $2 where no = $1 and disabled_at is null',
    [endpointNo, because],
  );
  await tx.query(
    `update webhook_deliveries set status = 'canceled', finished_at = now() where endpoint_no = $1 and status = 'pending'`,
    [endpointNo],
  );
  return Boolean(rowCount);
}

/**
 * Deletes an endpoint and cancels its pending deliveries. The row stays for its deliveries, without the address and the
 * secrets, which a trigger erases.
 */
export async function deleteEndpoint(tx: Tx, endpointNo: number): Promise<void> {
  await disableEndpoint(tx, endpointNo, 'operator');
  await tx.query(
    `update webhook_endpoints set deleted_at = now(), disabled_because = 'operator', url = 'deleted' where no = $1`,
    [endpointNo],
  );
}

/**
 * Enables an endpoint. Events that happened while it was disabled are sent only by a replay. Changes continue where
 * they ended, with the deliveries that were canceled when the endpoint was disabled.
 */
export async function enableEndpoint(tx: Tx, endpointNo: number): Promise<void> {
  await tx.query(
    `update webhook_deliveries d set status = 'pending', tries = 0, next_attempt_at = now(), finished_at = null
     from webhook_endpoints w
     where w.no = $1 and d.endpoint_no = w.no and d.status = 'canceled' and d.finished_at >= w.disabled_at
       and d.change_kind || '.changed' = any (w.types)`,
    [endpointNo],
  );
  await tx.query(
    'update webhook_endpoints set disabled_at = null, disabled_because = null, failing_since = null where no = $1',
    [endpointNo],
  );
}

/** The URL and the secrets of an endpoint, to send a test message. There are two secrets during a rotation. */
export async function endpointTarget(
  db: Db,
  { no, id }: EndpointRef,
  secretsKeys: readonly string[],
): Promise<{ url: string; secrets: string[] }> {
  const { rows } = await db.query<{ url: string; secret: string; previous: string | null }>(
    `select url, secret, case when previous_secret_until > now() then previous_secret end as previous
     from webhook_endpoints where no = $1`,
    [no],
  );
  const { url, secret, previous } = onlyRow(rows);
  const secrets = openPreviousSecrets(secretsKeys, id, previous === null ? [] : [previous]);
  return { url, secrets: [openEndpointSecret(secretsKeys, id, secret), ...secrets] };
}

/**
 * The context that the encrypted secrets are bound to. It is the same for both secrets of an endpoint, because a
 * rotation moves the stored secret to the other column.
 */
const secretContext = (endpointId: string): string => `the webhook ${endpointId}`;

/** Throws a UserError if the secret was stored with another SECRETS_KEY. */
export const openEndpointSecret = (secretsKeys: readonly string[], endpointId: string, sealed: string): string =>
  openSecret(secretsKeys, sealed, secretContext(endpointId));

interface SealedEndpoint {
  no: number;
  id: string;
  secret: string;
  previous_secret: string | null;
}

/**
 * Encrypts the secrets of endpoints with the current SECRETS_KEY, unless they are already. A previous secret that no
 * key opens is dropped.
 */
export async function resealEndpointSecrets(
  tx: Tx,
  secretsKeys: readonly string[],
  { afterNo, limit }: ResealPage = ALL_ROWS,
): Promise<Resealed> {
  const [secretsKey = ''] = secretsKeys;
  const { rows } = await tx.query<SealedEndpoint>(
    `select no, id, secret, previous_secret from webhook_endpoints
     where no > $1 and deleted_at is null order by no limit $2 for update`,
    [afterNo, limit],
  );
  const done: Resealed = { resealed: 0, lastNo: rows.at(-1)?.no ?? null, unreadable: [] };
  for (const { no, id, secret, previous_secret } of rows) {
    const context = secretContext(id);
    const isCurrent = [secret, previous_secret ?? secret].every((one) => isSealedWith(secretsKey, one, context));
    if (isCurrent) continue;
    if (!secretsKeys.some((key) => isSealedWith(key, secret, context))) {
      done.unreadable.push(context);
      continue;
    }
    done.resealed++;
    const reseal = (sealed: string): string =>
      sealSecret(secretsKey, openEndpointSecret(secretsKeys, id, sealed), context);
    const previous = previous_secret === null ? [] : openPreviousSecrets(secretsKeys, id, [previous_secret]);
    await tx.query(
      `update webhook_endpoints set secret = $2, previous_secret = $3,
         previous_secret_until = case when $3::text is not null then previous_secret_until end
       where no = $1`,
      [no, reseal(secret), previous.length === 0 ? null : reseal(previous_secret ?? '')],
    );
  }
  return done;
}

/** Every stored secret of endpoints with its context. */
export async function readSealedEndpoints(db: Db): Promise<SealedText[]> {
  const { rows } = await db.query<SealedEndpoint>(
    'select no, id, secret, previous_secret from webhook_endpoints where deleted_at is null',
  );
  return rows.flatMap(({ id, secret, previous_secret }) =>
    [secret, ...(previous_secret === null ? [] : [previous_secret])].map((sealed) => ({
      sealed,
      context: secretContext(id),
    })),
  );
}

/**
 * The previous secrets that can be decrypted. The others are left out, because the receiver also has the current
 * secret.
 */
export function openPreviousSecrets(
  secretsKeys: readonly string[],
  endpointId: string,
  sealed: readonly string[],
): string[] {
  return sealed.flatMap((one) => {
    try {
      return [openEndpointSecret(secretsKeys, endpointId, one)];
    } catch {
      return [];
    }
  });
}

/** Called at the start of a worker, because a wrong SECRETS_KEY would fail every delivery. */
export async function assertSecretsCanBeOpened(db: Db, secretsKeys: readonly string[]): Promise<void> {
  const { rows } = await db.query<{ id: string; secret: string }>(
    'select id, secret from webhook_endpoints where deleted_at is null order by no desc limit 1',
  );
  for (const { id, secret } of rows) openEndpointSecret(secretsKeys, id, secret);
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

/**
 * Sends messages again: events of the types that the endpoint subscribed to, including delivered ones, retractions of
 * events that were sent to it, and changes that have a delivery to it. The ids stay the same, so a receiver can ignore
 * messages that it has. Returns the number of messages.
 */
export async function replayEvents(
  tx: Tx,
  endpointNo: number,
  which: { since: string } | { eventIds: readonly string[] },
  { isDryRun = false, limit = null }: { isDryRun?: boolean; limit?: number | null } = {},
): Promise<number> {
  // The endpoint is locked before its deliveries, as a failed attempt that disables it does.
  const { rows: endpoints } = await tx.query<{ organization_no: number; is_disabled: boolean }>(
    'select organization_no, disabled_at is not null as is_disabled from webhook_endpoints where no = $1 for no key update',
    [endpointNo],
  );
  const [endpoint] = endpoints;
  if (endpoint?.is_disabled) throw new ChangeRefusedError('webhook_disabled', 'this webhook is disabled');
  if (endpoint !== undefined && !isDryRun)
    await recordCommand(tx, {
      organizationNo: endpoint.organization_no,
      object: 'webhook',
      action: 'replay',
      objectNos: [endpointNo],
    });
  const [condition, value] =
    'since' in which ? ['e.occurred_at >= $2', which.since] : ['e.id = any ($2::uuid[])', which.eventIds];
  const events = `select w.no, e.no from webhook_endpoints w
     join events e on e.organization_no = w.organization_no and (w.types = '{}' or e.type = any (w.types))
     where w.no = $1 and ${condition} and (e.retracted_at is null or exists (
       select from webhook_deliveries told where told.endpoint_no = w.no and told.event_no = e.no and told.attempts <> '[]'
     ))
     order by e.no limit $3`;
  const again = `set status = 'pending', tries = 0, next_attempt_at = now(), finished_at = null`;
  const { rowCount } = await tx.query(
    isDryRun
      ? events
      : `insert into webhook_deliveries as d (endpoint_no, event_no) ${events}
         on conflict (endpoint_no, event_no) do update ${again}`,
    [endpointNo, value, limit],
  );
  const changes = `select d.no from webhook_endpoints w join webhook_deliveries d on d.endpoint_no = w.no
     where w.no = $1 and ${'since' in which ? 'd.created_at >= $2' : 'd.message_id = any ($2::uuid[])'}
       and d.change_kind || '.changed' = any (w.types)
     order by d.no limit $3`;
  const { rowCount: changed } = await tx.query(
    isDryRun ? changes : `update webhook_deliveries ${again} where no in (${changes})`,
    [endpointNo, value, limit],
  );
  return (rowCount ?? 0) + (changed ?? 0);
}
