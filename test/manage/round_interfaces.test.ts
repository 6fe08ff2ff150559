import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { issueKey } from '../../src/keys/issue_key.ts';
import { makeKey } from '../../src/keys/key_format.ts';
import { givenInterfaces } from '../support/interfaces.ts';
import { type ManageApi, test } from '../support/manage.ts';
import type { TestDatabase } from '../support/test.ts';

/** An organization with a depot and a truck, which tests change over HTTP and by commands. */
async function givenTruck(database: TestDatabase, manage: ManageApi) {
  const interfaces = await givenInterfaces(database, manage);
  const { call } = interfaces;
  const { json: depot } = await call('POST', '/depots', { name: 'Celaya', latitude: 20.5, longitude: -100.8 });
  const truck = { name: 'Truck 2', depot_id: depot.id, capacity: 9000, capacity_unit: 'liters' };
  const { json: made } = await call('POST', '/trucks', truck);
  return { ...interfaces, truck, truckId: String(made.id) };
}

test('a round gets no truck or driver that is archived, over HTTP and by a command', async ({ database, manage }) => {
  const { run, call, truckId } = await givenTruck(database, manage);
  const { json: driver } = await call('POST', '/drivers', { name: 'Raúl Vega' });
  const { json: round } = await call('POST', '/rounds', { date: '2026-11-17', truck_id: truckId });
  const create = ['rounds', 'create', '--date', '2026-11-17', '--truck', 'truck 2'];
  await call('PATCH', `/drivers/${driver.id}`, { is_archived: true });
  const withDriver = { date: '2026-11-17', truck_id: truckId, driver_id: driver.id };
  expect((await call('POST', '/rounds', withDriver)).json.errors).toEqual([
    { param: 'driver_id', code: 'invalid', detail: 'Must be a driver that is in use.' },
  ]);
  expect((await run(...create, '--driver', 'Raúl Vega')).stderr).toBe(
    'tankwatch: --driver must be a driver that is in use.\n',
  );
  expect((await run('trucks', 'update', 'Truck 2', '--is-archived', 'true')).code).toBe(0);
  const detail = 'Must be a truck that is in use.';
  for (const path of ['/rounds', '/round-proposals'])
    expect((await call('POST', path, { date: '2026-11-17', truck_id: truckId })).json.errors).toEqual([
      { param: 'truck_id', code: 'invalid', detail },
    ]);
  for (const args of [create, [...create, '--propose'], ['rounds', 'propose', ...create.slice(2)]])
    expect(await run(...args)).toMatchObject({
      code: 1,
      stderr: 'tankwatch: --truck must be a truck that is in use.\n',
    });
  // A round of the archived truck can still be changed and ended.
  expect((await call('PATCH', `/rounds/${round.id}`, { fill_to_percentage: 85 })).status).toBe(200);
  expect((await run('rounds', 'state', round.id, 'done')).code).toBe(0);
  const refusal = 'round that is done cannot be cancelled';
  expect((await call('PATCH', `/rounds/${round.id}`, { state: 'cancelled' })).json.detail).toBe(`A ${refusal}.`);
  expect((await run('rounds', 'state', round.id, 'cancelled')).stderr).toContain(`tankwatch: a ${refusal}; `);
});

test('a name that another truck has is refused for the same reason, over HTTP and by a command', async ({
  database,
  manage,
}) => {
  const { organizationNo, run, call, truck, truckId } = await givenTruck(database, manage);
  const taken = [409, 'Another truck has this name.'];
  const answered = ({ status, json }: { status: number; json: { detail?: string } }) => [status, json.detail];
  const stderr = 'tankwatch: another truck has this name; choose another name.\n';
  const create = ['trucks', 'create', '--depot', 'Celaya', '--capacity', '1', '--capacity-unit', 'liters', '--name'];
  expect(answered(await call('POST', '/trucks', { ...truck, name: 'TRUCK 2' }))).toEqual(taken);
  expect((await run(...create, 'TRUCK 2')).stderr).toBe(stderr);
  expect((await run(...create, 'Truck 3')).code).toBe(0);
  expect(answered(await call('PATCH', `/trucks/${truckId}`, { name: 'truck 3' }))).toEqual(taken);
  expect((await run('trucks', 'update', 'Truck 3', '--name', 'Truck 2')).stderr).toBe(stderr);
  // Archived trucks may have a name that is in use, also if they are archived and named at once. It is one change.
  expect((await run('trucks', 'update', 'Truck 3', '--is-archived', 'true', '--name', 'Truck 2')).code).toBe(0);
  const { json: archived } = await call('POST', '/trucks', { ...truck, is_archived: true });
  expect(archived).toMatchObject({ name: 'Truck 2', is_archived: true });
  const { rows } = await database.owner.query(
    `select fields from audit_log where organization_no = $1 and action = 'update' order by no`,
    [organizationNo],
  );
  expect(rows).toEqual([{ fields: ['archived_at', 'name'] }]);
  const unknown = await run('trucks', 'update', randomUUID(), '--name', 'x');
  expect(unknown.stderr).toBe('tankwatch: there is no such truck; see: tankwatch trucks list\n');
});

