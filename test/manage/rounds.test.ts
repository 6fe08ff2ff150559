import { expect } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { endOldRounds } from '../../src/deliveries/round_state.ts';
import { readRoundsOfYesterday } from '../../src/deliveries/rounds_of_day.ts';
import { reapplyRemovals } from '../../src/recovery/reapply_removals.ts';
import type { Removal } from '../../src/recovery/removal.ts';
import { findTankStatus } from '../../src/status/refill_list.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { givenKey } from '../support/fleet.ts';
import { test } from '../support/manage.ts';
import { dayFromNow, givenTown, type TownTank } from '../support/rounds.ts';

test('depots, trucks and drivers are created, changed and archived, and the name of a deleted driver is erased', async ({
  database,
  manage,
}) => {
  const { key, organizationNo, depotId, truckId, driverId } = await givenTown(database, manage);
  const { json: truck } = await manage.call(key, 'GET', `/trucks/${truckId}`);
  expect(truck).toMatchObject({ depot_id: depotId, product: null, is_compensated: null, is_archived: false });
  const patch = { body: { is_compensated: true, is_archived: true }, ifMatch: truck.etag };
  const { json: archived } = await manage.call(key, 'PATCH', `/trucks/${truckId}`, patch);
  expect(archived).toMatchObject({ is_compensated: true, is_archived: true });
  expect((await manage.call(key, 'PATCH', `/trucks/${truckId}`, patch)).status).toBe(412);
  // The name is free again, but a round cannot have the archived truck.
  const same = { name: 'TRUCK 2', depot_id: depotId, capacity: 500, capacity_unit: 'gallons' };
  expect((await manage.call(key, 'POST', '/trucks', { body: same })).status).toBe(201);
  expect((await manage.call(key, 'POST', '/trucks', { body: same })).json).toMatchObject({
    code: 'conflict',
    detail: 'Another truck has this name.',
  });
  const late = await manage.call(key, 'POST', '/rounds', { body: { date: '2026-11-17', truck_id: truckId } });
  expect(late.json.errors).toEqual([expect.objectContaining({ param: 'truck_id' })]);
  const { json: trucks } = await manage.call(key, 'GET', '/trucks');
  expect(trucks.data.map(({ name }: { name: string }) => name)).toEqual(['TRUCK 2', 'Truck 2']);
  const bad = { ...same, name: '', depot_id: driverId, capacity: 0 };
  const refused = await manage.call(key, 'POST', '/trucks', { body: bad });
  expect(refused.json.errors.map(({ param }: { param: string }) => param)).toEqual(['name', 'capacity']);

  const { json: driver } = await manage.call(key, 'GET', `/drivers/${driverId}`);
  expect((await manage.call(key, 'DELETE', `/drivers/${driverId}`, { ifMatch: driver.etag })).status).toBe(204);
  expect((await manage.call(key, 'DELETE', `/drivers/${driverId}`, { ifMatch: driver.etag })).status).toBe(204);
  expect((await manage.call(key, 'GET', `/drivers/${driverId}`)).status).toBe(404);
  const { rows } = await database.owner.query(
    `select (select count(*) from drivers where organization_no = $1 and (name is not null or phone is not null)) as named,
            (select count(*) from idempotency_keys where organization_no = $1 and object = 'driver' and answer is not null) as answers`,
    [organizationNo],
  );
  expect(rows).toEqual([{ named: 0, answers: 0 }]);
  // A restore from an older backup brings the name back, and the record of removals erases it again.
  const { rows: removals } = await database.owner.query<Removal>(`select * from removals where object = $1`, [
    driverId,
  ]);
  await database.owner.query(`update drivers set name = 'Raúl Vega', deleted_at = null where id = $1`, [driverId]);
  expect(await transaction(database.operator, (tx) => reapplyRemovals(tx, removals))).toMatchObject({ applied: 1 });
  expect((await manage.call(key, 'GET', `/drivers/${driverId}`)).status).toBe(404);
});

