import type { ChangeContext } from '../catalog/change_context.ts';
import { lockOrganization } from '../catalog/organizations.ts';
import { onlyRow } from '../db/only_row.ts';
import { ChangeRefusedError, NoSuchObjectError } from '../values/change_refusal.ts';
import { type IssuedSecret, rotateSecret } from './endpoint_secrets.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  type NewEndpoint,
  replayEvents,
} from './endpoints.ts';
import { findWebhook, isDeletedWebhook, type StoredWebhook, type Webhook } from './read_webhooks.ts';
import { MAX_ENABLED_WEBHOOKS, MAX_REPLAYED_EVENTS, MAX_WEBHOOKS } from './webhook_limits.ts';
import { WEBHOOK_TYPES, type WebhookType } from './webhook_types.ts';

/** Checks a webhook before it is changed. Throws, for example, if it has changed. */
type Check = (current: Webhook) => void;

/** Each type once, in a fixed order, so that the ETag is the same for the same types. */
const normalizeTypes = (types: readonly WebhookType[]): WebhookType[] =>
  WEBHOOK_TYPES.filter((type) => types.includes(type));

/** Finds a webhook, and locks it with `isLocked`. Throws NoSuchObjectError if there is none. */
export async function existingWebhook(...reference: Parameters<typeof findWebhook>): Promise<StoredWebhook> {
  const found = await findWebhook(...reference);
  if (found === undefined) throw new NoSuchObjectError('webhook');
  return found;
}

/** A worker changes a webhook without the lock of its organization, when it fails or succeeds. */
const TO_CHANGE = { isLocked: true };

/** Creates a webhook. The caller checks before whether messages can reach the address, because that takes time. */
export async function createWebhook(
  change: ChangeContext,
  endpoint: NewEndpoint,
  secretsKey: string,
): Promise<IssuedSecret> {
  const { tx, organizationNo, isDryRun } = change;
  await lockOrganization(tx, organizationNo);
  const { all } = await refuseTooManyEnabled(change);
  if (all >= MAX_WEBHOOKS)
    throw new ChangeRefusedError(
      'too_many_webhooks',
      `the organization has ${MAX_WEBHOOKS} webhooks already, disabled ones included`,
    );
  return createEndpoint(tx, organizationNo, { ...endpoint, types: normalizeTypes(endpoint.types) }, secretsKey, {
    isDryRun,
  });
}

/** Changes the given fields. Disabling cancels pending deliveries. After enabling, only new events are sent. */
export async function updateWebhook(
  change: ChangeContext,
  id: string,
  { url, types, enabled }: { url?: string; types?: readonly WebhookType[]; enabled?: boolean },
  check?: Check,
): Promise<void> {
  const { tx, organizationNo } = change;
  await lockOrganization(tx, organizationNo);
  const { no, object } = await existingWebhook(tx, organizationNo, id, TO_CHANGE);
  check?.(object);
  await changeEndpoint(tx, no, { url: url ?? object.url, types: types ? normalizeTypes(types) : object.types });
  if (enabled === true && !object.enabled) {
    await refuseTooManyEnabled(change);
    await enableEndpoint(tx, no);
  }
  if (enabled === false && object.enabled) await disableEndpoint(tx, no, 'operator');
}

/** Deletes a webhook for good. Deleting again changes nothing. */
export async function deleteWebhook({ tx, organizationNo }: ChangeContext, id: string, check?: Check): Promise<void> {
  await lockOrganization(tx, organizationNo);
  if (await isDeletedWebhook(tx, organizationNo, id)) return;
  const { no, object } = await existingWebhook(tx, organizationNo, id, TO_CHANGE);
  check?.(object);
  await deleteEndpoint(tx, no);
}

async function refuseTooManyEnabled({ tx, organizationNo }: ChangeContext): Promise<{ all: number }> {
  const { rows } = await tx.query<{ all: number; enabled: number }>(
    `select count(*)::int as all, (count(*) filter (where disabled_at is null))::int as enabled
     from webhook_endpoints where organization_no = $1 and deleted_at is null`,
    [organizationNo],
  );
  const counted = onlyRow(rows);
  if (counted.enabled >= MAX_ENABLED_WEBHOOKS)
    throw new ChangeRefusedError(
      'too_many_enabled_webhooks',
      `the organization has ${MAX_ENABLED_WEBHOOKS} enabled webhooks already`,
    );
  return counted;
}

/** Returns the new secret. Messages are signed with both secrets until the overlap ends. */
export async function rotateWebhookSecret(
  { tx, organizationNo }: ChangeContext,
  id: string,
  overlapHours: number,
  secretsKey: string,
): Promise<string> {
  const { no, object } = await existingWebhook(tx, organizationNo, id, TO_CHANGE);
  return rotateSecret(tx, { no, id: object.id }, overlapHours, secretsKey);
}

/** Sends events again. Returns their number. */
export async function replayWebhook(
  { tx, organizationNo, isDryRun, callerRoles }: ChangeContext,
  id: string,
  which: { since: string } | { eventIds: readonly string[] },
): Promise<number> {
  const { no } = await existingWebhook(tx, organizationNo, id);
  const limit = callerRoles.includes('operator') ? null : MAX_REPLAYED_EVENTS;
  const events = await replayEvents(tx, no, which, { isDryRun, limit: limit === null ? null : limit + 1 });
  if (limit !== null && events > limit)
    throw new ChangeRefusedError('too_many_events', `more than ${limit} events happened since then`);
  return events;
}
