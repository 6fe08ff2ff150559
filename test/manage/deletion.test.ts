import { expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { givenCustomer, givenKey, givenOrganization, givenTank } from '../support/fleet.ts';
import { test } from '../support/manage.ts';

test('the preview of a deletion counts everything that it erases, and nothing of others', async ({
  database,
  manage,
}) => {
  const { operator, owner, writer } = database;
  const organizationNo = await givenOrganization(operator);
  const [customer, other] = [
    await givenCustomer(operator, organizationNo),
    await givenCustomer(operator, organizationNo),
  ];
  const tanks = [
    await givenTank(operator, organizationNo, customer.no, { city: 'Puebla' }),
    await givenTank(operator, organizationNo, customer.no),
    await givenTank(operator, organizationNo, other.no),
  ];
  const ingester = new BatchIngester(writer);
  for (const [index, { no }] of tanks.entries()) {
    await owner.query(
      `insert into tank_notes (id, organization_no, tank_no, text, prints) values (gen_random_uuid(), $1, $2, 'Gate code', true)`,
      [organizationNo, no],
    );
    await owner.query(
      `insert into delivery_notes (id, organization_no, series, number, customer_no, tank_no, at, precision, volume, unit, source)
       values (gen_random_uuid(), $1, 'S', $2, $3, $4, now(), 'minute', 100, 'liters', 'api')`,
      [organizationNo, `N-${index}`, index < 2 ? customer.no : other.no, no],
    );
    await ingester.ingestReadings(
      [1, 2, 3].map((hours) => ({ tankNo: no, atMs: Date.now() - hours * HOUR_MS, fillPercentage: 50 })),
    );
  }
  const { text: key } = await givenKey(operator, { organizationNo, scopes: ['manage'] });
  const preview = async (path: string) => (await manage.call(key, 'GET', `${path}/deletion`)).json;
  expect(await preview(`/tanks/${tanks[0]?.id}`)).toEqual({
    object: 'deletion',
    tanks: 1,
    readings: 3,
    open_stops: 0,
    notes: 1,
    delivery_notes: 0,
  });
  expect(await preview(`/customers/${customer.id}`)).toEqual({
    object: 'deletion',
    tanks: 2,
    readings: 6,
    open_stops: 0,
    notes: 2,
    delivery_notes: 2,
  });
  const refused = await manage.call(key, 'DELETE', `/customers/${customer.id}?with_tanks=true&max_tanks=0`, {
    ifMatch: '*',
  });
  expect(refused.status).toBe(409); // a person has agreed to delete no tanks, and there are two
  await manage.call(key, 'DELETE', `/customers/${customer.id}?with_tanks=true`, { ifMatch: '*' });
  // The audit log has each deleted row, whatever its fields were, and the change feed each erased delivery note.
  const { rows: deleted } = await owner.query<{ object: string; no: number }>(
    `select object, unnest(object_nos) as no from audit_log where organization_no = $1 and action = 'delete' order by 1, 2`,
    [organizationNo],
  );
  expect(deleted).toEqual([
    { object: 'customer', no: customer.no },
    ...tanks.slice(0, 2).map(({ no }) => ({ object: 'tank', no })),
  ]);
  const { rows: feed } = await owner.query<{ kind: string }>(
    `select kind from feed_removals where organization_no = $1
     union all select 'tank' from tanks where organization_no = $1 and deleted_at is not null
       and change_number = (select max(change_number) from customers where organization_no = $1)`,
    [organizationNo],
  );
  expect(feed.map(({ kind }) => kind)).toEqual(['delivery_note', 'delivery_note', 'tank', 'tank']);
  expect(await preview(`/customers/${customer.id}`)).toMatchObject({ tanks: 0, readings: 0, delivery_notes: 0 });
  expect(await preview(`/customers/${other.id}`)).toMatchObject({ tanks: 1, readings: 3, delivery_notes: 1 });
});
