import { lockOrganization } from '../catalog/organizations.ts';
import { onlyRow } from '../catalog/rows.ts';
import type { Db, Tx } from '../db/pool.ts';
import { makeKey } from './key.ts';

export const KEY_SCOPES = ['read', 'ingest'] as const;
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
  /** The whole key. It is shown once and kept nowhere. */
  text: string;
}

export async function issueKey(tx: Tx, cell: string, key: NewKey): Promise<IssuedKey> {
  await lockOrganization(tx, key.organizationNo);
  const { text, prefix, secretSha256 } = makeKey(cell);
  const { rows } = await tx.query<{ no: number }>(
    `insert into api_keys (prefix, secret_sha256, organization_no, customer_no, name, scopes, expires_at,
                           requests_per_second, burst)
     values ($1, $2, $3, $4, $5, $6, $7, coalesce($8, 100), coalesce($9, 1000))
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
  return { no: onlyRow(rows).no, prefix, text };
}

/** False where no key has this prefix. Revoking twice keeps the first time. */
export async function revokeKey(db: Db, prefix: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'update api_keys set revoked_at = coalesce(revoked_at, now()) where prefix = $1',
    [prefix],
  );
  return Boolean(rowCount);
}
