import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { ChangeRefusedError, NoSuchObjectError, refuseField } from '../values/change_refusal.ts';
import { UserError } from '../values/user_error.ts';
import { isUuid } from '../values/uuid7.ts';
import { CUSTOMER_FIELDS, type CustomerValues } from './customer_fields.ts';
import { normalText } from './field.ts';
import { lockOrganization } from './organizations.ts';
import { refuseTakenKeys } from './own_numbers.ts';
import { deleteTanks } from './tanks.ts';
import {
  type CatalogRef,
  differences,
  insertRows,
  type Listing,
  type UpsertBatch,
  type UpsertResult,
  type UpsertTarget,
  updateRow,
  upsertRows,
} from './upsert_rows.ts';
import {
  type CustomerObject,
  MANAGED_CUSTOMER_COLUMNS,
  type StoredObject,
  type StoredRow,
  stored,
} from './v1_columns.ts';

export type CustomerToCreate = CustomerValues & Required<Pick<CustomerValues, 'email' | 'name'>>;

const COLUMNS = `organization_no, id, external_key, email, name, phone, phone_whose, is_phone_texted, other_phones, is_verified, verified_at, created_at, updated_at`;
const selectWith = (
  verifiedAt: string,
): string => `select ordinality as position, $1::int as organization_no, id, external_key, email, name, phone, phone_whose,
    coalesce(is_phone_texted, false) as is_phone_texted, other_phones::jsonb as other_phones,
    coalesce(is_verified, false) as is_verified, ${verifiedAt} as verified_at,
    coalesce(created_at, now()::timestamptz(3)) as created_at, coalesce(created_at, now()::timestamptz(3)) as updated_at
  from rows from (json_to_recordset($2) as (id uuid, external_key text, email text, name text, phone text,
    phone_whose text, is_phone_texted boolean, other_phones text, is_verified boolean, verified_at timestamptz(3), created_at timestamptz(3))) with ordinality as given`;
/**
 * The columns that an import can change and that undoing it restores: all except the key by which it finds a customer.
 */
const RECORDED_COLUMNS = Object.keys(CUSTOMER_FIELDS).filter((column) => column !== 'external_key');
export const RECORDED_CUSTOMER = {
  object: 'customer',
  columns: RECORDED_COLUMNS,
  together: [
    ['email', 'is_verified', 'verified_at'],
    ['phone', 'phone_whose', 'is_phone_texted'],
  ],
  marks: ['updated_at', 'change_number'],
} as const;
const UPSERT: UpsertTarget = {
  table: 'customers',
  key: ['organization_no', 'external_key'],
  columns: COLUMNS,
  select: selectWith('verified_at'),
  recorded: RECORDED_CUSTOMER,
};

/** How one customer is found: by its internal number, its id, or the key of the caller's own system. */
export type CustomerReference = { no: number } | { id: string } | { externalKey: string };

export type StoredCustomer = CustomerObject & { reminders_off_since: string | null };

/** Undefined if there never was such a customer. If it was deleted, `object` is null. */
export async function findStoredCustomer(
  db: Db,
  organizationNo: number,
  reference: CustomerReference,
): Promise<StoredObject<StoredCustomer> | undefined> {
  const [condition, value] =
    'no' in reference
      ? ['i.no = $2', reference.no]
      : 'id' in reference
        ? ['i.id = $2', reference.id]
        : ['i.external_key = $2', reference.externalKey];
  if ('id' in reference && !isUuid(reference.id)) return undefined;
  const { rows } = await db.query<StoredRow<StoredCustomer>>(
    `select i.no, i.deleted_at is not null as is_deleted, ${MANAGED_CUSTOMER_COLUMNS},
            (select at from reminder_unsubscribes where customer_no = i.no) as reminders_off_since
     from customers i where i.organization_no = $1 and ${condition}`,
    [organizationNo, value],
  );
  return stored(rows[0]);
}

