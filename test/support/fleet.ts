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

/** A new organization with nothing in it. */
export function givenOrganization(operator: Pool): Promise<number> {
  const code = `a0t${(serial++).toString(36)}`;
  return transaction(operator, (tx) => createOrganization(tx, { code, name: `Organization ${code}` }));
}

export async function givenCustomer(
  operator: Pool,
  organizationNo: number,
  customer: Partial<CustomerToCreate> = {},
): Promise<CatalogRef> {
  const [created] = await givenCustomers(operator, organizationNo, [customer]);
  if (created === undefined) throw new Error('no customer was created');
  return created;
}

export function givenCustomers(
  operator: Pool,
  organizationNo: number,
  customers: Partial<CustomerToCreate>[],
): Promise<CatalogRef[]> {
  const complete = customers.map((customer) => ({ email: 'someone@example.com', name: 'Someone', ...customer }));
  return transaction(operator, (tx) => createCustomers(tx, organizationNo, complete));
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
  if (created === undefined) throw new Error('no tank was created');
  return created;
}

export function givenTanks(
  operator: Pool,
  organizationNo: number,
  ownerNo: number,
  tanks: Partial<NewTank>[],
): Promise<CatalogRef[]> {
  const complete = tanks.map((tank) => ({
    owner_no: ownerNo,
    assigned_device_id: `D${serial++}`,
    capacity: 500,
    capacity_unit: 'liters' as const,
    min_fill_alert_percentage: 20,
    name: 'Tank',
    ...tank,
  }));
  return transaction(operator, (tx) => createTanks(tx, organizationNo, complete));
}

export function givenKey(operator: Pool, key: Partial<NewKey> & { organizationNo: number }): Promise<IssuedKey> {
  return transaction(operator, (tx) => issueKey(tx, { name: 'test', scopes: ['read'], ...key }));
}
