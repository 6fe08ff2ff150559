import { expect } from 'vitest';
import { TANK_IMPORT } from '../../src/catalog/import_targets.ts';
import { suggestMapping } from '../../src/catalog/suggest_mapping.ts';
import { reevaluateAllTanks } from '../../src/evaluation/reevaluator.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { markFromTheBeginning } from '../support/evaluation.ts';
import { givenCustomer } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { givenInterfaces } from '../support/interfaces.ts';
import { TANK, test } from '../support/manage.ts';

test('a tank gets its order threshold over HTTP, in bulk, by a command and from a file, always above its alert threshold', async ({
  database,
  manage,
}) => {
  const interfaces = await givenInterfaces(database, manage);
  const { key, organizationNo, call, run } = interfaces;
  const bulk = (...given: Parameters<typeof interfaces.bulk>) => interfaces.bulk(...given);
  const customer = await givenCustomer(database.operator, organizationNo, { external_key: 'C-1' });
  const { json: made } = await call('POST', '/tanks', { ...TANK, owner_id: customer.id, custom_id: 'a' });
  expect(made.order_threshold_percentage).toBeNull();
  const path = `/tanks/${made.id}`;
  const read = async () => (await call('GET', path)).json.order_threshold_percentage;

  const { json: patched } = await call('PATCH', path, { order_threshold_percentage: 40 });
  expect([patched.order_threshold_percentage, patched.updated_at]).toEqual([40, made.updated_at]);
  expect(patched.etag).not.toBe(made.etag);
  expect(await interfaces.lastAudit()).toMatchObject({ fields: 'order_threshold_percentage' });
  const refused = async (body: object) => (await call('PATCH', path, body)).json.errors;
  expect(await refused({ order_threshold_percentage: 20 })).toMatchObject([
    { param: 'order_threshold_percentage', detail: 'Must be above the alert threshold, which is 20.' },
  ]);
  expect(await refused({ min_fill_alert_percentage: 40 })).toMatchObject([
    { param: 'min_fill_alert_percentage', detail: 'Must be below the order threshold, which is 40.' },
  ]);
  expect((await call('POST', '/tanks', { ...TANK, owner_id: customer.id, order_threshold_percentage: 5 })).status).toBe(
    422,
  );

  const line = { ...TANK, owner_external_key: 'C-1', custom_id: 'a' };
  expect((await bulk('/tanks/bulk', line)).results[0]?.status).toBe('unchanged');
  expect((await bulk('/tanks/bulk', { ...line, min_fill_alert_percentage: 45 })).results[0]?.errors).toMatchObject([
    { param: 'min_fill_alert_percentage', detail: expect.stringContaining('below the order threshold') },
  ]);
  expect((await bulk('/tanks/bulk', { ...line, order_threshold_percentage: 50 })).results[0]?.status).toBe('updated');
  const put = `/customers/${customer.id}/tanks/custom_id/a`;
  expect((await call('PUT', put, { ...TANK, order_threshold_percentage: 45 })).status).toBe(200);
  expect(await read()).toBe(45);

  const update = (value: string) => run('tanks', 'update', made.id, '--order-threshold-percentage', value);
  expect((await update('10')).stderr).toContain('must be above the alert threshold, which is 20');
  expect((await update('35')).code).toBe(0);
  const row = {
    owner: 'C-1',
    custom_id: 'a',
    name: TANK.name,
    assigned_device_id: made.assigned_device_id,
    capacity: String(TANK.capacity),
    capacity_unit: TANK.capacity_unit,
    min_fill_alert_percentage: '20',
  };
  expect((await interfaces.importRow('tanks', { ...row, order_threshold_percentage: '15' })).stderr).toContain(
    "order_threshold_percentage: '15' must be above the alert threshold, which is 20",
  );
  expect((await interfaces.importRow('tanks', { ...row, min_fill_alert_percentage: '36' })).stderr).toContain(
    'must be below the order threshold, which is 35',
  );
  const constant = ['--set', 'order_threshold_percentage=50'];
  const lowered = await interfaces.importRow('tanks', { ...row, min_fill_alert_percentage: '36' }, ...constant);
  expect(lowered.stderr).toContain("min_fill_alert_percentage: '36' must be below the order threshold, which is 35");
  expect((await interfaces.importRow('tanks', { ...row, order_threshold_percentage: '30' })).code).toBe(0);
  expect(await read()).toBe(30);
  expect((await callApi(manage.url, `/fleet/v1${path}`, { key })).json).toMatchObject({
    order_threshold_percentage: 30,
    order_due_since: null,
  });
  expect(Object.keys((await callApi(manage.url, `/v1${path}`, { key })).json)).not.toContain(
    'order_threshold_percentage',
  );
  expect((await update('')).code).toBe(0);
  expect(await read()).toBeNull();
  for (const [header, column] of [
    [['Cliente', 'Tanque', 'Capacidad', 'Umbral', 'Pedir en %'], 'Pedir en %'],
    [['Account', 'Tank', 'Size', 'Alert', 'Reorder level'], 'Reorder level'],
  ] as const)
    expect(suggestMapping(header, TANK_IMPORT).columns['order_threshold_percentage']).toBe(column);
});

