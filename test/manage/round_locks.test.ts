import { expect } from 'vitest';
import { type ChangeContext, operatorChange } from '../../src/catalog/change_context.ts';
import { deleteTank, deleteTanks } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import { moveStop } from '../../src/deliveries/move_stop.ts';
import { recordStop } from '../../src/deliveries/record_stop.ts';
import { createRound, putStops, updateRound } from '../../src/deliveries/round_changes.ts';
import { endOldRounds } from '../../src/deliveries/round_state.ts';
import { existingRound } from '../../src/deliveries/rounds.ts';
import { deleteDriver, updateTransport } from '../../src/deliveries/truck_changes.ts';
import { expectLockWaits } from '../support/lock_waits.ts';
import { test } from '../support/manage.ts';
import { dayFromNow, givenTown, type TownTank } from '../support/rounds.ts';

type Change = (change: ChangeContext) => Promise<unknown>;

/** A round of tomorrow with two stops, and another truck. */
async function givenRound(...[database, manage]: Parameters<typeof givenTown>) {
  const town = await givenTown(database, manage);
  const { key, organizationNo, idOf, noOf, depotId, truckId } = town;
  const body = { name: 'Truck 3', depot_id: depotId, capacity: 900, capacity_unit: 'liters' };
  const { id: otherTruckId } = (await manage.call(key, 'POST', '/trucks', { body })).json;
  /** Makes a change in a transaction of its own. */
  const make = (work: Change): Promise<unknown> =>
    transaction(database.operator, (tx) => work(operatorChange(tx, organizationNo)));
  /** Makes a change, and commits it when the other changes wait for its locks. Returns what these say. */
  const makeWhileOthersWait = async (change: Change, ...others: Change[]): Promise<unknown[]> => {
    let said: Promise<unknown[]> = Promise.resolve([]);
    await make(async (context) => {
      await change(context);
      said = Promise.all(others.map((other) => make(other).catch(String)));
      await expectLockWaits(database.owner, others.length);
    });
    return said;
  };
  const stopsAt = (...tanks: TownTank[]) => tanks.map((name) => ({ tank_id: idOf(name) }));
  const plan = async (truck_id: string, days: number, ...tanks: TownTank[]): Promise<string> => {
    const round = { date: dayFromNow(days), truck_id, stops: stopsAt(...tanks) };
    return (await manage.call(key, 'POST', '/rounds', { body: round })).json.id;
  };
  const roundId = await plan(truckId, 1, 'empty soon', 'half full');
  const readStops = async (id: string): Promise<(string | null)[]> =>
    (await existingRound(database.operator, organizationNo, id)).object.stops.map(({ tank_id }) => tank_id);
  const remove =
    (name: TownTank): Change =>
    ({ tx }) =>
      deleteTank(tx, organizationNo, noOf(name));
  return { ...town, otherTruckId, make, makeWhileOthersWait, stopsAt, plan, roundId, readStops, remove };
}

test('a tank that is being deleted comes on no round', async ({ database, manage }) => {
  const { truckId, otherTruckId, makeWhileOthersWait, stopsAt, plan, roundId, readStops, remove, idOf } =
    await givenRound(database, manage);
  const laterId = await plan(truckId, 2);
  const stops = stopsAt('full', 'half full');
  const said = await makeWhileOthersWait(
    remove('half full'),
    (change) => putStops(change, laterId, stops),
    (change) => createRound(change, { date: dayFromNow(3), truck_id: truckId, stops }),
    (change) => moveStop(change, { id: roundId, number: 2, truckId: otherTruckId }),
  );
  const refused = expect.stringContaining('stops[1].tank_id must be a tank that a round can visit');
  expect(said).toEqual([refused, refused, expect.stringContaining('there is no such stop')]);
  expect([await readStops(laterId), await readStops(roundId)]).toEqual([[], [idOf('empty soon')]]);
});

test('the office records nothing at a tank that is being deleted', async ({ database, manage }) => {
  const { organizationNo, makeWhileOthersWait, roundId, remove } = await givenRound(database, manage);
  const entry = { kind: 'delivered', volume: 100, note: 'A-1', comment: 'The gate is open' } as const;
  const said = await makeWhileOthersWait(remove('half full'), (change) =>
    recordStop(change, { id: roundId, number: 2 }, entry),
  );
  expect(said).toEqual([expect.stringContaining('there is no such stop')]);
  const { rows } = await database.owner.query('select from delivery_notes where organization_no = $1', [
    organizationNo,
  ]);
  expect(rows).toEqual([]);
});

test('a tank that is deleted while its stop is moved, or its round is opened again, is on no round', async ({
  database,
  manage,
}) => {
  const { key, truckId, otherTruckId, makeWhileOthersWait, plan, roundId, readStops, remove } = await givenRound(
    database,
    manage,
  );
  const otherId = await plan(otherTruckId, 1);
  const move: Change = (change) => moveStop(change, { id: roundId, number: 1, truckId: otherTruckId });
  expect(await makeWhileOthersWait(move, remove('empty soon'))).toEqual([undefined]);
  expect(await readStops(otherId)).toEqual([]);

  const laterId = await plan(truckId, 2, 'full');
  await manage.call(key, 'PATCH', `/rounds/${laterId}`, { body: { state: 'done' }, ifMatch: '*' });
  const reopen: Change = (change) => updateRound(change, laterId, { state: 'planned' });
  expect(await makeWhileOthersWait(reopen, remove('full'))).toEqual([undefined]);
  expect(await readStops(laterId)).toEqual([]);
});

