import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { zonedDate } from '../../src/values/zoned_time.ts';
import { givenCustomer, givenTanks } from './fleet.ts';
import { givenManagedOrganization, type ManageApi } from './manage.ts';
import type { TestDatabase } from './test.ts';
import { hourly, levels } from './worst_day.ts';

/** In this zone it is noon now, so that refills of the last hours are of today. Its name has the opposite sign: Etc/GMT-3 is UTC+3. */
const hoursToNoon = 12 - new Date().getUTCHours();
export const ZONE = `Etc/GMT${hoursToNoon > 0 ? '-' : '+'}${Math.abs(hoursToNoon)}`;
/** The day that is `days` after today, in the zone of the organization. */
export const dayFromNow = (days: number): string => zonedDate(Date.now() + days * DAY_MS, ZONE);

/** The tanks of a small town, around a depot. Capacity 500 liters. */
const TOWN = {
  'empty soon': { fill: 6, latitude: 20.51, longitude: -100.82 },
  'half full': { fill: 25, latitude: 20.519, longitude: -100.816 },
  full: { fill: 78, latitude: 20.53, longitude: -100.84 },
  nowhere: { fill: 5, latitude: null, longitude: null },
  unheard: { fill: null, latitude: 20.54, longitude: -100.85 },
} as const;
export type TownTank = keyof typeof TOWN;

const names = ['empty soon', 'half full', 'full', 'nowhere', 'unheard'] as const satisfies readonly TownTank[];

/** An organization with a depot, a truck, a driver and five tanks, whose gauges report until now. */
export async function givenTown(database: TestDatabase, manage: ManageApi) {
  const { operator, owner, writer } = database;
  const { key, organizationNo } = await givenManagedOrganization(database);
  await owner.query('update organizations set time_zone = $2 where no = $1', [organizationNo, ZONE]);
  const customer = await givenCustomer(operator, organizationNo, { name: 'Rosa Peña', phone: '+52 411 555 0179' });
  const tanks = await givenTanks(
    operator,
    organizationNo,
    customer.no,
    names.map((name) => ({
      name,
      city: 'Celaya',
      latitude: TOWN[name].latitude,
      longitude: TOWN[name].longitude,
    })),
  );
  const noOf = (name: TownTank): number => tanks[names.indexOf(name)]?.no ?? 0;
  const idOf = (name: TownTank): string => tanks[names.indexOf(name)]?.id ?? '';
  const nowMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const ingester = new BatchIngester(writer);
  for (const name of names) {
    const { fill } = TOWN[name];
    if (fill !== null) await ingester.ingestReadings(hourly(noOf(name), fill, 1.5, nowMs - 12 * HOUR_MS));
  }
  const create = async (path: string, body: object): Promise<string> =>
    (await manage.call(key, 'POST', path, { body })).json.id;
  const depotId = await create('/depots', { name: 'Celaya', latitude: 20.5283, longitude: -100.8122 });
  const truck = { name: 'Truck 2', depot_id: depotId, capacity: 2000, capacity_unit: 'liters' };
  const truckId = await create('/trucks', truck);
  const driverId = await create('/drivers', { name: 'Raúl Vega', phone: '+52 461 555 0155' });
  /** The gauge of a tank measures a refill: hourly readings at 80 % until now. */
  const refill = (name: TownTank, hours = 6): Promise<unknown> =>
    ingester.ingestReadings(levels(noOf(name), Array<number>(hours).fill(80), nowMs));
  return { key, organizationNo, customer, noOf, idOf, ingester, nowMs, depotId, truckId, driverId, refill };
}