test('tanks at their order threshold are listed and counted, and a changed threshold counts from its change on', async ({
  database,
  manage,
}) => {
  const { key, organizationNo, call } = await givenInterfaces(database, manage);
  const customer = await givenCustomer(database.operator, organizationNo);
  const tanks: { id: string; no: number }[] = [];
  for (const order_threshold_percentage of [40, 30, null]) {
    const { json } = await call('POST', '/tanks', { ...TANK, owner_id: customer.id, order_threshold_percentage });
    const { rows } = await database.owner.query<{ no: number }>('select no from tanks where id = $1', [json.id]);
    tanks.push({ id: json.id, no: rows[0]?.no ?? 0 });
  }
  const nowMs = Date.now();
  await new BatchIngester(database.writer).ingestReadings(
    tanks.flatMap(({ no: tankNo }) =>
      Array.from({ length: 40 }, (_, n) => ({
        tankNo,
        fillPercentage: 55 - n * 0.45,
        atMs: nowMs - (40 - n) * 2 * HOUR_MS,
      })),
    ),
  );
  const fleet = async (path: string) => (await callApi(manage.url, `/fleet/v1${path}`, { key })).json;
  const [first] = tanks;
  expect((await fleet('/tanks?order=due')).data).toMatchObject([
    { tank: { id: first?.id }, order_due_since: expect.stringMatching(/Z$/), section: null },
  ]);
  expect((await fleet('/summary')).orders_due).toBe(1);
  const events = async () =>
    (
      await database.owner.query(
        `select tank_no, data, notify, occurred_at > $2 as is_new from events
         where organization_no = $1 and type = 'tank.order_due' and retracted_at is null order by tank_no`,
        [organizationNo, new Date(nowMs)],
      )
    ).rows;
  const data = { fill_percentage: expect.closeTo(40, 0), threshold_percentage: 40 };
  const recorded = { tank_no: first?.no, data, notify: true, is_new: false };
  expect(await events()).toEqual([recorded]);
  await call('PATCH', `/tanks/${tanks[1]?.id}`, { order_threshold_percentage: 42 });
  await reevaluateAllTanks(database.writer, Date.now() + 1_000);
  const changed = {
    tank_no: tanks[1]?.no,
    data: { fill_percentage: expect.closeTo(37.5, 0), threshold_percentage: 42 },
  };
  const both = [recorded, { ...changed, notify: true, is_new: true }];
  expect(await events()).toEqual(both);
  // Also if the tanks are evaluated again from the first reading, each threshold counts from its own time on.
  await markFromTheBeginning(
    database,
    tanks.map(({ no }) => no),
  );
  await reevaluateAllTanks(database.writer, Date.now() + 1_000);
  expect(await events()).toEqual(both);
  expect((await callApi(manage.url, '/fleet/v1/tanks.csv', { key })).text).toContain(
    'order_threshold_percentage,order_due_since',
  );
});
