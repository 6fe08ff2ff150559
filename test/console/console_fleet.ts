import { fireAllTimers } from '../../src/evaluation/fire_timers.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import {
  givenCustomer,
  givenKey,
  givenOrganization,
  givenTank,
  givenTanks,
  organizationCodeOf,
} from '../support/fleet.ts';
import type { TestDatabase } from '../support/test.ts';

/** Readings every two hours, falling by one point a day to `fill`. */
function falling(tankNo: number, fill: number, fromMs: number, toMs: number) {
  const count = Math.floor((toMs - fromMs) / (2 * HOUR_MS));
  return Array.from({ length: count }, (_, index) => {
    const atMs = toMs - (count - 1 - index) * 2 * HOUR_MS;
    return { tankNo, atMs, fillPercentage: Math.round((fill + (toMs - atMs) / DAY_MS) * 10) / 10 };
  });
}

/** A low tank, one that was silent for four days, one that is silent, one that was refilled, and one of another customer. */
export async function givenConsoleFleet({ operator, writer }: TestDatabase) {
  const nowMs = Date.now();
  const organizationNo = await givenOrganization(operator);
  const maria = await givenCustomer(operator, organizationNo, { name: 'María López', phone: '+52 461 1' });
  const juan = await givenCustomer(operator, organizationNo, { name: 'Juan Pérez' });
  const [bakery, workshop, garage, hotel] = await givenTanks(operator, organizationNo, maria.no, [
    { name: 'Bakery', city: 'Celaya' },
    { name: 'Workshop', city: 'Celaya' },
    { name: 'Garage', city: 'León' },
    { name: 'Hotel', city: 'León' },
  ]);
  const house = await givenTank(operator, organizationNo, juan.no, { name: 'House', city: 'León' });
  const ingester = new BatchIngester(writer);
  const firstMs = nowMs - 20 * DAY_MS;
  await ingester.ingestReadings([
    ...falling(bakery.no, 12, firstMs, nowMs),
    ...falling(workshop.no, 45, firstMs, nowMs - 9 * DAY_MS),
    ...falling(garage.no, 41, firstMs, nowMs - 12 * DAY_MS),
  ]);
  await fireAllTimers(writer, nowMs - 6 * DAY_MS);
  await ingester.ingestReadings([
    ...falling(workshop.no, 36, nowMs - 5 * DAY_MS, nowMs),
    ...falling(hotel.no, 30, firstMs, nowMs - 10 * DAY_MS),
    ...falling(hotel.no, 70, nowMs - 10 * DAY_MS, nowMs),
    ...falling(house.no, 50, firstMs, nowMs),
  ]);
  await fireAllTimers(writer, nowMs);
  const { text: key } = await givenKey(operator, { organizationNo });
  const narrowed = await givenKey(operator, { organizationNo, customerNo: juan.no });
  const code = await organizationCodeOf(operator, organizationNo);
  return {
    organizationNo,
    code,
    ingester,
    maria,
    bakery,
    workshop,
    garage,
    hotel,
    house,
    key,
    narrowedKey: narrowed.text,
  };
}

const BIG_FLEET_TANKS = 120;
const CITIES = ['Celaya', 'Irapuato', 'Salamanca'] as const;

/** More tanks than a page has, in three cities, due one after the other; every tenth is silent. */
export async function givenBigFleet({ operator, writer }: TestDatabase) {
  const nowMs = Date.now();
  const organizationNo = await givenOrganization(operator);
  const owner = await givenCustomer(operator, organizationNo, { name: 'Agrícola Sol', phone: '+52 462 100 2000' });
  const tanks = await givenTanks(
    operator,
    organizationNo,
    owner.no,
    Array.from({ length: BIG_FLEET_TANKS }, (_, index) => ({
      name: `Ranch ${index + 1}`,
      city: CITIES[index % CITIES.length] ?? 'Celaya',
      street: 'Camino Real',
      street_number: String(index + 1),
      latitude: 20.5 + (index % 11) * 0.01,
      longitude: -100.8 + (index % 7) * 0.01,
    })),
  );
  const ingester = new BatchIngester(writer);
  const isSilent = (index: number): boolean => index % 10 === 9;
  await ingester.ingestReadings(
    tanks.flatMap(({ no }, index) =>
      Array.from({ length: 40 }, (_, n) => {
        const agoMs = (isSilent(index) ? 10 * DAY_MS : 0) + (39 - n) * 6 * HOUR_MS;
        const fill = 12 + index * 0.5 + ((39 - n) * 6) / 24;
        return { tankNo: no, atMs: nowMs - agoMs - index * 1_000, fillPercentage: Math.round(fill * 10) / 10 };
      }),
    ),
  );
  await fireAllTimers(writer, nowMs);
  const { text: key } = await givenKey(operator, { organizationNo });
  const code = await organizationCodeOf(operator, organizationNo);
  return { organizationNo, code, tanks, ingester, key };
}
