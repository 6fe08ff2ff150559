import { expect } from 'vitest';
import { ManageTransactions } from '../../src/api/manage/transactions.ts';
import { givenKey } from '../support/fleet.ts';
import { CUSTOMER, givenManagedOrganization, test } from '../support/manage.ts';

test('a flood of changes that cannot end delays neither other keys nor other organizations', async ({
  database,
  manage,
}) => {
  const flooded = await givenManagedOrganization(database);
  const other = await givenManagedOrganization(database);
  const { organizationNo } = flooded;
  const { text: colleague } = await givenKey(database.operator, { organizationNo, scopes: ['read', 'manage'] });
  // An import holds the organization, so that no change of the flood ends.
  const holder = await database.operator.connect();
  await holder.query('begin');
  await holder.query('select lock_organization($1)', [organizationNo]);
  const flood = Array.from({ length: 28 }, (_, n) =>
    manage.call(flooded.key, 'PUT', `/customers/external_key/F${n}`, { body: CUSTOMER }),
  );
  expect((await manage.call(colleague, 'GET', '/customers/external_key/none')).status).toBe(404);
  expect((await manage.call(other.key, 'PUT', '/customers/external_key/A', { body: CUSTOMER })).status).toBe(201);
  await holder.query('commit');
  holder.release();
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  expect(statuses.filter((status) => ![201, 429, 503].includes(status))).toEqual([]);
  const { rowCount } = await database.owner.query('select from customers where organization_no = $1', [organizationNo]);
  expect(rowCount).toBe(statuses.filter((status) => status === 201).length);
});

test('an organization has one transaction of each queue in progress, and each of its keys can have 200 waiting', async ({
  database,
}) => {
  const transactions = new ManageTransactions({ databaseUrl: database.urls.manager });
  const { promise: end, resolve: finish } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const begin = (member: string, organizationNo: number, queue: 'catalog' | 'other'): Promise<void> =>
    transactions.read({ sender: { group: String(organizationNo), member }, organizationNo, queue }, async () => {
      begun.push(`${member} ${queue}`);
      await end;
    });
  const started = Array.from({ length: 201 }, () => begin('a', 1, 'catalog'));
  await expect(begin('a', 1, 'catalog')).rejects.toMatchObject({ code: 'rate_limited' });
  started.push(begin('b', 1, 'catalog'), begin('b', 1, 'other'), begin('c', 2, 'catalog'));
  await expect.poll(() => begun.toSorted()).toEqual(['a catalog', 'b other', 'c catalog']);
  finish();
  await Promise.all(started);
  expect(begun).toHaveLength(204);
  await transactions.close();
});
