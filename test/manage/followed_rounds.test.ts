import { expect } from 'vitest';
import { HOUR_MS } from '../../src/values/time.ts';
import { givenKey } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { test } from '../support/manage.ts';
import { dayFromNow, givenTown, type TownTank } from '../support/rounds.ts';
import { leak, levels } from '../support/worst_day.ts';

/** A town with a round of tomorrow, and what a key with the scope read sees of it. */
async function givenPlan(...[database, manage]: Parameters<typeof givenTown>) {
  const town = await givenTown(database, manage);
  const { key, organizationNo, idOf, truckId, driverId } = town;
  const tanks: TownTank[] = ['empty soon', 'half full', 'full'];
  const stops = tanks.map((name) => ({ tank_id: idOf(name), kind: name === 'half full' ? 'could' : 'must' }));
  const body = { date: dayFromNow(1), truck_id: truckId, driver_id: driverId, stops };
  const { json: round } = await manage.call(key, 'POST', '/rounds', { body });
  const { text: reader } = await givenKey(database.operator, { organizationNo, scopes: ['read'] });
  const read = async (url: string) => (await callApi(manage.url, `/fleet/v1${url}`, { key: reader })).json;
  const put = (changes: object[]) =>
    manage.call(key, 'PUT', `/rounds/${round.id}/stops`, {
      body: { stops: tanks.map((name, index) => ({ tank_id: idOf(name), ...changes[index] })) },
      ifMatch: '*',
    });
  const patch = (path: string, values: object) => manage.call(key, 'PATCH', path, { body: values, ifMatch: '*' });
  return { ...town, round, read, put, patch };
}

test('a tank that loses gas blocks its stop: no volume, no order of VROOM, no planned delivery', async ({
  database,
  manage,
}) => {
  const { key, round, read, idOf, noOf, ingester, nowMs } = await givenPlan(database, manage);
  const before = await read(`/rounds/${round.id}`);
  await ingester.ingestReadings(leak(noOf('half full'), 25, nowMs));
  const after = await read(`/rounds/${round.id}`);
  expect(after.stops.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3]);
  expect(after.stops[1]).toMatchObject({
    outcome: 'open',
    volume: 0,
    planned_volume: before.stops[1].planned_volume,
    block: { since: expect.stringMatching(/^\d{4}-.*Z$/), read_at: null },
  });
  expect(after.counts).toMatchObject({ open: 3, blocked: 1 });
  expect(after.load_volume).toBeCloseTo(before.load_volume - before.stops[1].volume, 0);
  expect(after.straight_line_km).not.toBe(before.straight_line_km);
  const { data } = await read(`/rounds?from=${round.date}&to=${round.date}`);
  expect(data[0]).toMatchObject({ load_volume: after.load_volume, counts: { blocked: 1 } });
  const { jobs } = await read(`/rounds/${round.id}?format=vroom`);
  expect(jobs.map(({ id }: { id: number }) => id)).toEqual([1, 3]);
  // The blocked stop keeps its position in the middle.
  const steps = [3, 1].map((id) => ({ type: 'job', id }));
  const order = { solution: { code: 0, routes: [{ vehicle: 1, steps }] } };
  const { json: ordered } = await manage.call(key, 'PUT', `/rounds/${round.id}/vroom-order`, {
    body: order,
    ifMatch: '*',
  });
  expect(ordered.stops.map(({ number }: { number: number }) => number)).toEqual([3, 2, 1]);
  expect((await read(`/tanks/${idOf('half full')}`)).planned_delivery).toBe(null);
  expect((await read(`/tanks/${idOf('full')}`)).planned_delivery).not.toBe(null);
  // A delivery that happened all the same can be recorded, and closes the stop.
  const outcome = { outcome: 'delivered', volume: 120 };
  const { json: recorded } = await manage.call(key, 'PUT', `/rounds/${round.id}/stops/2/outcome`, { body: outcome });
  expect(recorded.stops[1]).toMatchObject({ outcome: 'delivered', delivered_volume: 120, block: null });
});

test('volumes follow levels and the fill level of the round, and what a person chose stays', async ({
  database,
  manage,
}) => {
  const { round, read, put, patch, noOf, ingester, nowMs } = await givenPlan(database, manage);
  const path = `/rounds/${round.id}`;
  await put([{ volume: 100 }, { volume: round.stops[1].volume }]);
  const typed = await read(path);
  expect(typed.stops.map(({ volume_from: from }: { volume_from: string }) => from)).toEqual([
    'person',
    'level',
    'level',
  ]);
  await ingester.ingestReadings(levels(noOf('half full'), Array<number>(6).fill(45), nowMs));
  const risen = await read(path);
  expect(risen.stops[0]).toMatchObject({ volume: 100, is_volume_changed: false });
  expect(risen.stops[1]).toMatchObject({ is_volume_changed: true, planned_volume: round.stops[1].volume });
  expect(risen.stops[1].volume).toBeCloseTo(5 * (80 - risen.stops[1].fill_percentage), 0);
  const { json: fuller } = await patch(path, { fill_to_percentage: 90 });
  expect(fuller.stops[0].volume).toBe(100);
  expect(fuller.stops[1].volume).toBeCloseTo(risen.stops[1].volume + 50, 0);
  expect(fuller.stops[1].planned_volume).toBeCloseTo(round.stops[1].volume + 50, 0);
  const { json: again } = await put([{ volume: null }]);
  expect(again.stops[0]).toMatchObject({ volume_from: 'level' });
  expect(again.stops[0].volume).toBeGreaterThan(300);
});

