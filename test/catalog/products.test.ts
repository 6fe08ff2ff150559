import { expect } from 'vitest';
import { exportCsv } from '../../src/catalog/export_csv.ts';
import { TANK_IMPORT } from '../../src/catalog/import_targets.ts';
import { suggestMapping } from '../../src/catalog/suggest_mapping.ts';
import { TANK_FIELDS } from '../../src/catalog/tank_fields.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { DEFAULT_PRODUCT, fillLimitOf, PRODUCT_NAMES, PRODUCT_WORDS, productOf } from '../../src/values/products.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenCustomer, givenOrganization, givenTanks, organizationCodeOf } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { givenInterfaces } from '../support/interfaces.ts';
import { TANK, test } from '../support/manage.ts';

const NO_PRODUCT = { product: null, fill_limit_percentage: null };

test('a tank gets its product over HTTP, in bulk and by a command, and every API and file except /v1 contains it', async ({
  database,
  manage,
}) => {
  const interfaces = await givenInterfaces(database, manage);
  const { key, organizationNo, call, run } = interfaces;
  const customer = await givenCustomer(database.operator, organizationNo, { external_key: 'C-1' });
  const { json: made } = await call('POST', '/tanks', { ...TANK, owner_id: customer.id, custom_id: 'a' });
  expect(made).toMatchObject(NO_PRODUCT);
  const path = `/tanks/${made.id}`;
  const status = async () => (await callApi(manage.url, `/fleet/v1${path}`, { key })).json;
  expect(await status()).toMatchObject({ product: 'propane', fill_limit_percentage: 80 });

  const oil = { product: 'heating_oil', fill_limit_percentage: 90 };
  const { json: patched } = await call('PATCH', path, oil);
  expect(patched).toMatchObject(oil);
  expect(patched.etag).not.toBe(made.etag);
  expect(patched.updated_at).toBe(made.updated_at);
  const { json: bad } = await call('PATCH', path, { product: 'lava', fill_limit_percentage: 20 });
  expect(bad.errors.map(({ param }: { param: string }) => param)).toEqual(['product', 'fill_limit_percentage']);
  // A bulk line without the two fields keeps them.
  const line = { ...TANK, owner_external_key: 'C-1', custom_id: 'a' };
  expect((await interfaces.bulk('/tanks/bulk', line)).results[0]?.status).toBe('unchanged');
  expect((await interfaces.bulk('/tanks/bulk', { ...line, product: 'diesel' })).results[0]?.status).toBe('updated');
  expect((await call('GET', path)).json).toMatchObject({ product: 'diesel', fill_limit_percentage: 90 });
  expect((await run('tanks', 'update', made.id, '--product', 'Gasóleo', '--fill-limit-percentage', '')).stdout).toBe(
    `changed product, fill_limit_percentage of the tank ${made.id}\n`,
  );
  expect(await status()).toMatchObject({ product: 'heating_oil', fill_limit_percentage: 95 });
  expect((await callApi(manage.url, '/fleet/v1/tanks.csv', { key })).text).toMatch(/,heating_oil,95,,,\r?\n$/);
  const exported = (await Array.fromAsync(exportCsv(database.operator, organizationNo, 'tanks'))).join('');
  expect(exported).toContain('product,fill_limit_percentage,order_threshold_percentage,external_key,created_at');
  expect(exported).toContain(',heating_oil,,,');

  const { json: v1 } = await callApi(manage.url, `/v1${path}`, { key });
  expect(Object.keys(v1).filter((field) => /product|limit/.test(field))).toEqual([]);
  // The feed has the change as soon as no older transaction of another test runs.
  const changes = async () => (await callApi(manage.url, '/fleet/v1/changes', { key })).text;
  await expect.poll(changes, { timeout: 30_000 }).toContain('"product":"heating_oil"');
});

