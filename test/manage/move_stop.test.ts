import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { MAX_STOPS } from '../../src/deliveries/round.ts';
import { givenTanks } from '../support/fleet.ts';
import { test } from '../support/manage.ts';
import { dayFromNow, givenTown, type TownTank } from '../support/rounds.ts';

/** A round of tomorrow with two stops, and a second truck that measures in gallons. */
async function givenRound(...[database, manage]: Parameters<typeof givenTown>) {
  const town = await givenTown(database, manage);
  const { key, idOf, depotId, truckId } = town;
  const post = async (path: string, body: object) => (await manage.call(key, 'POST', path, { body })).json;
  const body = { name: 'Truck 3', depot_id: depotId, capacity: 900, capacity_unit: 'gallons' };
  const { id: otherTruckId } = await post('/trucks', body);
  const date = dayFromNow(1);
  const plan = (truck: string, ...tanks: TownTank[]) =>
    post('/rounds', { date, truck_id: truck, stops: tanks.map((name) => ({ tank_id: idOf(name), volume: 100 })) });
  const round = await plan(truckId, 'empty soon', 'half full');
  const move = (number: number, ifMatch: string, idempotencyKey: string = randomUUID()) =>
    manage.call(key, 'POST', `/rounds/${round.id}/stops/${number}/move`, {
      body: { truck_id: otherTruckId },
      ifMatch,
      idempotencyKey,
    });
  const tanksOf = async (id: string): Promise<string[]> =>
    (await manage.call(key, 'GET', `/rounds/${id}`)).json.stops.map(({ tank_id }: { tank_id: string }) => tank_id);
  return { ...town, otherTruckId, round, plan, move, tanksOf };
}

const countRounds = async ({ owner }: Parameters<typeof givenTown>[0], organizationNo: number): Promise<number> =>
  (await owner.query('select from rounds where organization_no = $1', [organizationNo])).rowCount ?? 0;

test('a stop that is moved twice with one key is on one new round, with its volume', async ({ database, manage }) => {
  const { organizationNo, idOf, round, move, otherTruckId } = await givenRound(database, manage);
  const moved = await move(1, round.etag, 'lost answer');
  expect(moved.status).toBe(201);
  expect(moved.json).toMatchObject({
    object: 'moved_stop',
    from: { id: round.id, stops: [{ number: 2, tank_id: idOf('half full'), volume: 100 }] },
    to: { truck_id: otherTruckId, date: round.date, driver_id: null, volume_unit: 'gallons' },
  });
  // 100 liters are 26.4 gallons.
  expect(moved.json.to.stops).toEqual([
    expect.objectContaining({ number: 1, tank_id: idOf('empty soon'), kind: 'added', volume: 26.4 }),
  ]);
  const again = await move(1, round.etag, 'lost answer');
  expect([again.status, again.headers['idempotent-replayed'], again.json]).toEqual([201, 'true', moved.json]);
  expect(await countRounds(database, organizationNo)).toBe(2);
  // A client with the old ETag is refused.
  expect((await move(2, round.etag)).status).toBe(412);
  const { status, json } = await move(2, moved.json.from.etag);
  expect([status, json.to.id, json.to.stops.length]).toEqual([200, moved.json.to.id, 2]);
  expect(await countRounds(database, organizationNo)).toBe(2);
  const { rows } = await database.owner.query(
    `select r.id, a.action from audit_log a join rounds r on r.no = any (a.object_nos)
     where a.organization_no = $1 and a.object = 'round' order by a.no desc limit 2`,
    [organizationNo],
  );
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([round.id, json.to.id]));
});

test('two moves at the same time to a truck without a round create one round', async ({ database, manage }) => {
  const { organizationNo, move, tanksOf } = await givenRound(database, manage);
  const [first, second] = await Promise.all([move(1, '*'), move(2, '*')]);
  expect(new Set([first.status, second.status])).toEqual(new Set([200, 201]));
  expect(first.json.to.id).toBe(second.json.to.id);
  expect(await tanksOf(first.json.to.id)).toHaveLength(2);
  expect(await countRounds(database, organizationNo)).toBe(2);
});

