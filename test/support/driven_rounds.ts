import type { Pool } from 'pg';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { uuid7 } from '../../src/values/uuid7.ts';
import { givenCustomer, givenTank } from './fleet.ts';

export interface GivenStop {
  number: number;
  tankNo: number;
  tankId: string;
  tank: string;
  customer: string;
  phone: string;
  street: string;
}

export interface GivenRound {
  no: number;
  id: string;
  /** The day of the round in UTC, such as 2026-11-17. */
  date: string;
  stops: GivenStop[];
}

/** A round of today (UTC), or of another day, with a truck, a driver and stops at customers of their own. */
export async function givenRound(
  owner: Pool,
  organizationNo: number,
  { stops: count = 3, daysAgo = 0, litres = 400, name = uuid7() } = {},
): Promise<GivenRound> {
  const beginsMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - daysAgo * DAY_MS;
  const [begins, ends] = [new Date(beginsMs), new Date(beginsMs + DAY_MS)];
  const insertRow = async (text: string, values: unknown[]): Promise<number> => {
    const { rows } = await owner.query<{ no: number }>(text, values);
    return rows[0]?.no ?? 0;
  };
  const depotNo = await insertRow(
    `insert into depots (id, organization_no, name, latitude, longitude) values ($1, $2, 'Depot', 20.5, -100.8) returning no`,
    [uuid7(), organizationNo],
  );
  const truckNo = await insertRow(
    `insert into trucks (id, organization_no, name, depot_no, capacity, capacity_unit)
     values ($1, $2, $3, $4, 9000, 'liters') returning no`,
    [uuid7(), organizationNo, `Truck ${name}`, depotNo],
  );
  const driverNo = await insertRow('insert into drivers (id, organization_no, name) values ($1, $2, $3) returning no', [
    uuid7(),
    organizationNo,
    `Raúl ${name}`,
  ]);
  const id = uuid7();
  const date = begins.toISOString().slice(0, 10);
  const no = await insertRow(
    `insert into rounds (id, organization_no, date, day_begins_at, day_ends_at, truck_no, driver_no, fill_to_percentage, chance_limit)
     values ($1, $2, $3, $4, $5, $6, $7, 80, 0.05) returning no`,
    [id, organizationNo, date, begins, ends, truckNo, driverNo],
  );
  const stops: GivenStop[] = [];
  for (let number = 1; number <= count; number++) {
    const named = {
      customer: `Señora Número ${number} de ${name}`,
      phone: `+52 461 ${number}`,
      street: `Calle ${number}`,
    };
    const customer = await givenCustomer(owner, organizationNo, { name: named.customer, phone: named.phone });
    const tank = await givenTank(owner, organizationNo, customer.no, {
      name: `Tank ${number}`,
      custom_id: `T-${number}`,
      street: named.street,
      city: 'Celaya',
      latitude: 20.5,
      longitude: -100.8,
    });
    await owner.query(
      `insert into round_stops (organization_no, round_no, number, position, tank_no, litres, kind) values ($1, $2, $3, $3, $4, $5, 'must')`,
      [organizationNo, no, number, tank.no, litres],
    );
    stops.push({ number, tankNo: tank.no, tankId: tank.id, tank: `Tank ${number}`, ...named });
  }
  return { no, id, date, stops };
}

/** When a link of the round stops showing it: at 03:00 UTC after the day of the round. */
export const readUntilMs = ({ date }: GivenRound): number => Date.parse(`${date}T00:00:00Z`) + DAY_MS + 3 * HOUR_MS;