test('a tank that was filled meanwhile has no volume until a person keeps its stop', async ({ database, manage }) => {
  const { round, read, put, refill } = await givenPlan(database, manage);
  await refill('empty soon');
  const filled = await read(`/rounds/${round.id}`);
  expect(filled.stops[0]).toMatchObject({ outcome: 'open', volume: 0, is_filled_meanwhile: true });
  expect(filled.stops[0].planned_fill_percentage).toBeLessThan(10);
  expect(filled.load_volume).toBeCloseTo(filled.stops[1].volume + filled.stops[2].volume, 0);
  const { json: kept } = await put([{ is_kept: true }]);
  expect(kept.stops[0]).toMatchObject({ is_filled_meanwhile: false });
  expect(kept.stops[0].volume).toBeLessThan(10);
});

test('the end of a round can be undone for 30 minutes, and a tank that another round has taken stays there', async ({
  database,
  manage,
}) => {
  const { key, round, read, patch, depotId, idOf } = await givenPlan(database, manage);
  const path = `/rounds/${round.id}`;
  await patch(path, { state: 'cancelled' });
  const { undo_until } = await read(path);
  expect(Date.parse(undo_until) - Date.now()).toBeGreaterThan((29 * HOUR_MS) / 60);
  const truck = { name: 'Truck 3', depot_id: depotId, capacity: 900, capacity_unit: 'liters' };
  const { json: other } = await manage.call(key, 'POST', '/trucks', { body: truck });
  const body = { date: round.date, truck_id: other.id, stops: [{ tank_id: idOf('half full') }] };
  expect((await manage.call(key, 'POST', '/rounds', { body })).status).toBe(201);
  const { json: undone } = await patch(path, { state: 'planned' });
  expect(undone).toMatchObject({ state: 'planned', stops: [{ number: 1 }, { number: 3 }] });
  await patch(path, { state: 'done' });
  expect((await patch(path, { state: 'under_way' })).json.state).toBe('under_way');
  await patch(path, { state: 'done' });
  await database.owner.query(`update rounds set ended_at = ended_at - interval '31 minutes' where id = $1`, [round.id]);
  expect((await read(path)).undo_until).toBe(null);
  expect((await patch(path, { state: 'under_way' })).json.code).toBe('conflict');
});

test('a tank of another product than the truck is not proposed, is marked on a round, and is filled to its own limit', async ({
  database,
  manage,
}) => {
  const { key, round, read, patch, idOf, truckId } = await givenPlan(database, manage);
  const request = { date: dayFromNow(1), truck_id: truckId, round_id: round.id, called_tank_ids: [idOf('half full')] };
  const propose = async () => {
    const { json } = await manage.call(key, 'POST', '/round-proposals', { body: request });
    const ids = [...json.stops, ...json.could, ...json.no_forecast].map(({ tank_id }: { tank_id: string }) => tank_id);
    return { isOffered: ids.includes(idOf('half full')), left: json.not_offered.other_product };
  };
  expect(await propose()).toEqual({ isOffered: true, left: 0 });
  await patch(`/trucks/${truckId}`, { product: 'Propano' });
  await patch(`/tanks/${idOf('half full')}`, { product: 'diesel' });
  expect(await propose()).toEqual({ isOffered: false, left: 1 });
  const { stops } = await read(`/rounds/${round.id}`);
  expect(stops.map((stop: { is_other_product: boolean }) => stop.is_other_product)).toEqual([false, true, false]);
  expect(stops[1].volume).toBeCloseTo(5 * (95 - stops[1].fill_percentage), 0);
  // The fill level of the round is for gas.
  const { json: fuller } = await patch(`/rounds/${round.id}`, { fill_to_percentage: 85 });
  expect(fuller.stops[1].volume).toBe(stops[1].volume);
  expect(fuller.stops[0].volume).toBeGreaterThan(stops[0].volume);
  // A limit that is set for a tank counts, even if it equals that of its product.
  await patch(`/tanks/${idOf('half full')}`, { product: null, fill_limit_percentage: 80 });
  const [, limited] = (await read(`/rounds/${round.id}`)).stops;
  expect(limited.volume).toBeCloseTo(5 * (80 - limited.fill_percentage), 0);
  const { json: fullest } = await patch(`/rounds/${round.id}`, { fill_to_percentage: 90 });
  expect(fullest.stops[1]).toMatchObject({ volume: limited.volume, planned_volume: limited.planned_volume });
  await patch(`/tanks/${idOf('half full')}`, { product: 'diesel' });
  // A truck whose product is unknown text may deliver anything.
  await patch(`/trucks/${truckId}`, { product: 'Unit 12' });
  expect(await propose()).toEqual({ isOffered: true, left: 0 });
});