test('more than 500 drivers are refused, and deleting one again changes nothing, over HTTP and by a command', async ({
  database,
  manage,
}) => {
  const { organizationNo, run, call } = await givenTruck(database, manage);
  for (const remove of [
    (id: string) => run('drivers', 'delete', id),
    (id: string) => call('DELETE', `/drivers/${id}`),
  ]) {
    const { json: driver } = await call('POST', '/drivers', { name: 'Raúl Vega' });
    await remove(driver.id);
    expect((await run('drivers', 'delete', driver.id)).code).toBe(0);
    expect((await call('DELETE', `/drivers/${driver.id}`)).status).toBe(204);
  }
  const { rows } = await database.owner.query(
    `select from idempotency_keys where organization_no = $1 and object = 'driver' and answer is not null`,
    [organizationNo],
  );
  expect(rows).toEqual([]);
  await database.owner.query(
    `insert into drivers (id, organization_no, name)
     select gen_random_uuid(), $1, 'driver ' || n from generate_series(1, 500) as n`,
    [organizationNo],
  );
  const fact = 'he organization has 500 drivers already, archived ones included';
  expect((await call('POST', '/drivers', { name: 'One more' })).json.detail).toBe(`T${fact}.`);
  expect((await run('drivers', 'create', '--name', 'One more')).stderr).toContain(`tankwatch: t${fact}; `);
});

test('the delivery days of a city are the same, over HTTP and by a command', async ({ database, manage }) => {
  const { run, call } = await givenTruck(database, manage);
  expect((await call('PUT', '/delivery-days/cities/Celaya', { weekdays: [2, 5] })).status).toBe(200);
  expect((await run('rounds', 'delivery-days', '--city', ' Celaya ', '--days', 'mon')).code).toBe(0);
  expect((await call('GET', '/delivery-days')).json.data).toEqual([
    { object: 'delivery_days', city: 'Celaya', tank_id: null, weekdays: [1] },
  ]);
  const long = 'x'.repeat(201);
  expect((await call('PUT', `/delivery-days/cities/${long}`, { weekdays: [1] })).status).toBe(422);
  expect((await run('rounds', 'delivery-days', '--city', long, '--days', 'mon')).stderr).toContain(
    'must have at most 200 characters',
  );
});

test('a key whose prefix is taken gets another one, and a dry run uses up no number', async ({ database, manage }) => {
  const { organizationNo, run } = await givenTruck(database, manage);
  const issue = (prefixes: ReturnType<typeof makeKey>[]) =>
    transaction(database.operator, (tx) =>
      issueKey(
        tx,
        { organizationNo, name: 'ERP', scopes: ['read'] },
        { makeKey: () => prefixes.shift() ?? makeKey('') },
      ),
    );
  const [first, second] = [makeKey('tx1abc'), makeKey('tx1abc')];
  expect((await issue([first])).prefix).toBe(first.prefix);
  expect((await issue([first, second])).prefix).toBe(second.prefix);
  await expect(issue([first, first, first])).rejects.toThrow('no free prefix');
  const lastNo = async (): Promise<unknown> =>
    (await database.owner.query(`select last_value from pg_sequences where sequencename = 'api_keys_no_seq'`)).rows[0];
  const before = await lastNo();
  expect((await run('keys', 'create', '--name', 'ERP', '--dry-run')).code).toBe(0);
  expect(await lastNo()).toEqual(before);
});
