import type { Tx } from '../db/pool.ts';
import { lockOrganization } from './organizations.ts';
import { uuid7 } from './uuid7.ts';

export interface NewCustomer {
  email: string;
  name: string;
  phone?: string | null;
  externalKey?: string | null;
  isVerified?: boolean;
  verifiedAt?: string | null;
  createdAt?: string;
}

export interface CatalogRef {
  no: number;
  id: string;
}

/** Creates customers in the order given, any number at once. */
export async function createCustomers(
  tx: Tx,
  organizationNo: number,
  customers: readonly NewCustomer[],
): Promise<CatalogRef[]> {
  await lockOrganization(tx, organizationNo);
  const { rows } = await tx.query<CatalogRef>(
    `insert into customers (organization_no, id, external_key, email, name, phone, is_verified, verified_at,
                            created_at, updated_at)
     select $1, id, "externalKey", email, name, phone, coalesce("isVerified", false), "verifiedAt",
            coalesce("createdAt", now()), coalesce("createdAt", now())
     from json_to_recordset($2) as c (id uuid, "externalKey" text, email text, name text, phone text,
       "isVerified" boolean, "verifiedAt" timestamptz, "createdAt" timestamptz)
     returning no, id`,
    [organizationNo, JSON.stringify(customers.map((customer) => ({ id: uuid7(), ...customer })))],
  );
  return rows;
}

/**
 * Deletes one customer for good: the row stays, so that its id answers "deleted", but nothing personal stays in it,
 * and the keys narrowed to it are revoked. Refused while it owns tanks.
 */
export async function deleteCustomer(tx: Tx, organizationNo: number, customerNo: number): Promise<void> {
  await lockOrganization(tx, organizationNo);
  const { rowCount: tanks } = await tx.query(
    'select from tanks where organization_no = $1 and owner_no = $2 and deleted_at is null limit 1',
    [organizationNo, customerNo],
  );
  if (tanks) throw new Error('this customer still owns tanks; delete or transfer them first');
  await tx.query(
    `update customers set deleted_at = now(), email = null, name = null, phone = null, external_key = null,
       is_verified = false, verified_at = null, last_seen_at = null
     where organization_no = $1 and no = $2 and deleted_at is null`,
    [organizationNo, customerNo],
  );
  await tx.query(
    'update api_keys set revoked_at = now() where organization_no = $1 and customer_no = $2 and revoked_at is null',
    [organizationNo, customerNo],
  );
}
