import type { Pool } from 'pg';
import { giveTrucks } from '../engines/give_trucks.ts';
import { storeNotes } from '../engines/store_notes.ts';
import { operatorChange } from '../src/catalog/change_context.ts';
import { createTanks } from '../src/catalog/tanks.ts';
import { transaction } from '../src/db/pool.ts';
import { signDriverLink } from '../src/deliveries/driver_links.ts';
import { makeDueLedgers } from '../src/deliveries/ledger/make_ledgers.ts';
import { createRound } from '../src/deliveries/round_changes.ts';
import { existingRound } from '../src/deliveries/rounds.ts';
import { findTransportId } from '../src/deliveries/trucks.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import { zonedDate } from '../src/values/zoned_time.ts';
import type { PictureFleet } from './screenshot_fleets.ts';

/** The objects that the pictures of deliveries need. */
export interface PictureDeliveries {
  truckIds: { usual: string; over: string };
  /** A day without a round. */
  nextDay: string;
  driverToken: string;
}

const TRUCKS = [
  { name: 'Truck 1', capacity: 900, driver: 'Sam Ortiz' },
  { name: 'Truck 2', capacity: 3_000, driver: 'Dana Reyes' },
] as const;
const ZONE = 'America/New_York';

/**
 * Creates two trucks, an overfull round of one, a round of the other that has begun and has a blocked stop, a tank without a sensor,
 * and delivery notes of the refills that gauges have measured.
 */
export async function giveDeliveries(
  owner: Pool,
  { organizationNo, customer, tankIds: { leak } }: PictureFleet,
  linkSecret: string,
): Promise<PictureDeliveries> {
  const nowMs = Date.now();
  await giveTrucks(owner, organizationNo, { name: 'Stowe', latitude: 44.46, longitude: -72.68 }, TRUCKS);
  await giveTankWithoutSensor(owner, organizationNo, customer.id, nowMs);
  const { rows: low } = await owner.query<{ id: string }>(
    `select t.id from fleet_tanks f join tanks t on t.no = f.tank_no
     where f.organization_no = $1 and not f.is_silent and not f.is_gauge_unreliable and f.threshold_on < 'infinity' and f.losing_seen_at = '-infinity'
     order by f.threshold_on, t.no limit 14`,
    [organizationNo],
  );
  const tankIds = low.map(({ id }) => id);
  const [over, usual] = [
    await giveRound(owner, organizationNo, TRUCKS[0], tankIds.slice(0, 6), nowMs),
    await giveRound(owner, organizationNo, TRUCKS[1], tankIds.slice(6), nowMs),
  ];
  await owner.query(
    `update round_stops set said = case position when 1 then 'delivered' else 'not_possible' end,
       said_litres = case position when 1 then litres * 0.97 end, said_reason = case position when 2 then 'no_access' end,
       said_as = 'driver', said_by = 'link of a driver', said_at = now() - interval '1 hour' * (3 - position)
     where round_no = $1 and position <= 2`,
    [usual.no],
  );
  await owner.query(`update rounds set state = 'under_way', started_at = now() - interval '3 hours' where no = $1`, [
    usual.no,
  ]);
  // A tank of the round began to lose gas: its stop is blocked.
  await owner.query(
    'update round_stops set tank_no = (select no from tanks where id = $2) where round_no = $1 and position = 5',
    [usual.no, leak],
  );
  await noteRefills(owner, organizationNo);
  const { rows } = await owner.query<{ ends: string }>('select day_ends_at as ends from rounds where no = $1', [
    usual.no,
  ]);
  const readUntilMs = Date.parse(rows[0]?.ends ?? '') + 3 * HOUR_MS;
  return {
    truckIds: { usual: usual.truckId, over: over.truckId },
    nextDay: zonedDate(nowMs + DAY_MS, ZONE),
    driverToken: signDriverLink(linkSecret, { roundId: usual.id, generation: 0, readUntilMs }),
  };
}

async function giveRound(
  owner: Pool,
  organizationNo: number,
  { name, driver }: (typeof TRUCKS)[number],
  tankIds: readonly string[],
  nowMs: number,
): Promise<{ id: string; no: number; truckId: string }> {
  return transaction(owner, async (tx) => {
    const truckId = await findTransportId(tx, organizationNo, 'truck', name);
    const limits = { fill_to_percentage: 80, chance_limit: 0.05 };
    const id = await createRound(operatorChange(tx, organizationNo), {
      date: zonedDate(nowMs, ZONE),
      truck_id: truckId,
      driver_id: await findTransportId(tx, organizationNo, 'driver', driver),
      ...limits,
      stops: tankIds.map((tank_id) => ({ tank_id, kind: 'could' as const })),
    });
    const round = await existingRound(tx, organizationNo, id);
    await tx.query(`update round_stops set kind = 'must' where round_no = $1 and chance > $2`, [
      round.no,
      limits.chance_limit,
    ]);
    return { id, no: round.no, truckId };
  });
}

async function giveTankWithoutSensor(owner: Pool, organizationNo: number, customerId: string, nowMs: number) {
  const [tank] = await transaction(owner, async (tx) => {
    const { rows } = await tx.query<{ no: number }>('select no from customers where id = $1', [customerId]);
    return createTanks(tx, organizationNo, [
      {
        owner_no: rows[0]?.no ?? 0,
        name: 'Summer kitchen',
        custom_id: 'T-0900',
        assigned_device_id: 'manual',
        capacity: 500,
        capacity_unit: 'gallons',
        min_fill_alert_percentage: 20,
        city: 'Stowe',
      },
    ]);
  });
  const dip = { tankNo: tank?.no ?? 0, atMs: nowMs - 12 * DAY_MS, fillPercentage: 46 };
  await new BatchIngester(owner).ingestReadings([dip]);
}

/** Writes the notes. Every fourth note states a fifth too much, and one refill has no note. */
async function noteRefills(owner: Pool, organizationNo: number): Promise<void> {
  const { rows } = await owner.query<{ tank: string; at: string; volume: number; unit: string }>(
    `select t.id as tank, e.occurred_at as at, (e.data ->> 'delivered_volume')::float8 as volume, e.data ->> 'volume_unit' as unit
     from events e join tanks t on t.no = e.tank_no
     where e.organization_no = $1 and e.type = 'tank.refilled' order by e.no`,
    [organizationNo],
  );
  const notes = rows.slice(1).map(({ tank, at, volume, unit }, index) => ({
    series: 'A',
    number: String(20_001 + index),
    tank,
    truck: TRUCKS[index % 2]?.name,
    driver: TRUCKS[index % 2]?.driver,
    at,
    volume: Math.round(volume * (index % 4 === 1 ? 1.25 : 1.02)),
    unit,
  }));
  const [first] = notes;
  if (first) notes.push({ ...first, number: '20399', at: new Date(Date.parse(first.at) - 3 * DAY_MS).toISOString() });
  await storeNotes(owner, organizationNo, notes);
  while ((await makeDueLedgers(owner, { learnEveryMs: 0 })) > 0);
}
