import type { ChangeContext } from '../catalog/change_context.ts';
import { lockOrganization } from '../catalog/organizations.ts';
import { insertRow } from '../db/insert_row.ts';
import { onlyRow } from '../db/only_row.ts';
import { findSendProblem } from '../http/outgoing_address.ts';
import { sealSecret } from '../keys/sealed_secret.ts';
import type { AddressConfig } from '../settings/address_settings.ts';
import { ChangeRefusedError, InvalidValuesError } from '../values/change_refusal.ts';
import { DAY_MS } from '../values/time.ts';
import { uuid7 } from '../values/uuid7.ts';
import { connectorContext } from './connector_secrets.ts';
import {
  addressesOf,
  type ConnectorKind,
  type ConnectorSettings,
  isCloud,
  parseSettings,
} from './connector_settings.ts';
import { type Connector, existingConnector, MAX_CONNECTORS } from './connectors.ts';
import { jsonSourceOf } from './json_source.ts';

export interface NewConnector {
  kind: ConnectorKind;
  name: string;
  settings: unknown;
  secret?: string | undefined;
  /** Readings of this many past days are read. */
  days?: number | undefined;
}

/** Checks a connector before it is changed. Throws, for example, if another person has changed it. */
type Check = (current: Connector) => void;

export const MAX_BACKFILL_DAYS = 1_100;
const DEFAULT_BACKFILL_DAYS = 30;
/** The readings of this many days are read first, so that levels are current while the past is still read. */
const LIVE_DAYS = 1;

const LONGEST_NAME = 100;
const LONGEST_SECRET = 2_000;

function refuse(field: string, reason: string): never {
  throw new InvalidValuesError([{ field, reason }]);
}

function checkSettings(kind: ConnectorKind, given: unknown): ConnectorSettings {
  const settings = parseSettings(kind, given);
  return typeof settings === 'string' ? refuse('settings', `cannot be used: ${settings}`) : settings;
}

function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > LONGEST_NAME || /\p{Cc}/u.test(trimmed))
    refuse('name', `must have 1 to ${LONGEST_NAME} characters`);
  return trimmed;
}

const checkSecret = (secret: string): void => {
  if (secret === '' || secret.length > LONGEST_SECRET || /[\r\n\0]/.test(secret))
    refuse('secret', `must have 1 to ${LONGEST_SECRET} characters in one line`);
};

/**
 * Finds a reason why a source can never be asked with these settings, such as a private address. It resolves names, so it
 * is called before the transaction. A name that cannot be resolved now is accepted, because it may exist tomorrow.
 */
export async function findAddressProblem(
  kind: ConnectorKind,
  given: unknown,
  addresses: AddressConfig,
): Promise<string | undefined> {
  const settings = parseSettings(kind, given);
  if (typeof settings === 'string') return `they cannot be used: ${settings}`;
  for (const address of addressesOf(settings)) {
    const problem = await findSendProblem(asHttp(address), addresses);
    if (problem?.isCertain === true) return problem.reason;
  }
  return undefined;
}

/** The hosts in the settings, to which the secret is sent. The default hosts of a kind are not among them. */
function hostsOf(kind: ConnectorKind, given: unknown): string {
  const settings = parseSettings(kind, given);
  const addresses = typeof settings === 'string' ? [] : addressesOf(settings);
  return [...new Set(addresses.map((address) => URL.parse(asHttp(address))?.origin ?? address))].toSorted().join(' ');
}

/** Converts the address of a broker, so that it is checked like the address of a web server. */
const asHttp = (address: string): string => address.replace(/^mqtt(s?):/, 'http$1:');

/** Adds a source. It is asked within seconds unless it is paused. */
export async function createConnector(
  change: ChangeContext,
  { kind, name, settings, secret, days = DEFAULT_BACKFILL_DAYS }: NewConnector,
  secretsKey: string,
  { isPaused = false }: { isPaused?: boolean } = {},
): Promise<{ id: string }> {
  const { tx, organizationNo, isDryRun } = change;
  const checked = checkSettings(kind, settings);
  const hasHistory = isCloud(checked) && jsonSourceOf(checked).hasHistory;
  if (secret !== undefined) checkSecret(secret);
  await lockOrganization(tx, organizationNo);
  const { rows: counted } = await tx.query<{ n: number }>(
    'select count(*)::int as n from connectors where organization_no = $1 and deleted_at is null',
    [organizationNo],
  );
  if (onlyRow(counted).n >= MAX_CONNECTORS)
    throw new ChangeRefusedError('too_many_connectors', `the organization has ${MAX_CONNECTORS} connectors already`);
  const id = uuid7();
  const checkedName = checkName(name);
  await refuseTakenName(change, checkedName, id);
  const columns = ['id', 'organization_no', 'kind', 'name', 'settings', 'sealed_secret', 'paused_at'];
  await tx.query(insertRow('connectors', columns, { isDryRun }), [
    id,
    organizationNo,
    kind,
    checkedName,
    settings,
    secret === undefined ? null : sealSecret(secretsKey, secret, connectorContext(id)),
    isPaused ? new Date() : null,
  ]);
  const liveMs = Date.now() - Math.min(LIVE_DAYS, days) * DAY_MS;
  const backfillMs = Date.now() - days * DAY_MS;
  const hasBackfill = hasHistory && backfillMs < liveMs;
  await tx.query(
    `insert into connector_states (connector_no, cursor_at, backfill_at, backfill_to)
     select no, $2, $3, $4 from connectors where id = $1`,
    [
      id,
      hasHistory ? new Date(liveMs) : null,
      hasBackfill ? new Date(backfillMs) : null,
      hasBackfill ? new Date(liveMs) : null,
    ],
  );
  return { id };
}

