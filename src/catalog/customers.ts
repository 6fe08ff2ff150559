import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { UserError } from '../values/user_error.ts';
import { uuid7 } from '../values/uuid7.ts';
import { CUSTOMER_FIELDS, type CustomerValues, normalText } from './fields.ts';
import { lockOrganization } from './organizations.ts';
import { deleteTank } from './tanks.ts';
import {
  type CatalogRef,
  insertRows,
  type Listing,
  type UpsertBatch,
  type UpsertCounts,
  type UpsertTarget,
  updateRow,
  upsertRows,
} from './upsert_rows.ts';

export type NewCustomer = CustomerValues & Required<Pick<CustomerValues, 'email' | 'name'>>;

const COLUMNS = `organization_no, id, external_key, email, name, phone, is_verified, verified_at, created_at, updated_at`;
const SELECT = `select $1::int as organization_no, id, external_key, email, name, phone,
    coalesce(is_verified, false) as is_verified, verified_at,
    coalesce(created_at, now()::timestamptz(3)) as created_at, coalesce(created_at, now()::timestamptz(3)) as updated_at
  from json_to_recordset($2) as given (id uuid, external_key text, email text, name text, phone text,
    is_verified boolean, verified_at timestamptz(3), created_at timestamptz(3))`;
const UPSERT: UpsertTarget = {
  table: 'customers',
  key: ['organization_no', 'external_key'],
  columns: COLUMNS,
  select: SELECT,
};

const asJson = (customers: readonly NewCustomer[]): string =>
  JSON.stringify(customers.map((customer) => ({ id: uuid7(), ...customer })));

/** Creates any number of customers, in the given order. */
export async function createCustomers(
  tx: Tx,
  organizationNo: number,
  customers: readonly NewCustomer[],
  { isDryRun }: { isDryRun: boolean } = { isDryRun: false },
): Promise<CatalogRef[]> {
  await lockOrganization(tx, organizationNo);
  return insertRows(tx, UPSERT, organizationNo, asJson(customers), isDryRun);
}

/** Finds a customer by id or by external key. */
export async function findCustomer(db: Db, organizationNo: number, reference: string): Promise<CatalogRef> {
  const { rows } = await db.query<CatalogRef>(
    `select no, id from customers
     where organization_no = $1 and deleted_at is null and (id::text = lower($2) or external_key = $2)`,
    [organizationNo, normalText(reference)],
  );
  if (rows[0] === undefined)
    throw new UserError(
      `there is no customer with the id or external key ${reference}; list them with: tankwatch customers list`,
    );
  return onlyRow(rows);
}

/** Customers for the command line: the fields of /v1 and the external key. */
export async function listCustomers(
  db: Db,
  organizationNo: number,
  { limit, no }: Listing,
): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    `select id, external_key, name, email, phone, is_verified, verified_at, last_seen_at,
            (select coalesce(sum(n), 0)::int from catalog_month_counters where list = 'owner_tanks' and scope_no = c.no) as tank_count,
            (select at from reminder_unsubscribes where customer_no = c.no) as reminders_off_since, created_at, updated_at
     from customers c
     where organization_no = $1 and deleted_at is null and ($2::int is null or no = $2)
     order by c.created_at desc, c.no desc limit $3`,
    [organizationNo, no ?? null, limit],
  );
  return rows;
}

/** Changes the given fields. A changed e-mail address is no longer verified. */
export async function updateCustomer(
  tx: Tx,
  organizationNo: number,
  no: number,
  values: CustomerValues,
): Promise<void> {
  await lockOrganization(tx, organizationNo);
  const verification = await changedVerification(tx, no, values);
  const changes = { ...values, ...verification };
  await updateRow(tx, 'customers', { organizationNo, no }, Object.keys(CUSTOMER_FIELDS), changes);
}

/** Whether the address is verified after a change, and since when. Empty: as before, or as given. */
async function changedVerification(tx: Tx, no: number, { email, is_verified, verified_at }: CustomerValues) {
  const { rows } = await tx.query<{ email: string; was_verified: boolean; now: string }>(
    'select email, is_verified as was_verified, now()::timestamptz(3) as now from customers where no = $1 and deleted_at is null',
    [no],
  );
  if (rows[0] === undefined) return {};
  const { email: before, was_verified, now } = rows[0];
  const isVerified = is_verified ?? (was_verified && (email === undefined || email === before));
  if (isVerified === was_verified || verified_at !== undefined) return {};
  return { is_verified: isVerified, verified_at: isVerified ? now : null };
}

/** Marks the address as verified. Keeps the time of an earlier verification. */
export async function verifyCustomer(tx: Tx, organizationNo: number, no: number): Promise<void> {
  await lockOrganization(tx, organizationNo);
  await tx.query(
    `update customers set is_verified = true, verified_at = coalesce(verified_at, now())
     where organization_no = $1 and no = $2 and deleted_at is null`,
    [organizationNo, no],
  );
}

/** Enqueues a mail with a link that verifies the address. */
export async function inviteCustomer(tx: Tx, organizationNo: number, no: number): Promise<void> {
  const { rows } = await tx.query<{ is_verified: boolean }>(
    'select is_verified from customers where organization_no = $1 and no = $2 and deleted_at is null',
    [organizationNo, no],
  );
  if (onlyRow(rows).is_verified) throw new UserError('the address of this customer is already verified.');
  await tx.query('select enqueue_invitation($1)', [no]);
}

/**
 * Deletes one customer. The row stays, so that its id is reported as deleted, but all personal data is removed. A trigger
 * revokes the keys narrowed to it and erases what other tables hold. Fails while the customer owns tanks, unless
 * `withTanks` deletes them too.
 */
export async function deleteCustomer(
  tx: Tx,
  organizationNo: number,
  customerNo: number,
  { withTanks = false }: { withTanks?: boolean } = {},
): Promise<{ tanks: number }> {
  await lockOrganization(tx, organizationNo);
  const { rows: tanks } = await tx.query<{ no: number }>(
    'select no from tanks where organization_no = $1 and owner_no = $2 and deleted_at is null',
    [organizationNo, customerNo],
  );
  if (tanks.length > 0 && !withTanks) {
    throw new UserError(
      `this customer still owns ${tanks.length} tank(s); transfer or delete them first, or delete both with --with-tanks.`,
    );
  }
  for (const tank of tanks) await deleteTank(tx, organizationNo, tank.no);
  await tx.query(
    `update customers set deleted_at = now(), email = null, name = null, phone = null, external_key = null,
       is_verified = false, verified_at = null, last_seen_at = null
     where organization_no = $1 and no = $2 and deleted_at is null`,
    [organizationNo, customerNo],
  );
  return { tanks: tanks.length };
}

/**
 * Creates or updates customers by external key. If is_verified is not a column of the file, a changed address is no longer
 * verified.
 */
export async function upsertCustomers(tx: Tx, organizationNo: number, batch: UpsertBatch): Promise<UpsertCounts> {
  await lockOrganization(tx, organizationNo);
  if (batch.given.includes('email') && !batch.given.includes('is_verified')) {
    await tx.query(
      `update customers c set is_verified = false, verified_at = null
       from (select row::json ->> 'external_key' as external_key, row::json ->> 'email' as email
             from unnest($2::text[]) as row) as r
       where c.organization_no = $1 and c.external_key = r.external_key and c.email <> r.email and c.is_verified`,
      [organizationNo, batch.rowTexts],
    );
  }
  return upsertRows(tx, UPSERT, organizationNo, batch);
}
