import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { startApi } from '../../engines/api.ts';
import { givenCustomer, givenTank } from '../support/fleet.ts';
import type { Response } from '../support/http.ts';
import { expectLockWaits } from '../support/lock_waits.ts';
import {
  test as base,
  givenManagedOrganization,
  type ManageApi,
  type ManageCall,
  manageApi,
  manageSettings,
} from '../support/manage.ts';
import type { TestDatabase } from '../support/test.ts';

const test = base.extend<{ $file: { apis: readonly ManageApi[] } }>({
  apis: [
    async ({ database, manage }, use) => {
      const other = await startApi(database.urls.api, manageSettings(database));
      await use([manage, manageApi(other.url)]);
      await other.close();
    },
    { scope: 'file' },
  ],
});

/** A key that both apis have verified. A change waits only 2 s for a lock, so a first request must not slow it down. */
async function givenKnownKey(database: TestDatabase, apis: readonly ManageApi[]) {
  const organization = await givenManagedOrganization(database);
  for (const api of apis) expect((await api.call(organization.key, 'GET', '/drivers')).status).toBe(200);
  return organization;
}

/** Sends the same change to both apis while the row is locked, and unlocks it when both wait. */
async function sendToBoth(
  database: TestDatabase,
  apis: readonly ManageApi[],
  lock: { table: string; id: string },
  send: (api: ManageApi) => Promise<Response>,
): Promise<Response[]> {
  const holder = await database.owner.connect();
  try {
    await holder.query('begin');
    await holder.query(`select from ${lock.table} where id = $1 for update`, [lock.id]);
    const isOver = new AbortController();
    onTestFinished(() => isOver.abort());
    // On a busy machine, a change can wait longer than 2 s for the other one, and gets 503.
    const sent = apis.map(async (api) => {
      for (;;) {
        const response = await send(api);
        if (response.status !== 503 || isOver.signal.aborted) return response;
        await sleep(100);
      }
    });
    await expectLockWaits(holder, apis.length);
    await holder.query('commit');
    return await Promise.all(sent);
  } finally {
    holder.release();
  }
}

const statusesOf = (responses: readonly Response[]): number[] =>
  responses.map(({ status }) => status).toSorted((a, b) => a - b);

test('of two changes with one ETag in two apis, one is made and the other is refused', async ({
  database,
  manage,
  apis,
}) => {
  const { key, organizationNo } = await givenKnownKey(database, apis);
  const owner = await givenCustomer(database.operator, organizationNo);
  const tank = await givenTank(database.operator, organizationNo, owner.no);
  const create = async (path: string, body: object): Promise<{ id: string; etag: string; call: ManageCall }> => {
    const { status, json } = await manage.call(key, 'POST', path, { body });
    expect(status).toBe(201);
    return { id: json.id, etag: json.etag, call: { ifMatch: json.etag } };
  };
  const note = await create(`/tanks/${tank.id}/notes`, { text: 'A dog' });
  const depot = await create('/depots', { name: 'Celaya', latitude: 20.5, longitude: -100.8 });
  const truck = await create('/trucks', { name: '1', depot_id: depot.id, capacity: 9_000, capacity_unit: 'liters' });
  const driver = await create('/drivers', { name: 'Raúl' });
  for (const [table, path, { id, etag }, field] of [
    ['tank_notes', '/notes', note, 'text'],
    ['depots', '/depots', depot, 'name'],
    ['trucks', '/trucks', truck, 'name'],
    ['drivers', '/drivers', driver, 'name'],
  ] as const) {
    const changes = await sendToBoth(database, apis, { table, id }, (api) =>
      api.call(key, 'PATCH', `${path}/${id}`, { ifMatch: etag, body: { [field]: `Of ${api.url}` } }),
    );
    expect([table, ...statusesOf(changes)]).toEqual([table, 200, 412]);
  }
  for (const [table, path, { id }] of [
    ['tank_notes', '/notes', note],
    ['drivers', '/drivers', driver],
  ] as const) {
    const deletions = await sendToBoth(database, apis, { table, id }, (api) =>
      api.call(key, 'DELETE', `${path}/${id}`, { ifMatch: '*' }),
    );
    expect([table, ...statusesOf(deletions)]).toEqual([table, 204, 204]);
  }
});

test('limits hold when two apis create the last object at the same time', async ({ database, manage, apis }) => {
  const { key, organizationNo } = await givenKnownKey(database, apis);
  const owner = await givenCustomer(database.operator, organizationNo);
  const tank = await givenTank(database.operator, organizationNo, owner.no);
  await database.owner.query(
    `insert into tank_notes (id, organization_no, tank_no, text, prints, written_by)
     select gen_random_uuid(), $1, $2, 'A dog', false, 'test' from generate_series(1, 19)`,
    [organizationNo, tank.no],
  );
  const notes = await sendToBoth(database, apis, { table: 'tanks', id: tank.id }, (api) =>
    api.call(key, 'POST', `/tanks/${tank.id}/notes`, { body: { text: 'A cat' } }),
  );
  expect(statusesOf(notes)).toEqual([201, 409]);

  const body = { name: 'Celaya', latitude: 20.5, longitude: -100.8 };
  const { json: depot } = await manage.call(key, 'POST', '/depots', { body });
  await database.owner.query(
    `insert into trucks (id, organization_no, name, depot_no, capacity, capacity_unit)
     select gen_random_uuid(), $1, 'Truck ' || n, d.no, 9000, 'liters' from generate_series(1, 499) as n, depots d
     where d.id = $2`,
    [organizationNo, depot.id],
  );
  const trucks = await sendToBoth(database, apis, { table: 'depots', id: depot.id }, (api) =>
    api.call(key, 'POST', '/trucks', {
      body: { name: api.url, depot_id: depot.id, capacity: 9_000, capacity_unit: 'liters' },
    }),
  );
  expect(statusesOf(trucks)).toEqual([201, 409]);
});
