import { describe, expect } from 'vitest';
import { OPERATIONS } from '../../src/api/operations.ts';
import { deleteCustomer } from '../../src/catalog/customers.ts';
import { deleteTank } from '../../src/catalog/tanks.ts';
import type { CatalogRef } from '../../src/catalog/upsert_rows.ts';
import { transaction } from '../../src/db/pool.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { givenCustomer, givenKey, givenOrganization, givenTank } from '../support/fleet.ts';
import { type TestDatabase, test } from '../support/test.ts';

/** An organization with a mark in all its texts, so that any text of another organization can be found. */
async function givenMarkedOrganization(database: TestDatabase, mark: string) {
  const { operator, writer } = database;
  const organizationNo = await givenOrganization(operator);
  const givenOne = async (which: string): Promise<{ customer: CatalogRef; tank: CatalogRef }> => {
    const name = `${mark}-${which}`;
    const customer = await givenCustomer(operator, organizationNo, {
      name,
      email: `${name}@example.com`,
      external_key: name,
    });
    const tank = await givenTank(operator, organizationNo, customer.no, { name, assigned_device_id: name });
    await new BatchIngester(writer).ingestReadings([{ tankNo: tank.no, atMs: Date.UTC(2025, 0), fillPercentage: 50 }]);
    return { customer, tank };
  };
  const one = await givenOne('one');
  const two = await givenOne('two');
  const deletedCustomer = await givenCustomer(operator, organizationNo);
  const deletedTank = await givenTank(operator, organizationNo, one.customer.no);
  await transaction(operator, async (tx) => {
    await deleteCustomer(tx, organizationNo, deletedCustomer.no);
    await deleteTank(tx, organizationNo, deletedTank.no);
  });
  const whole = await givenKey(operator, { organizationNo });
  const narrowed = await givenKey(operator, { organizationNo, customerNo: one.customer.no });
  const ids = ({ customer, tank }: { customer: CatalogRef; tank: CatalogRef }) => ({
    customer: customer.id,
    tank: tank.id,
  });
  return {
    whole: whole.text,
    narrowed: narrowed.text,
    one: ids(one),
    two: ids(two),
    deleted: ids({ customer: deletedCustomer, tank: deletedTank }),
  };
}

const UNKNOWN = '01989f2e-0000-7000-8000-000000000000';

/** The parameters that an operation requires besides an id. */
const REQUIRED_PARAMETERS: Readonly<Record<string, string>> = {
  '/fleet/v1/tanks/:id/threshold_trial': '?threshold=15',
};

/** All paths with an id, filled with the id of the right object. */
const routesTo = (ids: { customer: string; tank: string }): [string, string][] =>
  OPERATIONS.filter(({ idOf }) => idOf === 'customer' || idOf === 'tank').map((operation) => {
    const id = operation.idOf === 'customer' ? ids.customer : ids.tank;
    return [operation.path.replace(':id', id) + (REQUIRED_PARAMETERS[operation.path] ?? ''), id];
  });

