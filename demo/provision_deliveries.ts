import type { Pool } from 'pg';
import { giveTrucks } from '../engines/give_trucks.ts';
import { storeNotes } from '../engines/store_notes.ts';
import { operatorChange } from '../src/catalog/change_context.ts';
import { transaction } from '../src/db/pool.ts';
import { setDeliveryDays } from '../src/deliveries/delivery_days.ts';
import { weekdayOf } from '../src/deliveries/pure/rounds/next_visit.ts';
import { Random } from '../src/simulation/random.ts';
import { DAY_MS, MINUTE_MS } from '../src/values/time.ts';
import { storyDay } from './story.ts';

export const STORY_TRUCK = 'Truck 2';
export const STORY_DRIVER = 'Dana Reyes';
const TRUCKS = ['Truck 1', STORY_TRUCK] as const;
const DRIVERS = ['Sam Ortiz', STORY_DRIVER] as const;
const NOTES_MS = 60 * DAY_MS;
export const NOTE_SERIES = 'A';
const FIRST_NUMBER = 20_001;

/** Creates a depot, two trucks with drivers, delivery days, and the delivery notes of 60 days. Returns the number of the next note. */
export async function provisionDeliveries(operator: Pool, organizationNo: number, nowMs: number): Promise<number> {
  const depot = { name: 'Burlington', latitude: 44.4534, longitude: -73.2212 };
  await giveTrucks(
    operator,
    organizationNo,
    depot,
    TRUCKS.map((name, index) => ({ name, capacity: 6_000, driver: DRIVERS[index] ?? '', product: 'propane' })),
  );
  await transaction(operator, async (tx) => {
    // Trucks come on the weekday of the round and three days later. If they came again on the next day, no stop would be urgent.
    const weekday = weekdayOf(Date.parse(storyDay(nowMs)));
    const { rows: cities } = await tx.query<{ city: string }>(
      `select distinct city from tanks where organization_no = $1 and city is not null and deleted_at is null`,
      [organizationNo],
    );
    const days = [weekday, ((weekday + 2) % 7) + 1];
    for (const { city } of cities) await setDeliveryDays(operatorChange(tx, organizationNo), { city }, days);
  });
  return noteRefills(operator, organizationNo, nowMs);
}

/** Stores a note for each refill of 60 days. One refill has no note, some notes state too much, and one note has no refill. */
async function noteRefills(operator: Pool, organizationNo: number, nowMs: number): Promise<number> {
  const { rows: refills } = await operator.query<{ tank: string; at: string; volume: number; unit: string }>(
    `select t.id as tank, e.occurred_at as at, (e.data ->> 'delivered_volume')::float8 as volume, e.data ->> 'volume_unit' as unit
     from events e join tanks t on t.no = e.tank_no
     where e.organization_no = $1 and e.type = 'tank.refilled' and e.retracted_at is null and e.occurred_at > $2
     order by e.occurred_at, e.id`,
    [organizationNo, new Date(nowMs - NOTES_MS)],
  );
  const random = Random.named(1, 'delivery notes');
  const noteOf = (refill: (typeof refills)[number], index: number): Record<string, unknown> => ({
    series: NOTE_SERIES,
    number: String(FIRST_NUMBER + index),
    tank: refill.tank,
    truck: TRUCKS[index % 2],
    driver: DRIVERS[index % 2],
    at: new Date(Date.parse(refill.at) - 20 * MINUTE_MS).toISOString(),
    volume: Math.round(refill.volume * (index % 20 === 4 ? 1.3 : 1 + random.noise(0.015)) * 10) / 10,
    unit: refill.unit,
  });
  const notes = refills.flatMap((refill, index) => (index === 2 ? [] : [noteOf(refill, index)]));
  const [first] = refills;
  if (first) notes.push(noteOf({ ...first, at: new Date(nowMs - 9 * DAY_MS).toISOString() }, refills.length));
  await storeNotes(operator, organizationNo, notes);
  return FIRST_NUMBER + refills.length + 1;
}
