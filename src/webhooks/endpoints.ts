import { recordCommand } from '../catalog/audit_log.ts';
import { insertRow } from '../db/insert_row.ts';
import type { Tx } from '../db/pool.ts';
import { sealSecret } from '../keys/sealed_secret.ts';
import { ChangeRefusedError } from '../values/change_refusal.ts';
import { uuid7 } from '../values/uuid7.ts';
import { type IssuedSecret, secretContext } from './endpoint_secrets.ts';
import { makeSecret } from './signature.ts';
import type { WebhookType } from './webhook_types.ts';

export interface NewEndpoint {
  url: string;
  /** The types that are sent; empty for all events. */
  types: readonly WebhookType[];
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

/** Changes an endpoint, and cancels pending deliveries of changes that it no longer wants. Another URL has not failed yet. */
export async function changeEndpoint(tx: Tx, no: number, { url, types }: NewEndpoint): Promise<void> {
  await tx.query(
    `update webhook_endpoints set url = $2, types = $3, failing_since = case when url = $2 then failing_since end
     where no = $1`,
    [no, url, types],
  );
  await tx.query(
    `update webhook_deliveries set status = 'canceled', finished_at = now()
     where endpoint_no = $1 and status = 'pending' and change_kind is not null
       and change_kind || '.changed' <> all ($2::text[])`,
    [no, types],
  );
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