describe('isolation of organizations and customers', () => {
  test('an id of another organization or customer returns the same 404 as an unknown id, byte for byte', async ({
    database,
    api,
  }) => {
    const ours = await givenMarkedOrganization(database, 'ours');
    const theirs = await givenMarkedOrganization(database, 'theirs');
    const attempts: [string, { customer: string; tank: string }][] = [
      [ours.whole, theirs.one],
      [ours.whole, theirs.two],
      [ours.whole, theirs.deleted],
      [ours.narrowed, theirs.one],
      [ours.narrowed, theirs.deleted],
      [ours.narrowed, ours.two],
    ];
    let tried = 0;
    for (const [key, ids] of attempts) {
      for (const [path, id] of routesTo(ids)) {
        const headers = { 'x-request-id': 'same' };
        const foreign = await api.call(path, { key, headers });
        const unknown = await api.call(path.replace(id, UNKNOWN), { key, headers });
        expect(foreign.status).toBe(404);
        expect(foreign.text).toBe(unknown.text);
        expect(foreign.text).not.toContain(id);
        expect({ ...foreign.headers, date: 0, ratelimit: 0 }).toEqual({ ...unknown.headers, date: 0, ratelimit: 0 });
        tried++;
      }
    }
    expect(tried).toBe(6 * 11);
  });

  test('no list returns an object of another organization, with any filter', async ({ database, api }) => {
    const ours = await givenMarkedOrganization(database, 'mine');
    await givenMarkedOrganization(database, 'yours');
    for (const path of [
      '/v1/customers',
      '/v1/tanks',
      '/v1/customers?email=yours-one%40example.com',
      '/v1/customers?size=100',
      '/fleet/v1/tanks?size=200',
      '/fleet/v1/tanks?q=yours',
      '/fleet/v1/tanks?sort=level&status=soon',
      '/fleet/v1/events?size=200',
      '/fleet/v1/history?size=200',
      '/fleet/v1/search?q=yours',
      '/fleet/v1/customers?external_key=yours-one',
      '/fleet/v1/customers?size=200',
      '/fleet/v1/customers?q=yours',
      '/fleet/v1/events.csv',
      '/fleet/v1/summary',
    ]) {
      for (const key of [ours.whole, ours.narrowed]) {
        const response = await api.call(path, { key });
        expect(response.status).toBe(200);
        expect(response.text).not.toContain('yours');
      }
    }
  });

  test('the history by the id of a foreign customer is empty', async ({ database, api }) => {
    const ours = await givenMarkedOrganization(database, 'past');
    const theirs = await givenMarkedOrganization(database, 'foreign');
    for (const [key, id] of [
      [ours.whole, theirs.one.customer],
      [ours.narrowed, ours.two.customer],
    ]) {
      const { json } = await api.call(`/fleet/v1/history?owner_id=${id}`, { key: key ?? '' });
      expect(json).toEqual({ object: 'history', events: [], next: null, has_more: false });
    }
  });

  test('a key narrowed to a customer gets 403 for the settings of the organization, also as a session', async ({
    database,
    api,
  }) => {
    const ours = await givenMarkedOrganization(database, 'settings');
    await givenMarkedOrganization(database, 'elsewhere');
    const whole = await api.call('/fleet/v1/settings', { key: ours.whole });
    expect([whole.status, whole.json.thresholds]).toEqual([200, [{ min_fill_alert_percentage: 20, tanks: 2 }]]);
    expect((await api.call('/fleet/v1/settings', { key: ours.narrowed })).status).toBe(403);
    const signedIn = await fetch(`${api.url}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: ours.narrowed }),
    });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await fetch(`${api.url}/fleet/v1/summary`, { headers: { cookie } })).status).toBe(200);
    expect((await fetch(`${api.url}/fleet/v1/settings`, { headers: { cookie } })).status).toBe(403);
  });

  test('a narrowed key sees its customer, the tanks of the customer, their telemetry, and matching totals', async ({
    database,
    api,
  }) => {
    const { narrowed, one } = await givenMarkedOrganization(database, 'narrow');
    const customers = await api.call('/v1/customers', { key: narrowed });
    expect([customers.json.total_items, customers.json.data[0].id]).toEqual([1, one.customer]);
    const tanks = await api.call('/v1/tanks', { key: narrowed });
    expect([tanks.json.total_items, tanks.json.data.length, tanks.json.data[0].id]).toEqual([1, 1, one.tank]);
    const telemetry = await api.call(`/v1/tanks/${one.tank}/telemetry`, { key: narrowed });
    expect(telemetry.json.total_items).toBe(1);
    const byEmail = await api.call('/v1/customers?email=narrow-two%40example.com', { key: narrowed });
    expect(byEmail.json.total_items).toBe(0);
  });

  test('a deleted object is returned as id, object and deleted only; its telemetry is not found', async ({
    database,
    api,
  }) => {
    const { whole, deleted } = await givenMarkedOrganization(database, 'gone');
    const customer = await api.call(`/v1/customers/${deleted.customer}`, { key: whole });
    expect(customer.json).toEqual({ id: deleted.customer, object: 'customer', deleted: true });
    const tank = await api.call(`/v1/tanks/${deleted.tank}`, { key: whole });
    expect(tank.json).toEqual({ id: deleted.tank, object: 'tank', deleted: true });
    expect((await api.call(`/v1/tanks/${deleted.tank}/telemetry`, { key: whole })).status).toBe(404);
  });
});