test('a stop stays where it is if the other round cannot take it', async ({ database, manage }) => {
  const { key, idOf, round, plan, move, tanksOf, otherTruckId, truckId } = await givenRound(database, manage);
  const other = await plan(otherTruckId, 'full');
  const patch = (path: string, body: object) => manage.call(key, 'PATCH', path, { body, ifMatch: '*' });
  await patch(`/rounds/${other.id}`, { state: 'done' });
  const refused = await move(1, round.etag);
  expect(refused.json).toMatchObject({
    status: 409,
    detail: 'The round is done, so its plan does not change any more.',
    conflicting_id: other.id,
  });
  expect(await tanksOf(round.id)).toEqual([idOf('empty soon'), idOf('half full')]);
  // The truck gets a second round on this day, on which this tank has been delivered.
  const second = await plan(otherTruckId, 'nowhere');
  await manage.call(key, 'PUT', `/rounds/${round.id}/stops/1/outcome`, { body: { outcome: 'delivered' } });
  expect((await move(1, '*')).json.detail).toBe('Stop 1 is closed (delivered), so it stays on the round.');
  const stops = [{ tank_id: idOf('nowhere') }, { tank_id: idOf('empty soon') }];
  await manage.call(key, 'PUT', `/rounds/${second.id}/stops`, { body: { stops }, ifMatch: '*' });
  await manage.call(key, 'PUT', `/rounds/${second.id}/stops/2/outcome`, { body: { outcome: 'delivered' } });
  await manage.call(key, 'PUT', `/rounds/${round.id}/stops/1/outcome`, { body: { outcome: 'open' } });
  expect((await move(1, '*')).json).toMatchObject({ status: 409, conflicting_id: second.id });
  expect(await tanksOf(round.id)).toHaveLength(2);
  expect((await move(7, '*')).status).toBe(404);
  const to = (truck_id: string) =>
    manage.call(key, 'POST', `/rounds/${round.id}/stops/1/move`, { body: { truck_id }, ifMatch: '*' });
  const errors = [{ param: 'truck_id', code: 'invalid', detail: 'Must be another truck that is in use.' }];
  expect((await to(truckId)).json.errors).toEqual(errors);
  await patch(`/trucks/${otherTruckId}`, { is_archived: true });
  expect((await to(otherTruckId)).json.errors).toEqual(errors);
  expect(await tanksOf(round.id)).toHaveLength(2);
});

test('a volume that a person chose stays chosen, also if it is what fits on the other round', async ({
  database,
  manage,
}) => {
  const { key, idOf, depotId, truckId } = await givenTown(database, manage);
  const post = async (path: string, body: object) => (await manage.call(key, 'POST', path, { body })).json;
  const truck = { name: 'Truck 3', depot_id: depotId, capacity: 3000, capacity_unit: 'liters' };
  const { id: otherTruckId } = await post('/trucks', truck);
  const [date, tank_id] = [dayFromNow(1), idOf('half full')];
  const other = await post('/rounds', { date, truck_id: otherTruckId, fill_to_percentage: 70 });
  const { id, stops } = await post('/rounds', { date, truck_id: truckId, stops: [{ tank_id }] });
  const volume = 5 * (70 - stops[0].fill_percentage);
  const put = { body: { stops: [{ tank_id, volume }] }, ifMatch: '*' };
  await manage.call(key, 'PUT', `/rounds/${id}/stops`, put);
  const move = { body: { truck_id: otherTruckId }, ifMatch: '*' };
  const { to } = (await manage.call(key, 'POST', `/rounds/${id}/stops/1/move`, move)).json;
  expect([to.id, to.stops[0].volume_from]).toEqual([other.id, 'person']);
  expect(to.stops[0].volume).toBeCloseTo(volume, 0);
});

test('a refused move says what prevents it', async ({ database, manage }) => {
  const { organizationNo, customer, idOf, round, plan, move, otherTruckId } = await givenRound(database, manage);
  await database.owner.query('update tanks set is_batch_tank = true where id = $1', [idOf('empty soon')]);
  expect((await move(1, '*')).json).toMatchObject({
    status: 409,
    detail: 'Stop 1 is at a batch tank, which rounds do not visit, so it cannot be moved. Take it off the round.',
    conflicting_id: idOf('empty soon'),
  });
  const { id } = await plan(otherTruckId);
  const given = Array.from({ length: MAX_STOPS }, () => ({}));
  const tanks = await givenTanks(database.operator, organizationNo, customer.no, given);
  await database.owner.query(
    `insert into round_stops (organization_no, round_no, number, position, tank_no, litres, kind)
     select $1, r.no, n.at, n.at, n.tank_no, 100, 'added'
     from rounds r, unnest($3::int[]) with ordinality as n (tank_no, at) where r.id = $2`,
    [organizationNo, id, tanks.map(({ no }) => no)],
  );
  const detail = `Must be a truck with fewer than ${MAX_STOPS} stops on this day.`;
  expect((await move(2, '*')).json.errors).toEqual([{ param: 'truck_id', code: 'invalid', detail }]);
  expect((await move(2, round.etag)).status).toBe(422);
});