test('a tank without a product has that of its organization, which commands and /manage/v1 change', async ({
  database,
  manage,
}) => {
  const { key, organizationNo, call } = await givenInterfaces(database, manage);
  const customer = await givenCustomer(database.operator, organizationNo);
  const { json: tank } = await call('POST', '/tanks', { ...TANK, owner_id: customer.id });
  const read = async () => (await callApi(manage.url, `/fleet/v1/tanks/${tank.id}`, { key })).json;
  expect((await call('PATCH', '/organization', { default_product: 'water' })).json).toEqual({
    object: 'organization',
    default_product: 'water',
    reports_unusual_use: true,
  });
  expect(await read()).toMatchObject({ product: 'water', fill_limit_percentage: 100 });
  expect((await callApi(manage.url, '/fleet/v1/settings', { key })).json.organization.default_product).toBe('water');
  const code = await organizationCodeOf(database.owner, organizationNo);
  const update = ['organizations', 'update', code, '--default-product'];
  const environment = { DATABASE_URL: database.urls.operator };
  expect((await runCommand([...update, 'lava'], environment)).stderr).toContain('Allowed choices are propane, butane');
  expect((await runCommand([...update, 'diesel'], environment)).code).toBe(0);
  expect(await read()).toMatchObject({ product: 'diesel', fill_limit_percentage: 95 });
  expect((await call('PATCH', '/organization', { default_product: 'lava' })).status).toBe(422);
  // A release that does not know a product treats it as propane.
  await database.owner.query(`update organizations set default_product = 'hydrazine' where no = $1`, [organizationNo]);
  expect(await read()).toMatchObject({ product: 'propane', fill_limit_percentage: 80 });
});

test('the column defaults to DEFAULT_PRODUCT, and files may use common names of products', async ({ database }) => {
  const { rows } = await database.owner.query<{ value: string }>(
    `select column_default as value from information_schema.columns
     where table_name = 'organizations' and column_name = 'default_product'`,
  );
  expect(rows[0]?.value).toBe(`'${DEFAULT_PRODUCT}'::text`);
  expect([productOf(null), productOf('lava'), productOf('water')]).toEqual(['propane', 'propane', 'water']);
  expect(fillLimitOf({ product: 'lava', fill_limit_percentage: null })).toBe(80);
  const words = Object.values(PRODUCT_WORDS).flat();
  expect([new Set(words).size, words.filter((word) => word !== word.toLowerCase())]).toEqual([words.length, []]);
  for (const [text, product] of [
    ['Heating Oil', 'heating_oil'],
    ['Gas LP', 'lpg_mix'],
    ['Propano', 'propane'],
    ['AdBlue', 'def'],
    ['', null],
  ])
    expect(TANK_FIELDS.product(text ?? '')).toEqual({ value: product });
  expect(TANK_FIELDS.product.choices).toEqual(PRODUCT_NAMES);
  expect(suggestMapping(['Cliente', 'Tanque', 'Capacidad (gal)', 'Producto'], TANK_IMPORT).columns).toMatchObject({
    product: 'Producto',
  });
  expect(suggestMapping(['Account', 'Tank', 'Size', 'Fuel type'], TANK_IMPORT).columns).toMatchObject({
    product: 'Fuel type',
  });
});

test('a delivery above the fill limit and its margin is an event, unless it was before overfill_from', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const { no: ownerNo } = await givenCustomer(database.operator, organizationNo);
  const tanks = await givenTanks(database.operator, organizationNo, ownerNo, [
    {},
    { product: 'heating_oil' },
    { product: 'propane', fill_limit_percentage: 90 },
  ]);
  const nowMs = Date.now();
  await database.owner.query(`update organizations set overfill_from = now() - interval '1 day' where no = $1`, [
    organizationNo,
  ]);
  // The tanks are filled to 91 % four days ago, before overfill_from, and twelve hours ago.
  const levels = Array.from({ length: 60 }, (_, n) => {
    if (n < 10) return 40;
    return n < 54 ? 91 - (n - 10) : 91;
  });
  await new BatchIngester(database.writer).ingestReadings(
    tanks.flatMap(({ no: tankNo }) =>
      levels.map((fillPercentage, n) => ({ tankNo, fillPercentage, atMs: nowMs - (levels.length - n) * 2 * HOUR_MS })),
    ),
  );
  const { rows } = await database.owner.query<{ no: number; data: object; refills: number }>(
    `select tank_no as no, data, (select count(*)::int from events r where r.tank_no = e.tank_no and r.type = 'tank.refilled') as refills
     from events e where organization_no = $1 and type = 'tank.overfilled'`,
    [organizationNo],
  );
  expect(rows).toEqual([
    { no: tanks[0]?.no, data: { fill_percentage: expect.closeTo(91, 0), limit_percentage: 80 }, refills: 2 },
  ]);
});
