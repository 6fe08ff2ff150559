import { expect } from 'vitest';
import { callApi } from '../support/http.ts';
import { CUSTOMER, givenManagedOrganization, type ManageApi, TANK, test } from '../support/manage.ts';

const fleet = async ({ url }: ManageApi, key: string, path: string) =>
  (await callApi(url, `/fleet/v1${path}`, { key })).json;

test('a tank is found by its external_key in the whole organization, and PUT by this key changes its owner', async ({
  database,
  manage,
}) => {
  const { key } = await givenManagedOrganization(database);
  for (const name of ['A', 'B'])
    await manage.call(key, 'PUT', `/customers/external_key/${name}`, { body: { ...CUSTOMER, name } });
  const path = '/tanks/external_key/T-1';
  const without = await manage.call(key, 'PUT', path, { body: TANK });
  expect([without.status, without.json.errors]).toMatchObject([422, [{ param: 'owner_id' }]]);
  const created = await manage.call(key, 'PUT', path, { body: { ...TANK, owner_external_key: 'A', custom_id: 'own' } });
  expect([created.status, created.json]).toMatchObject([201, { external_key: 'T-1', custom_id: 'own' }]);
  const { id, etag, owner_id: ownerId } = created.json;
  expect(await manage.call(key, 'GET', path)).toMatchObject({ status: 200, json: { id, etag } });

  // The owner and the custom_id stay if they are not sent, and sending the same again writes nothing.
  const same = await manage.call(key, 'PUT', path, { body: TANK });
  expect([same.status, same.json]).toMatchObject([200, { id, etag, owner_id: ownerId, custom_id: 'own' }]);
  const moved = await manage.call(key, 'PUT', path, { body: { ...TANK, owner_external_key: 'B' }, ifMatch: etag });
  expect([moved.status, moved.json.id, moved.json.owner_id === ownerId]).toEqual([200, id, false]);
  const late = await manage.call(key, 'PUT', path, { body: TANK, ifMatch: etag });
  expect(late.status).toBe(412);

  // A key that a tank of another owner has is refused by every operation.
  const { json: other } = await manage.call(key, 'POST', '/tanks', {
    body: { ...TANK, owner_id: ownerId, custom_id: 'x' },
  });
  const taken = { external_key: 'T-1' };
  const answers = [
    await manage.call(key, 'PATCH', `/tanks/${other.id}`, { body: taken, ifMatch: '*' }),
    await manage.call(key, 'POST', '/tanks', { body: { ...TANK, owner_id: ownerId, ...taken } }),
    await manage.call(key, 'PUT', `/customers/${ownerId}/tanks/custom_id/x`, { body: { ...TANK, ...taken } }),
  ];
  for (const { status, json } of answers) expect([status, json]).toMatchObject([409, { conflicting_id: id }]);
  const lines = [
    { ...TANK, custom_id: 'x', owner_id: ownerId, ...taken },
    { ...TANK, custom_id: 'y', owner_id: ownerId, external_key: 'T-2' },
    { ...TANK, custom_id: 'z', owner_id: ownerId, external_key: 'T-2' },
    { ...TANK, custom_id: 'v', owner_id: ownerId },
    { ...TANK, custom_id: 'w', owner_id: ownerId },
  ];
  const { status, text } = await manage.call(key, 'POST', '/tanks/bulk', {
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  });
  const results = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([status, results.slice(0, 5).map((line) => line.status)]).toEqual([
    207,
    ['refused', 'created', 'refused', 'created', 'created'],
  ]);

  // A request without the key keeps it. The list filters by the key, and the feed shows it.
  await manage.call(key, 'PUT', `/customers/${ownerId}/tanks/custom_id/y`, { body: { ...TANK, name: 'Y' } });
  expect((await manage.call(key, 'GET', '/tanks/external_key/T-2')).json.name).toBe('Y');
  const listed = await fleet(manage, key, '/tanks?external_key=T-2');
  expect(listed.data.map((row: { external_key: string }) => row.external_key)).toEqual(['T-2']);
  // A long transaction of another program delays the feed.
  await expect
    .poll(async () => {
      const { data } = await fleet(manage, key, '/changes?size=1000');
      return data.flatMap(({ tank }: { tank: { external_key: string | null } | null }) => tank?.external_key ?? []);
    })
    .toEqual(expect.arrayContaining(['T-1', 'T-2']));

  // The key of a deleted tank is free again.
  await manage.call(key, 'DELETE', `/tanks/${id}`, { ifMatch: '*' });
  expect((await manage.call(key, 'GET', path)).status).toBe(404);
  expect((await manage.call(key, 'PUT', path, { body: { ...TANK, owner_external_key: 'A' } })).status).toBe(201);
});