test('a proposal has the tanks that must be visited, in an order, and stores nothing', async ({ database, manage }) => {
  const { key, organizationNo, idOf, truckId } = await givenTown(database, manage);
  const date = dayFromNow(1);
  const propose = async (body: object = {}) =>
    (await manage.call(key, 'POST', '/round-proposals', { body: { date, truck_id: truckId, ...body } })).json;
  await manage.call(key, 'PUT', '/delivery-days/cities/Celaya', { body: { weekdays: [1, 2, 3, 4, 5, 6, 7] } });
  const proposal = await propose();
  const stops = proposal.stops.map(({ name, kind }: { name: TownTank; kind: string }) => `${kind} ${name}`);
  // The second tank takes half of its capacity, and the detour is short. A tank without a place comes last.
  expect(stops.slice(0, 2).toSorted()).toEqual(['could half full', 'must empty soon']);
  expect(stops.slice(2)).toEqual(['must nowhere']);
  expect(proposal).toMatchObject({
    loads: 1,
    beyond_one_load: 0,
    looked_at: 5,
    is_complete: true,
    volume_unit: 'liters',
  });
  expect(proposal.no_forecast).toEqual([expect.objectContaining({ name: 'unheard', chance: null })]);
  expect(proposal.straight_line_km).toBeGreaterThan(2);
  const first = proposal.stops.find(({ name }: { name: TownTank }) => name === 'empty soon');
  expect(first).toMatchObject({ owner_name: 'Rosa Peña', owner_phone: '+52 411 555 0179', custom_id: null });
  expect(first.volume).toBeCloseTo(5 * (80 - first.fill_percentage), 0);
  // The fill percentage is the estimate of now. The reading has its own time and level.
  expect(Date.now() - Date.parse(first.reading.created_at)).toBeGreaterThan(11 * 3_600_000);
  expect(first.reading.created_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(first.reading.fill_percentage).toBeGreaterThan(first.fill_percentage);
  expect(first.earliest_days_to_empty).toBeLessThanOrEqual(first.days_to_empty);
  // The owner of a full tank calls, and on this day no truck comes to the city.
  await manage.call(key, 'PUT', '/delivery-days/cities/Celaya', {
    body: { weekdays: [new Date(date).getUTCDay() || 7] },
  });
  const other = await propose({ date: dayFromNow(2), called_tank_ids: [idOf('full')] });
  expect(other.stops).toEqual([expect.objectContaining({ name: 'full', kind: 'must' })]);
  expect(other.not_offered).toMatchObject({ not_visited: 4 });
  // A request that names the city gets its tanks.
  expect((await propose({ date: dayFromNow(2), cities: ['Celaya'] })).stops).toHaveLength(3);
  const { rows } = await database.owner.query(`select count(*) as rounds from rounds where organization_no = $1`, [
    organizationNo,
  ]);
  expect(rows).toEqual([{ rounds: 0 }]);
  // A delivered tank is not offered again, although no gauge has seen the refill yet. If the delivery was not possible, it is.
  const { json: round } = await manage.call(key, 'POST', '/rounds', {
    body: { date, truck_id: truckId, stops: [{ tank_id: idOf('empty soon') }] },
  });
  const offeredAfter = async (outcome: object): Promise<[boolean, number]> => {
    await manage.call(key, 'PUT', `/rounds/${round.id}/stops/1/outcome`, { body: outcome });
    const { stops: offered, not_offered } = await propose();
    return [offered.some(({ name }: { name: TownTank }) => name === 'empty soon'), not_offered.planned_elsewhere];
  };
  expect(await offeredAfter({ outcome: 'delivered' })).toEqual([false, 1]);
  expect(await offeredAfter({ outcome: 'not_possible', reason: 'no_access' })).toEqual([true, 0]);
  const bad = await propose({ date: '2026-02-30', truck_id: idOf('full'), chance_limit: 2 });
  expect(bad.errors.map(({ param }: { param: string }) => param)).toEqual(['date', 'chance_limit']);
});

test('a round keeps its stops, their numbers and their order, and no tank is on two rounds of a day', async ({
  database,
  manage,
}) => {
  const { key, organizationNo, idOf, noOf, truckId, driverId } = await givenTown(database, manage);
  const date = dayFromNow(1);
  const stops = [{ tank_id: idOf('empty soon'), kind: 'must' }, { tank_id: idOf('nowhere') }];
  const body = { date, truck_id: truckId, stops };
  const dry = await manage.call(key, 'POST', '/rounds?dry_run=true', { body });
  expect([dry.status, dry.json.stops.length]).toEqual([201, 2]);
  const created = await manage.call(key, 'POST', '/rounds', { body, idempotencyKey: 'round' });
  expect(created.json).toMatchObject({ state: 'planned', driver_id: null, fill_to_percentage: 80, chance_limit: 0.05 });
  expect(created.json.stops).toEqual([
    expect.objectContaining({ number: 1, tank_id: idOf('empty soon'), kind: 'must', outcome: 'open' }),
    expect.objectContaining({ number: 2, tank_id: idOf('nowhere'), kind: 'added' }),
  ]);
  expect(created.json.stops[0].chance).toBeGreaterThan(0.05);
  const path = `/rounds/${created.json.id}`;
  const again = await manage.call(key, 'POST', '/rounds', { body, idempotencyKey: 'round' });
  expect([again.json.id, again.headers['idempotent-replayed']]).toEqual([created.json.id, 'true']);
  const { rows: numbers } = await database.owner.query('select no from rounds where organization_no = $1', [
    organizationNo,
  ]);
  expect(numbers).toEqual([{ no: expect.any(Number) }]);
  expect((await manage.call(key, 'POST', '/rounds', { body })).json).toMatchObject({
    code: 'conflict',
    conflicting_id: created.json.id,
  });

  // The order changes, the numbers stay, and the number of a stop that was removed is not given again.
  const put = async (ids: string[], ifMatch: string) =>
    manage.call(key, 'PUT', `${path}/stops`, { body: { stops: ids.map((tank_id) => ({ tank_id })) }, ifMatch });
  const turned = await put([idOf('nowhere'), idOf('empty soon'), idOf('full')], created.json.etag);
  expect(turned.json.stops.map(({ number }: { number: number }) => number)).toEqual([2, 1, 3]);
  expect((await put([], created.json.etag)).status).toBe(412);
  const fewer = await put([idOf('nowhere')], turned.json.etag);
  const more = await put([idOf('half full'), idOf('nowhere')], fewer.json.etag);
  expect(more.json.stops.map(({ number }: { number: number }) => number)).toEqual([4, 2]);
  const twice = await put([idOf('full'), idOf('full')], more.json.etag);
  expect(twice.json.errors).toEqual([expect.objectContaining({ param: 'stops[1].tank_id' })]);
  const strange = await put(['01989f31-0c52-7a08-8f4e-5d1c9b7e2f66'], more.json.etag);
  expect([strange.status, strange.json.errors[0].param]).toEqual([422, 'stops[0].tank_id']);

  const patch = { body: { driver_id: driverId, date: dayFromNow(2) }, ifMatch: more.json.etag };
  expect((await manage.call(key, 'PATCH', path, patch)).json).toMatchObject({
    driver_id: driverId,
    date: dayFromNow(2),
  });
  const { text: reader } = await givenKey(database.operator, { organizationNo, scopes: ['read'] });
  const read = async (url: string) => (await fetch(`${manage.url}${url}`, { headers: { 'x-api-key': reader } })).json();
  expect(await read(`/fleet/v1/tanks/${idOf('nowhere')}`)).toMatchObject({
    planned_delivery: { date: dayFromNow(2), round_id: created.json.id, is_under_way: false },
  });
  expect(await read(`/fleet/v1/rounds`)).toMatchObject({
    data: [
      { id: created.json.id, truck: { name: 'Truck 2' }, driver: { name: 'Raúl Vega' }, counts: { stops: 2, open: 2 } },
    ],
  });
  const mailed = await findTankStatus(database.worker, organizationNo, noOf('nowhere'), Date.now());
  expect(mailed?.plannedOn).toBe(dayFromNow(2));
  // A deleted tank is on no open round.
  await manage.call(key, 'DELETE', `/tanks/${idOf('nowhere')}`, { ifMatch: '*' });
  const { json: without } = await manage.call(key, 'GET', path);
  expect(without.stops).toEqual([expect.objectContaining({ tank_id: idOf('half full') })]);
  expect((await database.owner.query('select from round_stops where tank_no = $1', [noOf('nowhere')])).rowCount).toBe(
    0,
  );
});

test('a round is exported for VROOM, and takes the order of its solution', async ({ database, manage }) => {
  const { key, organizationNo, idOf, truckId } = await givenTown(database, manage);
  const ids = [idOf('empty soon'), idOf('nowhere'), idOf('half full')];
  const body = { date: dayFromNow(1), truck_id: truckId, stops: ids.map((tank_id) => ({ tank_id, volume: 100.4 })) };
  const { json: round } = await manage.call(key, 'POST', '/rounds', { body });
  const { text: reader } = await givenKey(database.operator, { organizationNo, scopes: ['read'] });
  const answer = await fetch(`${manage.url}/fleet/v1/rounds/${round.id}?format=vroom`, {
    headers: { 'x-api-key': reader },
  });
  expect(answer.headers.get('content-type')).toContain('application/json');
  expect(await answer.json()).toEqual({
    vehicles: [{ id: 1, start: [-100.8122, 20.5283], end: [-100.8122, 20.5283], capacity: [2000] }],
    jobs: [
      { id: 1, location: [-100.82, 20.51], delivery: [101], priority: 100 },
      { id: 3, location: [-100.816, 20.519], delivery: [101], priority: 100 },
    ],
  });
  const steps = [{ type: 'start' }, { type: 'job', id: 3 }, { type: 'job', id: 1 }, { type: 'end' }];
  const solution = { code: 0, summary: {}, unassigned: [], routes: [{ vehicle: 1, steps, geometry: 'x' }] };
  const put = (given: object) =>
    manage.call(key, 'PUT', `/rounds/${round.id}/vroom-order`, { body: { solution: given }, ifMatch: '*' });
  const { json: ordered } = await put(solution);
  expect(ordered.stops.map(({ number }: { number: number }) => number)).toEqual([3, 1, 2]);
  expect((await put({ ...solution, routes: [{ vehicle: 1, steps: steps.slice(0, 2) }] })).json).toMatchObject({
    code: 'conflict',
    detail: 'Stop 1 is missing in the solution.',
  });
});

test('a refill that the gauge sees closes a stop, and its retraction opens the stop again', async ({
  database,
  manage,
}) => {
  const { key, organizationNo, idOf, noOf, truckId, refill } = await givenTown(database, manage);
  const tanks: TownTank[] = ['empty soon', 'half full'];
  const stops = tanks.map((name) => ({ tank_id: idOf(name) }));
  const { json: round } = await manage.call(key, 'POST', '/rounds', {
    body: { date: dayFromNow(0), truck_id: truckId, stops },
  });
  const path = `/rounds/${round.id}`;
  const read = async () => (await manage.call(key, 'GET', path)).json;
  await refill('empty soon');
  const seen = await read();
  expect(seen.stops).toEqual([
    expect.objectContaining({ outcome: 'delivered', outcome_from: 'gauge', seen_volume: expect.any(Number) }),
    expect.objectContaining({ outcome: 'open' }),
  ]);
  expect([seen.state, seen.etag]).toEqual(['planned', round.etag]);
  // A person reports that the other stop was not possible. The round is done then, although nobody ended it.
  const reportOutcome = (number: number, body: object) =>
    manage.call(key, 'PUT', `${path}/stops/${number}/outcome`, { body });
  expect((await reportOutcome(2, { outcome: 'not_possible' })).json.errors[0].param).toBe('reason');
  const { json: done } = await reportOutcome(2, { outcome: 'not_possible', reason: 'no_access' });
  expect([done.state, done.stops[1].reason]).toEqual(['done', 'no_access']);
  const tomorrowMs = Date.now() + DAY_MS;
  expect(await readRoundsOfYesterday(database.worker, organizationNo, tomorrowMs)).toEqual({
    stops: 2,
    delivered: 1,
    notPossible: 1,
  });
  // The stop that a person closed stays on the round.
  const put = await manage.call(key, 'PUT', `${path}/stops`, { body: { stops: [stops[0]] }, ifMatch: '*' });
  expect(put.json).toMatchObject({ code: 'conflict', detail: expect.stringContaining('Stop 2 is closed') });
  await database.owner.query(`update events set retracted_at = now() where tank_no = $1 and type = 'tank.refilled'`, [
    noOf('empty soon'),
  ]);
  expect(await read()).toMatchObject({ state: 'planned', stops: [{ outcome: 'open' }, { outcome: 'not_possible' }] });
  await database.owner.query(`update events set retracted_at = null where tank_no = $1`, [noOf('empty soon')]);
  // The report of a person counts more than the gauge, and a contradiction is shown.
  expect((await reportOutcome(1, { outcome: 'not_possible', reason: 'refused' })).json.stops[0]).toMatchObject({
    outcome: 'not_possible',
    outcome_from: 'person',
    contradiction: 'refill_seen',
  });
  expect((await reportOutcome(1, { outcome: 'open' })).json.stops[0]).toMatchObject({
    outcome_from: 'gauge',
    contradiction: null,
  });
});

test('a round is over 36 hours after its day, and its open stops count as not done', async ({ database, manage }) => {
  const { key, idOf, truckId } = await givenTown(database, manage);
  const stops = [{ tank_id: idOf('full') }];
  const body = { date: dayFromNow(0), truck_id: truckId, stops };
  const { json: round } = await manage.call(key, 'POST', '/rounds', { body });
  // The chance of a full tank is 1e-60, which PostgreSQL refuses as a real.
  expect(round.stops[0].chance).toBe(0);
  const move = (hours: number) =>
    database.owner.query(
      `update rounds set day_begins_at = now() - make_interval(hours => $2 + 24), day_ends_at = now() - make_interval(hours => $2) where id = $1`,
      [round.id, hours],
    );
  await move(35);
  await endOldRounds(database.worker);
  const path = `/rounds/${round.id}`;
  expect((await manage.call(key, 'GET', path)).json.state).toBe('planned');
  await move(37);
  expect(await endOldRounds(database.worker)).toBe(1);
  expect((await manage.call(key, 'GET', path)).json).toMatchObject({ state: 'done', stops: [{ outcome: 'not_done' }] });
  const late = await manage.call(key, 'PUT', `${path}/stops`, { body: { stops: [] }, ifMatch: '*' });
  expect(late.json.code).toBe('conflict');
  expect((await manage.call(key, 'PATCH', path, { body: { state: 'planned' }, ifMatch: '*' })).json.code).toBe(
    'conflict',
  );
});

test('a round whose stops are all closed says so if it is set to planned', async ({ database, manage }) => {
  const { key, truckId, idOf } = await givenTown(database, manage);
  const body = { date: dayFromNow(1), truck_id: truckId, stops: [{ tank_id: idOf('half full') }] };
  const { id } = (await manage.call(key, 'POST', '/rounds', { body })).json;
  await manage.call(key, 'PUT', `/rounds/${id}/stops/1/outcome`, { body: { outcome: 'delivered', volume: 100 } });
  expect((await manage.call(key, 'GET', `/rounds/${id}`)).json.state).toBe('done');
  const planned = await manage.call(key, 'PATCH', `/rounds/${id}`, { body: { state: 'planned' }, ifMatch: '*' });
  expect([planned.status, planned.json.detail]).toEqual([409, expect.stringContaining('All stops')]);
});
