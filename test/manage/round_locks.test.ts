import { expect } from 'vitest';
import { type ChangeContext, operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import { moveStop } from '../../src/deliveries/move_stop.ts';
import { updateRound } from '../../src/deliveries/round_changes.ts';
import { endOldRounds } from '../../src/deliveries/round_state.ts';
import { existingRound } from '../../src/deliveries/rounds.ts';
import { deleteDriver } from '../../src/deliveries/truck_changes.ts';
import { expectLockWaits } from '../support/lock_waits.ts';
import { test } from '../support/manage.ts';
import { dayFromNow, givenTown, type TownTank } from '../support/rounds.ts';

type Change = (change: ChangeContext) => Promise<unknown>;

/** A round of tomorrow with two stops, and another truck. */
async function givenRound(...[database, manage]: Parameters<typeof givenTown>) {
  const town = await givenTown(database, manage);
  const { key, organizationNo, idOf, depotId, truckId } = town;
  const body = { name: 'Truck 3', depot_id: depotId, capacity: 900, capacity_unit: 'liters' };
  const { id: otherTruckId } = (await manage.call(key, 'POST', '/trucks', { body })).json;
  /** Makes a change in a transaction of its own. Returns the message of a refusal. */
  const make = (work: Change): Promise<unknown> =>
    transaction(database.operator, (tx) => work(operatorChange(tx, organizationNo))).catch(String);
  /** Makes a change, and commits it when the other changes wait for its locks. Returns what these say. */
  const makeWhileOthersWait = async (change: Change, ...others: Change[]): Promise<unknown[]> => {
    let said: Promise<unknown[]> = Promise.resolve([]);
    await transaction(database.operator, async (tx) => {
      await change(operatorChange(tx, organizationNo));
      said = Promise.all(others.map(make));
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
  return { ...town, otherTruckId, makeWhileOthersWait, stopsAt, plan, roundId, readStops };
}

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

test('changes of many rounds lock them in the order in which moves do', async ({ database, manage }) => {
  const { organizationNo, truckId, driverId, plan } = await givenRound(database, manage);
  const ids = [await plan(truckId, 2), await plan(truckId, 1)];
  await database.owner.query(
    `update rounds set driver_no = d.no, day_ends_at = now() - interval '3 days', day_begins_at = now() - interval '4 days'
     from drivers d where d.id = $1 and rounds.id = any ($2)`,
    [driverId, ids],
  );
  const lock = 'select from rounds where id = $1 for no key update nowait';
  const changes = [
    () => transaction(database.operator, (tx) => deleteDriver(operatorChange(tx, organizationNo), driverId)),
    () => endOldRounds(database.worker),
  ];
  for (const change of changes) {
    // The second round comes first in the table and its indexes.
    await database.owner.query(`update rounds set day_ends_at = day_ends_at + interval '1 hour' where id = $1`, [
      ids[0],
    ]);
    let changed: Promise<unknown> = Promise.resolve();
    await transaction(database.owner, async (tx) => {
      await tx.query(lock, [ids[0]]);
      changed = change();
      await expectLockWaits(database.owner, 1);
      // Fails if the waiting change holds the second round.
      await tx.query(lock, [ids[1]]);
    });
    await changed;
  }
  const { rows } = await database.owner.query('select state, link_generation from rounds where id = any ($1)', [ids]);
  expect(rows).toEqual(Array(2).fill({ state: 'done', link_generation: 1 }));
});