test('depots, trucks and drivers are created, replaced and found by external_key, and notes name them by it', async ({
  database,
  manage,
}) => {
  const { key } = await givenManagedOrganization(database);
  const { json: depot } = await manage.call(key, 'PUT', '/depots/external_key/D%2F1', {
    body: { name: 'Depot', latitude: 20, longitude: -100 },
  });
  const bodies = {
    depots: { name: 'Other depot', latitude: 21, longitude: -100 },
    trucks: { name: 'Truck 1', depot_id: depot.id, capacity: 9000, capacity_unit: 'liters', product: 'LP gas' },
    drivers: { name: 'Raúl', phone: '+52 461 555 0155' },
  };
  for (const [kind, body] of Object.entries(bodies)) {
    const path = `/${kind}/external_key/N-1`;
    const created = await manage.call(key, 'PUT', path, { body });
    expect([kind, created.status, created.json]).toMatchObject([kind, 201, { ...body, external_key: 'N-1' }]);
    const again = await manage.call(key, 'PUT', path, { body });
    expect([again.status, again.json]).toEqual([200, created.json]);
    expect((await manage.call(key, 'GET', path)).json).toEqual(created.json);
    expect((await manage.call(key, 'PUT', path, { body, headers: { 'if-none-match': '*' } })).status).toBe(412);
    const taken = await manage.call(key, 'POST', `/${kind}`, { body: { ...body, name: 'New', external_key: 'N-1' } });
    expect([taken.status, taken.json.conflicting_id]).toEqual([409, created.json.id]);
    const { status } = await manage.call(key, 'PUT', path, { body: { ...body, external_key: 'N-2' } });
    expect(status).toBe(422);
  }
  // A nullable field that is missing becomes null.
  const { product: _product, ...truck } = bodies.trucks;
  expect((await manage.call(key, 'PUT', '/trucks/external_key/N-1', { body: truck })).json.product).toBeNull();

  await manage.call(key, 'PUT', '/customers/external_key/A', { body: CUSTOMER });
  await manage.call(key, 'PUT', '/tanks/external_key/T-1', { body: { ...TANK, owner_external_key: 'A' } });
  const note = { at: '2026-01-12', volume: 100, tank: 'T-1', truck: 'N-1', driver: 'N-1', reference: 'SO-1' };
  const stored = await manage.call(key, 'PUT', '/delivery-notes/-/1', { body: note });
  expect([stored.status, stored.json]).toMatchObject([201, { reference: 'SO-1', source: 'api' }]);
  expect([stored.json.tank_id, stored.json.truck_id, stored.json.driver_id]).not.toContain(null);
  const { data } = await fleet(manage, key, '/delivery-notes?reference=SO-1');
  expect(data.map(({ number, reference }: Record<string, string>) => [number, reference])).toEqual([['1', 'SO-1']]);
  expect((await fleet(manage, key, '/delivery-notes?reference=SO-2')).data).toEqual([]);

  // A deleted driver is not found by its key.
  const { json: driver } = await manage.call(key, 'GET', '/drivers/external_key/N-1');
  await manage.call(key, 'DELETE', `/drivers/${driver.id}`, { ifMatch: '*' });
  expect((await manage.call(key, 'GET', '/drivers/external_key/N-1')).status).toBe(404);
});