/**
 * Checks a customer before it is changed, under the lock of its organization. Throws, for example, if it has changed.
 */
type Check = (current: CustomerObject) => void;

/** Creates any number of customers, in the given order. A verified address without a time is verified now. */
export async function createCustomers(
  tx: Tx,
  organizationNo: number,
  customers: readonly CustomerToCreate[],
  { isDryRun }: { isDryRun: boolean } = { isDryRun: false },
): Promise<CatalogRef[]> {
  await lockOrganization(tx, organizationNo);
  await refuseTakenKeys(
    tx,
    organizationNo,
    { kind: 'customer', table: 'customers' },
    customers.map(({ external_key }) => external_key),
  );
  const complete = customers.map((customer) => ({ ...customer, ...changedVerification(NOT_VERIFIED, customer) }));
  return insertRows(tx, UPSERT, organizationNo, complete, isDryRun);
}

/** Creates the customer with this external key, or changes it. `check` gets undefined if there is no such customer. */
export async function putCustomer(
  tx: Tx,
  organizationNo: number,
  externalKey: string,
  { created_at, ...values }: CustomerToCreate,
  { isDryRun, check }: { isDryRun: boolean; check: (current: CustomerObject | undefined) => void },
): Promise<{ no: number; isNew: boolean }> {
  await lockOrganization(tx, organizationNo);
  const current = await findStoredCustomer(tx, organizationNo, { externalKey });
  check(current?.object ?? undefined);
  if (current?.object) {
    await changeCustomer(tx, organizationNo, { no: current.no, object: current.object }, values);
    return { no: current.no, isNew: false };
  }
  const customer = { ...values, external_key: externalKey, ...(created_at !== undefined && { created_at }) };
  const { no } = onlyRow(await createCustomers(tx, organizationNo, [customer], { isDryRun }));
  return { no, isNew: true };
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

/** Locks the organization first, so that the reference names the same customer until the change ends. */
export async function findCustomerToChange(tx: Tx, organizationNo: number, reference: string): Promise<CatalogRef> {
  await lockOrganization(tx, organizationNo);
  return findCustomer(tx, organizationNo, reference);
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

/** Changes the given fields. A changed e-mail address is no longer verified. Returns the number of the customer. */
export async function updateCustomer(
  tx: Tx,
  organizationNo: number,
  reference: CustomerReference,
  values: CustomerValues,
  check?: Check,
): Promise<number> {
  await lockOrganization(tx, organizationNo);
  const found = await findStoredCustomer(tx, organizationNo, reference);
  if (!found?.object) throw new NoSuchObjectError('customer');
  check?.(found.object);
  await changeCustomer(tx, organizationNo, { no: found.no, object: found.object }, values);
  return found.no;
}

/** The caller has locked the organization and read the customer. */
async function changeCustomer(
  tx: Tx,
  organizationNo: number,
  { no, object }: { no: number; object: CustomerObject },
  values: CustomerValues,
): Promise<void> {
  const changes = differences(object, { ...values, ...changedVerification(object, values) });
  await refuseTakenKeys(tx, organizationNo, { kind: 'customer', table: 'customers' }, [values.external_key], object.id);
  await updateRow(tx, 'customers', { organizationNo, no }, Object.keys(CUSTOMER_FIELDS), changes);
}

const NOT_VERIFIED = { is_verified: false, email: null };

/**
 * Whether the address is verified after a change, and since when. Empty if only a given `verified_at` changes. Files and
 * bulks have the same rule in CUSTOMER_IMPORT and upsertCustomers.
 */
function changedVerification(
  before: { is_verified: boolean; email: string | null },
  { email, is_verified, verified_at }: CustomerValues,
) {
  const isVerified = is_verified ?? (before.is_verified && (email === undefined || email === before.email));
  if (typeof verified_at === 'string' && is_verified !== true)
    refuseField('verified_at', 'is given, but is_verified is not true');
  if (isVerified === before.is_verified) return {};
  const now = new Date().toISOString();
  return { is_verified: isVerified, verified_at: !isVerified ? null : verified_at === undefined ? now : verified_at };
}

/** Enqueues a mail with a link that verifies the address. */
export async function inviteCustomer(tx: Tx, organizationNo: number, no: number): Promise<void> {
  const { rows } = await tx.query<{ is_verified: boolean }>(
    'select is_verified from customers where organization_no = $1 and no = $2 and deleted_at is null',
    [organizationNo, no],
  );
  if (onlyRow(rows).is_verified)
    throw new ChangeRefusedError('customer_verified', 'the address of this customer is already verified');
  await tx.query('select enqueue_invitation($1)', [no]);
}

/**
 * Deletes one customer. The row stays, so that its id is reported as deleted, but all personal data is removed. A
 * trigger revokes the keys narrowed to it and erases what other tables hold. Fails while the customer owns tanks,
 * unless `withTanks` deletes them too. Deleting again changes nothing.
 */
export async function deleteCustomer(
  tx: Tx,
  organizationNo: number,
  customerNo: number,
  { withTanks = false, maxTanks, check }: { withTanks?: boolean; maxTanks?: number; check?: Check } = {},
): Promise<{ tanks: number }> {
  await lockOrganization(tx, organizationNo);
  // Before the tanks, like an owner's dip, which locks the customer, the session, then the estimate of the tank.
  await tx.query('select from customers where organization_no = $1 and no = $2 for no key update', [
    organizationNo,
    customerNo,
  ]);
  const current = await findStoredCustomer(tx, organizationNo, { no: customerNo });
  if (current === undefined) throw new NoSuchObjectError('customer');
  if (current.object === null) return { tanks: 0 };
  check?.(current.object);
  const { rows } = await tx.query<CatalogRef>(
    'select no, id from tanks where organization_no = $1 and owner_no = $2 and deleted_at is null order by no',
    [organizationNo, customerNo],
  );
  const fact = `this customer still owns ${rows.length} tank(s)`;
  if (rows.length > 0 && !withTanks) throw new ChangeRefusedError('customer_owns_tanks', fact, rows[0]?.id);
  if (maxTanks !== undefined && rows.length > maxTanks) throw new ChangeRefusedError('too_many_tanks', fact);
  await deleteTanks(
    tx,
    organizationNo,
    rows.map(({ no }) => no),
  );
  await deleteCustomers(tx, organizationNo, [customerNo]);
  return { tanks: rows.length };
}

/** Deletes customers that own no tanks. The caller has locked the organization. */
export async function deleteCustomers(tx: Tx, organizationNo: number, customerNos: readonly number[]): Promise<void> {
  await tx.query(
    `update customers set deleted_at = now(), email = null, name = null, phone = null, external_key = null,
       is_verified = false, verified_at = null, last_seen_at = null
     where organization_no = $1 and no = any ($2) and deleted_at is null`,
    [organizationNo, customerNos],
  );
}

/**
 * Creates or updates customers by external key. The rules for verified addresses are those of createCustomers and
 * updateCustomer.
 */
export async function upsertCustomers(tx: Tx, organizationNo: number, batch: UpsertBatch): Promise<UpsertResult> {
  await lockOrganization(tx, organizationNo);
  const has = (column: string): boolean => batch.given.includes(column);
  const isVerified = has('is_verified')
    ? 'g.is_verified'
    : `t.is_verified${has('email') ? ' and t.email = g.email' : ''}`;
  const verifiedAt = `case when not (${isVerified}) then null when t.is_verified then t.verified_at else now() end`;
  const alsoSet = [
    ...(has('is_verified') ? [] : [`is_verified = ${isVerified}`]),
    ...(has('verified_at') ? [] : [`verified_at = ${verifiedAt}`]),
  ].join(', ');
  const select = has('verified_at') ? UPSERT.select : selectWith('case when is_verified then now() end');
  return upsertRows(tx, { ...UPSERT, select, alsoSet }, organizationNo, batch);
}
