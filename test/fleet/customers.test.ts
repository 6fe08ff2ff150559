import { expect } from 'vitest';
import { Tankwatch } from '../../packages/client/src/client.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { givenCustomers, givenKey, givenOrganization, givenTanks } from '../support/fleet.ts';
import { type TestDatabase, test } from '../support/test.ts';

const NAMES = ['zoe', 'Álvarez', 'alva', 'Beto', 'beta', 'Óscar', 'Öz', '李', 'alva'];
const IN_ORDER = ['alva', 'alva', 'Álvarez', 'beta', 'Beto', 'Óscar', 'Öz', 'zoe', '李'];

async function givenPeople({ operator, writer }: TestDatabase) {
  const organizationNo = await givenOrganization(operator);
  const customers = await givenCustomers(
    operator,
    organizationNo,
    NAMES.map((name, n) => ({ name, phone: `802-555-01${n}0`, external_key: `C-${n}` })),
  );
  const [zoe, alvarez] = customers;
  if (zoe === undefined || alvarez === undefined) throw new Error('customers are missing');
  const [low, high] = await givenTanks(operator, organizationNo, alvarez.no, [{ name: 'Low' }, { name: 'High' }]);
  const nowMs = Date.now();
  await new BatchIngester(writer).ingestReadings(
    [low, high].flatMap(({ no }, index) =>
      Array.from({ length: 48 }, (_, n) => ({
        tankNo: no,
        atMs: nowMs - (47 - n) * HOUR_MS,
        fillPercentage: index === 0 ? 10 : 80,
      })),
    ),
  );
  const [key, narrowed] = await Promise.all([
    givenKey(operator, { organizationNo }),
    givenKey(operator, { organizationNo, customerNo: zoe.no }),
  ]);
  return { organizationNo, customers, key: key.text, narrowed: narrowed.text };
}

test('customers are listed by name, whatever its case and accents, and each once in both directions', async ({
  database,
  api,
}) => {
  const { key } = await givenPeople(database);
  const client = new Tankwatch({ apiKey: key, baseUrl: api.url });
  expect((await Array.fromAsync(client.fleet.customers({ size: 2 }))).map(({ name }) => name)).toEqual(IN_ORDER);
  const first = await client.fleet.customers({ size: 4 });
  expect([first.previous, first.total_items]).toEqual([null, NAMES.length]);
  const second = await client.fleet.customers({ size: 4, after: first.next ?? '' });
  expect(second.data.map(({ name }) => name)).toEqual(IN_ORDER.slice(4, 8));
  const back = await client.fleet.customers({ size: 4, before: second.previous ?? '' });
  expect(back.data).toEqual(first.data);
  const both = await api.call(`/fleet/v1/customers?after=${first.next}&before=${second.previous}`, { key });
  const foreign = await api.call(`/fleet/v1/customers?q=alva&after=${first.next}`, { key });
  expect([both.status, foreign.status]).toEqual([422, 422]);
});

test('a customer has the worst status of its tanks, and is found by name, phone or number', async ({
  database,
  api,
}) => {
  const { key, narrowed } = await givenPeople(database);
  const find = async (query: string, caller = key) =>
    (await api.call(`/fleet/v1/customers${query}`, { key: caller })).json.data.map(
      ({ name, worst_status, tank_count }: { name: string; worst_status: string | null; tank_count: number }) => [
        name,
        worst_status,
        tank_count,
      ],
    );
  expect(await find('?q=alvarez')).toEqual([['Álvarez', 'low', 2]]);
  expect(await find('?q=alva')).toEqual([
    ['alva', null, 0],
    ['alva', null, 0],
    ['Álvarez', 'low', 2],
  ]);
  expect(await find('?q=8025550100')).toEqual([['zoe', null, 0]]);
  expect(await find('?q=nobody')).toEqual([]);
  expect(await find('?external_key=C-0')).toEqual([['zoe', null, 0]]);
  expect(await find('?external_key=nobody')).toEqual([]);
  expect(await find('?external_key=C-1', narrowed)).toEqual([]);
  expect(await find('', narrowed)).toEqual([['zoe', null, 0]]);
  expect(await find('?q=zoe', narrowed)).toEqual([['zoe', null, 0]]);
  expect(await find('?q=alva', narrowed)).toEqual([]);
});

test('a page of many customers is read from the index of names, and a search finds a single match among them', async ({
  database,
  api,
}) => {
  const { operator, owner } = database;
  const organizationNo = await givenOrganization(operator);
  await owner.query(
    `insert into customers (id, organization_no, email, name)
     select gen_random_uuid(), $1, 'x@example.com', 'Customer ' || md5(n::text) from generate_series(1, 5000) n`,
    [organizationNo],
  );
  await owner.query('vacuum analyze customer_texts');
  const { text: key } = await givenKey(operator, { organizationNo });
  const client = new Tankwatch({ apiKey: key, baseUrl: api.url });
  const first = await client.fleet.customers({ size: 50 });
  expect([first.data.length, first.total_items]).toEqual([50, 5_000]);
  const middle = first.data[25]?.name ?? '';
  expect((await client.fleet.customers({ q: middle })).data.map(({ name }) => name)).toEqual([middle]);
  const { rows: plan } = await owner.query<{ 'QUERY PLAN': string }>(
    `explain select no, sort_name from customer_texts x where x.organization_no::bigint = ${organizationNo}
       and (x.sort_name, x.no) > ('customer 8', 0) order by x.sort_name, x.no limit 51`,
  );
  const text = plan.map((line) => line['QUERY PLAN']).join('\n');
  expect(text).toContain('Scan using customer_texts_by_name');
  expect(text).not.toContain('Sort');
});
