import { evaluateAllTimers } from '../../src/evaluation/evaluate_timers.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { givenCustomer, givenKey, givenOrganization, givenTanks } from '../support/fleet.ts';
import type { TestDatabase } from '../support/test.ts';

/** Readings every two hours, falling by one point a day to `fill`. */
function falling(tankNo: number, fill: number, fromMs: number, toMs: number) {
  const count = Math.floor((toMs - fromMs) / (2 * HOUR_MS));
  return Array.from({ length: count }, (_, at) => {
    const atMs = toMs - (count - 1 - at) * 2 * HOUR_MS;
    return { tankNo, atMs, fillPercentage: Math.round((fill + (toMs - atMs) / DAY_MS) * 10) / 10 };
  });
}

/** A low tank, one that was silent for four days, one that is silent, one that has enough, and one of another customer. */
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
  const [house] = await givenTanks(operator, organizationNo, juan.no, [{ name: 'House', city: 'León' }]);
  if (!bakery || !workshop || !garage || !hotel || !house) throw new Error('tanks are missing');
  const ingester = new BatchIngester(writer);
  const firstMs = nowMs - 20 * DAY_MS;
  await ingester.ingestReadings([
    ...falling(bakery.no, 12, firstMs, nowMs),
    ...falling(workshop.no, 45, firstMs, nowMs - 9 * DAY_MS),
    ...falling(garage.no, 41, firstMs, nowMs - 12 * DAY_MS),
  ]);
  await evaluateAllTimers(writer, nowMs - 6 * DAY_MS);
  await ingester.ingestReadings([
    ...falling(workshop.no, 36, nowMs - 5 * DAY_MS, nowMs),
    ...falling(hotel.no, 70, firstMs, nowMs),
    ...falling(house.no, 50, firstMs, nowMs),
  ]);
  await evaluateAllTimers(writer, nowMs);
  const whole = await givenKey(operator, { organizationNo });
  const narrowed = await givenKey(operator, { organizationNo, customerNo: juan.no });
  return { ingester, bakery, workshop, garage, hotel, house, key: whole.text, narrowedKey: narrowed.text };
}
