import type { Pool } from 'pg';
import type { NoteWorld } from '../../bench/deliveries/note_world.ts';
import { transaction } from '../../src/db/pool.ts';
import { makeDueLedgers } from '../../src/deliveries/ledger/make_ledgers.ts';
import type { NewEvent } from '../../src/evaluation/pure/alerts/event_types.ts';
import { recordEvents } from '../../src/evaluation/record_events.ts';
import { givenCustomers, givenTanks } from './fleet.ts';
import type { TestDatabase } from './test.ts';

/** A refill as a writer records it. */
export const refillOf = (
  { organizationNo, tankNo }: { organizationNo: number; tankNo: number },
  {
    fromMs,
    toMs,
    liters,
    before = 20,
    after = 80,
    ...more
  }: { fromMs: number; toMs: number; liters: number; before?: number; after?: number; maybe_gauge_fault?: true },
): NewEvent => ({
  organizationNo,
  tankNo,
  type: 'tank.refilled',
  occurredAt: new Date(toMs).toISOString(),
  data: {
    before_percentage: before,
    after_percentage: after,
    delivered_volume: liters,
    volume_unit: 'liters',
    ...more,
  },
  readings: [
    { created_at: new Date(fromMs).toISOString(), fill_percentage: before },
    { created_at: new Date(toMs).toISOString(), fill_percentage: after },
  ],
  notify: false,
});

export const recordRefills = (writer: Pool, events: readonly NewEvent[]): Promise<unknown> =>
  transaction(writer, (tx) => recordEvents(tx, events));

/** Makes ledgers until nothing is left to do. */
export async function settle(worker: Pool): Promise<void> {
  let made: number;
  do made = await makeDueLedgers(worker, { learnEveryMs: 0 });
  while (made > 0);
}

export async function givenTruck(
  owner: Pool,
  organizationNo: number,
  name: string,
  isCompensated: boolean | null = false,
) {
  const { rows } = await owner.query<{ no: number; id: string }>(
    `with depot as (
       insert into depots (id, organization_no, name, latitude, longitude) values (gen_random_uuid(), $1, $2, 20, -100)
       returning no
     )
     insert into trucks (id, organization_no, name, depot_no, capacity, capacity_unit, is_compensated)
     select gen_random_uuid(), $1, $2, no, 5000, 'liters', $3 from depot returning no, id`,
    [organizationNo, name, isCompensated],
  );
  const [truck] = rows;
  if (truck === undefined) throw new Error('no truck was created');
  return truck;
}

/** The customers and tanks of a simulated world, and its notes as rows of an import. */
export async function givenWorld({ operator, owner }: TestDatabase, organizationNo: number, world: NoteWorld) {
  const customerIds = [...new Set([...world.notes, ...world.refills].map(({ customerId }) => customerId))].toSorted();
  const customers = await givenCustomers(
    operator,
    organizationNo,
    customerIds.map((id) => ({ external_key: id })),
  );
  const newTanks = customers.flatMap((customer, index) =>
    [0, 1].map((tank) => ({
      owner_no: customer.no,
      custom_id: `${(customerIds[index] ?? '').replace(/^c/, 't')}-${tank}`,
      capacity: 1_000,
    })),
  );
  const tanks = await givenTanks(operator, organizationNo, 0, newTanks);
  const tankNos = new Map(tanks.map(({ no }, index) => [newTanks[index]?.custom_id ?? '', no]));
  const truckIds = [...new Set(world.notes.flatMap(({ truckId }) => truckId ?? []))].toSorted();
  for (const truckId of truckIds) await givenTruck(owner, organizationNo, truckId);
  const notes = world.notes.map((note) => ({
    number: note.id,
    at: new Date(note.fromMs).toISOString(),
    volume: note.liters,
    unit: 'liters',
    customer: note.customerId,
    tank: note.tankId,
    truck: note.truckId,
  }));
  const refills = world.refills.map((refill) =>
    refillOf({ organizationNo, tankNo: tankNos.get(refill.tankId) ?? 0 }, refill),
  );
  return { notes, refills, tankNos };
}
