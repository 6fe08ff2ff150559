import type { Pool } from 'pg';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { type CustomerToCreate, createCustomers } from '../../src/catalog/customers.ts';
import { createOrganization } from '../../src/catalog/organizations.ts';
import { createTanks, type NewTank } from '../../src/catalog/tanks.ts';
import type { CatalogRef } from '../../src/catalog/upsert_rows.ts';
import { transaction } from '../../src/db/pool.ts';
import { type IssuedKey, issueKey, type NewKey } from '../../src/keys/issue_key.ts';
import { addContact } from '../../src/mail/contacts.ts';

let serial = 0;

/** What was created for each of these rows, in their order. */
export type Created<Rows extends readonly unknown[]> = { -readonly [Index in keyof Rows]: CatalogRef };

export function asCreated<Rows extends readonly unknown[]>(rows: Rows, refs: CatalogRef[]): Created<Rows> {
  if (refs.length !== rows.length) throw new Error(`${refs.length} of ${rows.length} rows were created`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the length is that of the rows
  return refs as Created<Rows>;
}

/** A new organization with nothing in it. */
export function givenOrganization(operator: Pool, code = `a0t${(serial++).toString(36)}`): Promise<number> {
  return transaction(operator, (tx) => createOrganization(tx, { code, name: `Organization ${code}` }));
}

export async function organizationCodeOf(db: Pool, organizationNo: number): Promise<string> {
  const { rows } = await db.query<{ code: string }>('select code from organizations where no = $1', [organizationNo]);
  return rows[0]?.code ?? '';
}

export async function givenCustomer(
  operator: Pool,
  organizationNo: number,
  customer: Partial<CustomerToCreate> = {},
): Promise<CatalogRef> {
  const [created] = await givenCustomers(operator, organizationNo, [customer]);
  return created;
}

export function givenCustomers<const Customers extends readonly Partial<CustomerToCreate>[]>(
  operator: Pool,
  organizationNo: number,
  customers: Customers,
): Promise<Created<Customers>> {
  const complete = customers.map((customer) => ({ email: 'someone@example.com', name: 'Someone', ...customer }));
  return transaction(operator, async (tx) => asCreated(customers, await createCustomers(tx, organizationNo, complete)));
}

/** Adds a person to the organization, or changes the person who has this address. */
export const givenContact = (
  operator: Pool,
  organizationNo: number,
  values: Parameters<typeof addContact>[1],
): Promise<{ id: string }> => transaction(operator, (tx) => addContact(operatorChange(tx, organizationNo), values));

export async function givenTank(
  operator: Pool,
  organizationNo: number,
  ownerNo: number,
  tank: Partial<NewTank> = {},
): Promise<CatalogRef> {
  const [created] = await givenTanks(operator, organizationNo, ownerNo, [tank]);
  return created;
}

export function givenTanks<const Tanks extends readonly Partial<NewTank>[]>(
  operator: Pool,
  organizationNo: number,
  ownerNo: number,
  tanks: Tanks,
): Promise<Created<Tanks>> {
  const complete = tanks.map((tank) => ({
    owner_no: ownerNo,
    assigned_device_id: `D${serial++}`,
    capacity: 500,
    capacity_unit: 'liters' as const,
    min_fill_alert_percentage: 20,
    name: 'Tank',
    ...tank,
  }));
  return transaction(operator, async (tx) => asCreated(tanks, await createTanks(tx, organizationNo, complete)));
}

export function givenKey(operator: Pool, key: Partial<NewKey> & { organizationNo: number }): Promise<IssuedKey> {
  return transaction(operator, (tx) => issueKey(tx, { name: 'test', scopes: ['read'], ...key }));
}
