import type { ChangeContext } from '../catalog/change_context.ts';
import { lockOrganization } from '../catalog/organizations.ts';
import { insertRow } from '../db/insert_row.ts';
import type { Db } from '../db/pool.ts';
import { findSendProblem } from '../http/outgoing_address.ts';
import { sealedColumn } from '../keys/sealed_column.ts';
import { openSecret, sealSecret } from '../keys/sealed_secret.ts';
import type { AddressConfig } from '../settings/address_settings.ts';
import { refuseField } from '../values/change_refusal.ts';
import { isObject, parseJson } from '../values/json.ts';
import { uuid7 } from '../values/uuid7.ts';
import { addressOf, type ChannelSecrets, type ChannelSettings, type TextProvider } from './text_providers.ts';

/** The channel of an organization, as /manage/v1 returns it. Secrets are never returned. */
export interface TextChannel {
  provider: TextProvider;
  from: string;
  account: string | null;
  url: string | null;
  daily_limit: number;
  /** Requests to the provider today (UTC). */
  used_today: number;
}

export interface NewTextChannel extends ChannelSettings {
  provider: TextProvider;
  secret: string;
  signing_key?: string;
  daily_limit?: number;
}

export const DEFAULT_DAILY_LIMIT = 200;
const E164 = /^\+[1-9]\d{6,14}$/;
/** A number in E.164, or a name of letters and digits. */
const SENDER = /^(\+?\d{3,15}|[A-Za-z0-9 ]{1,11})$/;

export const isPhone = (text: string): boolean => E164.test(text);

/** The context that the encrypted secrets are bound to (see sealSecret). */
const channelContext = (id: string): string => `the text channel ${id}`;

/** Decrypts the secrets of a channel. Throws a UserError if they were stored with another key. */
export function openChannelSecrets(keys: readonly string[], id: string, sealed: string): ChannelSecrets {
  const secrets = parseJson(openSecret(keys, sealed, channelContext(id)));
  if (!isObject(secrets) || typeof secrets['secret'] !== 'string')
    throw new Error(`${channelContext(id)} has no secret`);
  const { secret, signing_key: signingKey } = secrets;
  return typeof signingKey === 'string' ? { secret, signing_key: signingKey } : { secret };
}

function checkChannel({ provider, from, account, url, secret, signing_key: signingKey }: NewTextChannel): void {
  if (!SENDER.test(from))
    refuseField('from', 'must be a number such as +18025550100, or a name of at most 11 letters and digits');
  const needsAccount = provider === 'twilio' || provider === 'vonage';
  if (needsAccount && !/^[\w-]{2,64}$/.test(account ?? ''))
    refuseField('account', provider === 'twilio' ? 'must be the account SID' : 'must be the API key');
  if (provider === 'gateway' && url === undefined) refuseField('url', 'must be the address of the gateway');
  for (const [field, value] of Object.entries({ secret, signing_key: signingKey }))
    if (value !== undefined && (value === '' || value.length > 500 || /[\r\n\0]/.test(value)))
      refuseField(field, 'must have 1 to 500 characters in one line');
}

/**
 * Returns the reason why texts can never be sent to the address of this channel; undefined if there is none. It resolves host names, so
 * it must be called before the transaction.
 */
export async function findChannelProblem(
  channel: NewTextChannel,
  addresses: AddressConfig,
): Promise<string | undefined> {
  const problem = await findSendProblem(addressOf(channel.provider, channel), addresses);
  return problem?.isCertain === true ? problem.reason : undefined;
}

/**
 * Sets the channel through which texts are sent. Every change must contain the secret, so that a stored secret is never sent to another
 * address.
 */
export async function setTextChannel(
  { tx, organizationNo, isDryRun }: ChangeContext,
  channel: NewTextChannel,
  apiSecretsKey: string,
): Promise<void> {
  checkChannel(channel);
  const { provider, from, account, url, secret, signing_key, daily_limit = DEFAULT_DAILY_LIMIT } = channel;
  await lockOrganization(tx, organizationNo);
  const { rows } = await tx.query<{ no: number; id: string }>(
    'select no, id from text_channels where organization_no = $1 and deleted_at is null',
    [organizationNo],
  );
  const id = rows[0]?.id ?? uuid7();
  const sealed = sealSecret(apiSecretsKey, JSON.stringify({ secret, signing_key }), channelContext(id));
  const values = [provider, JSON.stringify({ from, account, url }), sealed, daily_limit];
  const columns = ['provider', 'settings', 'sealed_secret', 'daily_limit'];
  if (rows[0] === undefined)
    await tx.query(insertRow('text_channels', [...columns, 'id', 'organization_no'], { isDryRun }), [
      ...values,
      id,
      organizationNo,
    ]);
  else
    await tx.query(
      'update text_channels set provider = $2, settings = $3, sealed_secret = $4, daily_limit = $5, updated_at = now() where no = $1',
      [rows[0].no, ...values],
    );
}

/** Removes the channel and its secret. No more texts are sent. */
export async function removeTextChannel({ tx, organizationNo }: ChangeContext): Promise<void> {
  await lockOrganization(tx, organizationNo);
  await tx.query(
    `update text_channels set deleted_at = now(), updated_at = now(), sealed_secret = null, settings = '{}'
     where organization_no = $1 and deleted_at is null`,
    [organizationNo],
  );
}

/** Reads the channel of an organization; undefined if the organization sends no texts. */
export async function readTextChannel(db: Db, organizationNo: number): Promise<TextChannel | undefined> {
  const { rows } = await db.query<TextChannel>(
    `select c.provider, c.settings ->> 'from' as from, c.settings ->> 'account' as account, c.settings ->> 'url' as url, c.daily_limit, coalesce(u.requests, 0) as used_today
     from text_channels c
     left join text_usage u on u.organization_no = c.organization_no and u.day = (now() at time zone 'UTC')::date
     where c.organization_no = $1 and c.deleted_at is null`,
    [organizationNo],
  );
  return rows[0];
}

export const CHANNEL_SECRETS = sealedColumn('text_channels', 'sealed_secret', channelContext);