test('rounds name truck, driver and tanks by external_key, and lists find them by it', async ({ database, manage }) => {
  const { key } = await givenManagedOrganization(database);
  const put = async (path: string, body: object): Promise<string> =>
    (await manage.call(key, 'PUT', path, { body })).json.id;
  await put('/customers/external_key/A', CUSTOMER);
  const depotId = await put('/depots/external_key/D-1', { name: 'Celaya', latitude: 20.52, longitude: -100.81 });
  const truck = { name: 'Truck', depot_id: depotId, capacity: 2000, capacity_unit: 'liters' };
  const truckId = await put('/trucks/external_key/FLEET-2', truck);
  const driverId = await put('/drivers/external_key/E-7', { name: 'Raúl Vega' });
  const located = { ...TANK, owner_external_key: 'A', location: { latitude: 20.51, longitude: -100.82 } };
  const tankIds = [
    await put('/tanks/external_key/T-1', { ...located, custom_id: '1' }),
    await put('/tanks/external_key/T-2', { ...located, custom_id: '2' }),
  ];
  const day = new Date().toISOString().slice(0, 10);
  const own = { date: day, truck_external_key: 'FLEET-2', driver_external_key: 'E-7' };
  const stops = [
    { tank_external_key: 'T-2', volume: 50 },
    { tank_id: tankIds[0], volume: 40 },
  ];
  const created = await manage.call(key, 'POST', '/rounds', { body: { ...own, stops } });
  expect([created.status, created.json]).toMatchObject([
    201,
    { truck_id: truckId, driver_id: driverId, stops: [{ tank_id: tankIds[1] }, { tank_id: tankIds[0] }] },
  ]);
  const { id, etag } = created.json;
  const fewer = await manage.call(key, 'PUT', `/rounds/${id}/stops`, {
    body: { stops: [{ tank_external_key: 'T-1', volume: 40 }] },
    ifMatch: etag,
  });
  expect([fewer.status, fewer.json.stops]).toMatchObject([200, [{ tank_id: tankIds[0] }]]);
  const without = await manage.call(key, 'PATCH', `/rounds/${id}`, { body: { driver_id: null }, ifMatch: '*' });
  expect([without.status, without.json.driver_id]).toEqual([200, null]);
  const again = await manage.call(key, 'PATCH', `/rounds/${id}`, {
    body: { driver_external_key: 'E-7' },
    ifMatch: '*',
  });
  expect([again.status, again.json.driver_id]).toEqual([200, driverId]);

  const refused: [object, string][] = [
    [{ date: day }, 'truck_id'],
    [{ ...own, truck_id: truckId }, 'truck_external_key'],
    [{ ...own, driver_external_key: 'E-8' }, 'driver_external_key'],
    [{ ...own, stops: [{ tank_external_key: 'T-9' }] }, 'stops[0].tank_external_key'],
    [{ ...own, stops: [{ volume: 5 }] }, 'stops[0].tank_id'],
    [{ ...own, stops: [{ tank_id: tankIds[0], tank_external_key: 'T-1' }] }, 'stops[0].tank_external_key'],
  ];
  for (const [body, param] of refused) {
    const { status, json } = await manage.call(key, 'POST', '/rounds', { body });
    expect([param, status, json.errors]).toMatchObject([param, 422, [{ param }]]);
  }

  for (const [list, found, objectId] of [
    ['depots', 'D-1', depotId],
    ['trucks', 'FLEET-2', truckId],
    ['drivers', 'E-7', driverId],
  ]) {
    const { json } = await manage.call(key, 'GET', `/${list}?external_key=${found}`);
    expect(json.data.map(({ id: listedId }: { id: string }) => listedId)).toEqual([objectId]);
    expect((await manage.call(key, 'GET', `/${list}?external_key=none`)).json.data).toEqual([]);
  }
});