test('a round that is opened again has no stop of a tank that was deleted meanwhile', async ({ database, manage }) => {
  const { key, truckId, make, makeWhileOthersWait, plan, readStops, remove, idOf } = await givenRound(database, manage);
  const laterId = await plan(truckId, 2, 'full', 'half full', 'empty soon');
  await manage.call(key, 'PATCH', `/rounds/${laterId}`, { body: { state: 'cancelled' }, ifMatch: '*' });
  await make(remove('full'));
  const reopen: Change = (change) => updateRound(change, laterId, { state: 'planned' });
  expect(await makeWhileOthersWait(remove('half full'), reopen)).toEqual([undefined]);
  expect(await readStops(laterId)).toEqual([idOf('empty soon')]);
});

test('a stop moves on the day that its round has meanwhile', async ({ database, manage }) => {
  const { key, otherTruckId, makeWhileOthersWait, plan, roundId, readStops, stopsAt } = await givenRound(
    database,
    manage,
  );
  const tomorrowId = await plan(otherTruckId, 1);
  const laterId = await plan(otherTruckId, 2);
  await makeWhileOthersWait(
    (change) => updateRound(change, roundId, { date: dayFromNow(2) }),
    (change) => moveStop(change, { id: roundId, number: 1, truckId: otherTruckId }),
  );
  expect([await readStops(tomorrowId), await readStops(laterId)]).toEqual([
    [],
    stopsAt('empty soon').map((stop) => stop.tank_id),
  ]);
  // It stays where it is if its round has this truck meanwhile.
  const said = await makeWhileOthersWait(
    (change) => updateRound(change, roundId, { truck_id: otherTruckId }),
    (change) => moveStop(change, { id: roundId, number: 2, truckId: otherTruckId }),
  );
  expect(said).toEqual([expect.stringContaining('truck_id must be another truck')]);
  expect((await manage.call(key, 'GET', `/rounds/${roundId}`)).json.stops).toHaveLength(1);
});

test('a truck that is being archived and a driver who is being deleted come on no round', async ({
  database,
  manage,
}) => {
  const { driverId, otherTruckId, makeWhileOthersWait, roundId } = await givenRound(database, manage);
  const archive: Change = (change) => updateTransport(change, 'truck', otherTruckId, { is_archived: true });
  const ofTruck = await makeWhileOthersWait(
    archive,
    (change) => createRound(change, { date: dayFromNow(3), truck_id: otherTruckId }),
    (change) => updateRound(change, roundId, { truck_id: otherTruckId }),
  );
  const refused = expect.stringContaining('truck_id must be a truck that is in use');
  expect(ofTruck).toEqual([refused, refused]);
  const ofDriver = await makeWhileOthersWait(
    (change) => deleteDriver(change, driverId),
    (change) => updateRound(change, roundId, { driver_id: driverId }),
  );
  expect(ofDriver).toEqual([expect.stringContaining('driver_id must be a driver that is in use')]);
});

test('changes of many rounds or tanks lock them in the order in which moves do', async ({ database, manage }) => {
  const { organizationNo, truckId, driverId, noOf, idOf, make, plan } = await givenRound(database, manage);
  const rounds = [await plan(truckId, 2), await plan(truckId, 1)];
  const tanks = [idOf('empty soon'), idOf('half full')];
  // The indexes have the second round first.
  await database.owner.query(
    `update rounds set driver_no = d.no, day_ends_at = date - interval '4 days', day_begins_at = date - interval '5 days'
     from drivers d where d.id = $1 and rounds.id = any ($2)`,
    [driverId, rounds],
  );
  const remove: Change = ({ tx }) => deleteTanks(tx, organizationNo, [noOf('half full'), noOf('empty soon')]);
  const changes = [
    ['rounds', rounds, () => make((change) => deleteDriver(change, driverId))],
    ['rounds', rounds, () => endOldRounds(database.worker)],
    ['tanks', tanks, () => make(remove)],
  ] as const;
  for (const [table, ids, change] of changes) {
    // The table has the second row first.
    await database.owner.query(`update ${table} set updated_at = updated_at where id = $1`, [ids[0]]);
    const lock = `select from ${table} where id = $1 for no key update nowait`;
    let waiting: Promise<unknown> = Promise.resolve();
    await transaction(database.owner, async (tx) => {
      await tx.query(lock, [ids[0]]);
      waiting = change();
      await expectLockWaits(database.owner, 1);
      // Fails if the waiting change holds the second row.
      await tx.query(lock, [ids[1]]);
    });
    await waiting;
  }
  const read = 'select state, link_generation from rounds where id = any ($1)';
  const { rows } = await database.owner.query(read, [rounds]);
  const changed = { state: 'done', link_generation: 1 };
  expect(rows).toEqual([changed, changed]);
});
