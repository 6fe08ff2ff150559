import { lockOrganization } from '../catalog/organizations.ts';
import { dryRunNo } from '../db/insert_row.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { UserError } from '../values/user_error.ts';
import { makeKey as makeRandomKey } from './key_format.ts';

export const KEY_SCOPES = ['read', 'ingest', 'manage'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

export interface NewKey {
  organizationNo: number;
  /** Narrows the key to one customer. */
  customerNo?: number | null;
  name: string;
  scopes: readonly KeyScope[];
  expiresAt?: string | null;
  requestsPerSecond?: number;
  burst?: number;
}

export interface IssuedKey {
  no: number;
  prefix: string;
  /** The complete key. It is shown once and not stored. */
  text: string;
}

/** Six characters of a prefix are random, 32 values each: with 1,000 keys, a new prefix is taken once in a million. */
const MAX_ATTEMPTS = 3;

/**
 * The key begins with the slot and the route tag of its organization. In a dry run, the key has the smallest number
 * instead of a number of the sequence. Numbers of the sequence can be negative too.
 */
export async function issueKey(
  tx: Tx,
  key: NewKey,
  { isDryRun = false, makeKey = makeRandomKey }: { isDryRun?: boolean; makeKey?: typeof makeRandomKey } = {},
): Promise<IssuedKey> {
  await lockOrganization(tx, key.organizationNo);
  const beginning = await readKeyBeginning(tx, key.organizationNo);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { text, prefix, secretSha256 } = makeKey(beginning);
    const { rows } = await tx.query<{ no: number }>(
      `insert into api_keys (${isDryRun ? 'no, ' : ''}prefix, secret_sha256, organization_no, customer_no, name, scopes, expires_at,
                             requests_per_second, burst)
       ${isDryRun ? 'overriding system value' : ''}
       select ${isDryRun ? `${dryRunNo()}, ` : ''}$1, $2, $3, $4, $5, $6, $7, coalesce($8, 100), coalesce($9, 1000)
       where not exists (select from api_keys where prefix = $1)
       returning no`,
      [
        prefix,
        secretSha256,
        key.organizationNo,
        key.customerNo ?? null,
        key.name,
        key.scopes,
        key.expiresAt ?? null,
        key.requestsPerSecond ?? null,
        key.burst ?? null,
      ],
    );
    if (rows[0] !== undefined) return { no: rows[0].no, prefix, text };
  }
  throw new Error('no free prefix for a key was found');
}

/** A key that changes data or sends readings is for the whole organization. Keys of older releases may be narrowed. */
export function refuseNarrowedScopes(scopes: readonly KeyScope[]): void {
  const whole = scopes.find((scope) => scope !== 'read');
  if (whole !== undefined)
    throw new UserError(`a key with the scope ${whole} is for the whole organization; omit --customer.`);
}

async function readKeyBeginning(tx: Tx, organizationNo: number): Promise<string> {
  const { rows } = await tx.query<{ beginning: string }>('select key_beginning($1) as beginning', [organizationNo]);
  return onlyRow(rows).beginning;
}

/** Returns false if no key has this prefix. Revoking a revoked key keeps the first revocation time. */
export async function revokeKey(db: Db, prefix: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'update api_keys set revoked_at = coalesce(revoked_at, now()) where prefix = $1',
    [prefix],
  );
  return Boolean(rowCount);
}

export async function isKey(db: Db, prefix: string): Promise<boolean> {
  const { rows } = await db.query('select from api_keys where prefix = $1', [prefix]);
  return rows.length > 0;
}

export interface ListedKey {
  prefix: string;
  name: string;
  scopes: string;
  customer_id: string | null;
  created_at: string;
  last_used_at: string | null;
  ends_at: string | null;
  state: 'live' | 'expired' | 'revoked';
}

/** The keys of an organization, newest first, without their secrets. */
export async function listKeys(db: Db, organizationNo: number): Promise<ListedKey[]> {
  const { rows } = await db.query<ListedKey>(
    `select prefix, name, array_to_string(scopes, ' ') as scopes,
            (select id from customers where no = k.customer_no) as customer_id, created_at, last_used_at,
            least(revoked_at, expires_at) as ends_at,
            case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' else 'live' end as state
     from api_keys k where organization_no = $1 order by no desc`,
    [organizationNo],
  );
  return rows;
}

/**
 * Issues a key with the same permissions and the same end as the old one. The old key expires after the overlap, so that programs can
 * change to the new key one by one. Without an overlap, the old key is revoked immediately.
 */
export async function rotateKey(
  tx: Tx,
  prefix: string,
  overlapHours: number,
  options?: { isDryRun: boolean },
): Promise<IssuedKey & Pick<NewKey, 'expiresAt'>> {
  // Like the deletion of a customer, which locks the organization, then revokes the keys of the customer.
  await tx.query('select lock_organization(organization_no) from api_keys where prefix = $1', [prefix]);
  const { rows } = await tx.query<{
    organization_no: number;
    customer_no: number | null;
    name: string;
    scopes: KeyScope[];
    requests_per_second: number;
    burst: number;
    expires_at: string | null;
  }>(
    `select organization_no, customer_no, name, scopes, requests_per_second, burst, expires_at from api_keys
     where prefix = $1 and revoked_at is null and (expires_at is null or expires_at > now()) for no key update`,
    [prefix],
  );
  const old = rows[0];
  if (old === undefined)
    throw new UserError(
      `there is no valid key with the prefix ${prefix}; create a new one with: tankwatch keys create`,
    );
  const issued = await issueKey(
    tx,
    {
      organizationNo: old.organization_no,
      customerNo: old.customer_no,
      name: old.name,
      scopes: old.scopes,
      requestsPerSecond: old.requests_per_second,
      burst: old.burst,
      expiresAt: old.expires_at,
    },
    options,
  );
  if (overlapHours === 0) await revokeKey(tx, prefix);
  else {
    await tx.query(
      `update api_keys set expires_at = least(expires_at, now() + make_interval(secs => $2 * 3600.0)) where prefix = $1`,
      [prefix, overlapHours],
    );
  }
  return { ...issued, expiresAt: old.expires_at };
}
