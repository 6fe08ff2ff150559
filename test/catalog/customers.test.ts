import { expect } from 'vitest';
import { updateCustomer, upsertCustomers } from '../../src/catalog/customers.ts';
import { transaction } from '../../src/db/pool.ts';
import { uuid7 } from '../../src/values/uuid7.ts';
import { givenCustomer, givenOrganization } from '../support/fleet.ts';
import { test } from '../support/test.ts';

test('only a different address makes a customer unverified', async ({ database }) => {
  const { operator, owner } = database;
  const organizationNo = await givenOrganization(operator);
  const { no } = await givenCustomer(operator, organizationNo, { external_key: 'K', email: 'old@example.com' });
  const isVerified = async (): Promise<unknown> =>
    (await owner.query<{ is_verified: boolean }>('select is_verified from customers where no = $1', [no])).rows[0]
      ?.is_verified;
  const update = (values: object): Promise<number> =>
    transaction(operator, (tx) => updateCustomer(tx, organizationNo, { no }, values));
  const importEmail = (email: string, columns: Record<string, unknown> = {}) =>
    transaction(operator, (tx) => {
      const row = { external_key: 'K', email, name: 'Somebody', ...columns };
      return upsertCustomers(tx, organizationNo, {
        rowTexts: [JSON.stringify({ id: uuid7(), ...row })],
        given: Object.keys(row),
        isDryRun: false,
      });
    });
  const verify = (): Promise<number> => update({ is_verified: true });

  await verify();
  await update({ email: 'old@example.com', name: 'Another name' });
  expect(await isVerified()).toBe(true);
  await update({ email: 'new@example.com' });
  expect(await isVerified()).toBe(false);

  await verify();
  await importEmail('new@example.com');
  expect(await isVerified()).toBe(true);
  await importEmail('newer@example.com');
  expect(await isVerified()).toBe(false);
  await importEmail('newest@example.com', { is_verified: true });
  expect(await isVerified()).toBe(true);
});