/** Changes the given fields. A new secret or new settings are used at once, even if the old ones were refused. */
export async function updateConnector(
  change: ChangeContext,
  reference: string,
  { name, settings, secret, paused }: { name?: string; settings?: unknown; secret?: string; paused?: boolean },
  secretsKey: string,
  check?: Check,
): Promise<{ id: string }> {
  const { tx, organizationNo } = change;
  if (secret !== undefined) checkSecret(secret);
  await lockOrganization(tx, organizationNo);
  const { no, object } = await existingConnector(tx, organizationNo, reference);
  check?.(object);
  if (settings !== undefined) {
    checkSettings(object.kind, settings);
    // A person who may not read the secret could otherwise redirect it to another server.
    if (
      object.has_secret &&
      secret === undefined &&
      hostsOf(object.kind, settings) !== hostsOf(object.kind, object.settings)
    )
      refuse('secret', 'must be given again if the address changes');
  }
  const checkedName = name === undefined ? object.name : checkName(name);
  await refuseTakenName(change, checkedName, object.id);
  await tx.query(
    // The manager may write the secret, but not read it.
    `update connectors set name = $2, settings = coalesce($3, settings), ${secret === undefined ? '' : 'sealed_secret = $5, '}
       paused_at = case when $4::boolean then coalesce(paused_at, now()) when not $4 then null else paused_at end, updated_at = now()
     where no = $1`,
    [
      no,
      checkedName,
      settings === undefined ? null : JSON.stringify(settings),
      paused ?? null,
      ...(secret === undefined ? [] : [sealSecret(secretsKey, secret, connectorContext(object.id))]),
    ],
  );
  if (paused === true) await tx.query('select begin_outage($1, now())', [no]);
  if (secret !== undefined || settings !== undefined || paused === false)
    await tx.query(
      'update connector_states set refused_at = null, failures = 0, slowness = 1, next_attempt_at = now() where connector_no = $1',
      [no],
    );
  return { id: object.id };
}

/** Requests a trial: within seconds the source is asked, and the result is recorded. No reading is stored. */
export async function requestTrial({ tx, organizationNo }: ChangeContext, reference: string): Promise<void> {
  const { no } = await existingConnector(tx, organizationNo, reference);
  // Not the beginning of the transaction: a run that began meanwhile has not seen this request, and must end.
  await tx.query('update connector_states set try_at = clock_timestamp() where connector_no = $1', [no]);
}

/** Removes a source with its secret. Its readings stay. Tanks that it has published to a broker are taken back within a minute. */
export async function removeConnector(
  { tx, organizationNo }: ChangeContext,
  reference: string,
  check?: Check,
): Promise<{ id: string }> {
  await lockOrganization(tx, organizationNo);
  const { no, object } = await existingConnector(tx, organizationNo, reference);
  check?.(object);
  // In the order of the process that asks the source. Afterwards it begins no outage.
  await tx.query('select from connector_states where connector_no = $1 for update', [no]);
  await tx.query('select end_outage($1), plan_broker_cleanup($1)', [no]);
  await tx.query('delete from connector_devices where connector_no = $1', [no]);
  await tx.query('delete from connector_states where connector_no = $1', [no]);
  await tx.query(
    `update connectors set deleted_at = now(), updated_at = now(), sealed_secret = null, settings = '{}' where no = $1`,
    [no],
  );
  return { id: object.id };
}

async function refuseTakenName({ tx, organizationNo }: ChangeContext, name: string, ownId: string): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    'select id from connectors where organization_no = $1 and lower(name) = lower($2) and deleted_at is null and id <> $3',
    [organizationNo, name, ownId],
  );
  if (rows[0] !== undefined)
    throw new ChangeRefusedError('name_taken', `another connector is called ${name}`, rows[0].id);
}
