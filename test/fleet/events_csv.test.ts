import { expect } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { recordEvents, retractEvents } from '../../src/evaluation/record_events.ts';
import { givenCustomer, givenKey, givenOrganization, givenTank, givenTanks } from '../support/fleet.ts';
import { type TestDatabase, test } from '../support/test.ts';

/** Refills of a customer in three months of Mexico City, one event of another customer, and one that was retracted. */
async function givenRefills({ operator, writer }: TestDatabase) {
  const organizationNo = await givenOrganization(operator);
  const maria = await givenCustomer(operator, organizationNo, { name: '=María', external_key: 'C-1' });
  const juan = await givenCustomer(operator, organizationNo, { name: 'Juan' });
  const [house, barn] = await givenTanks(operator, organizationNo, maria.no, [
    { name: '+House, old', custom_id: '-7', city: 'León' },
    { name: 'Barn', capacity_unit: 'gallons' },
  ]);
  const hotel = await givenTank(operator, organizationNo, juan.no, { name: 'Hotel' });
  const common = { organizationNo, readings: [], notify: false };
  const refill = (tankNo: number, occurredAt: string, delivered_volume: number, volume_unit: 'liters' | 'gallons') => ({
    ...common,
    tankNo,
    type: 'tank.refilled' as const,
    occurredAt,
    data: { before_percentage: 20, after_percentage: 80, delivered_volume, volume_unit },
  });
  const year = new Date().getUTCFullYear() - 1;
  // The first night of March in UTC is the last evening of February in Mexico.
  const events = [
    refill(house.no, `${year - 1}-12-10T12:00:00.000Z`, 100.06, 'liters'),
    refill(house.no, `${year - 1}-12-20T12:00:00.000Z`, 200, 'liters'),
    refill(barn.no, `${year - 1}-12-15T12:00:00.000Z`, 50, 'gallons'),
    refill(house.no, `${year}-03-01T03:00:00.000Z`, 300, 'liters'),
    refill(hotel.no, `${year - 1}-12-11T12:00:00.000Z`, 999, 'liters'),
    refill(house.no, `${year - 1}-12-12T12:00:00.000Z`, 999, 'liters'),
    {
      ...common,
      tankNo: house.no,
      type: 'tank.low_fill' as const,
      occurredAt: `${year - 1}-12-09T12:00:00.000Z`,
      data: { fill_percentage: 19.5, threshold_percentage: 20 },
    },
  ];
  await transaction(writer, (tx) => recordEvents(tx, events));
  // The first one was notified to nobody and is left out. The gauge fault is marked, because people may have seen it.
  const fault = refill(hotel.no, `${year}-04-01T12:00:00.000Z`, 777, 'liters');
  await transaction(writer, async (tx) => {
    await recordEvents(tx, [fault]);
    await retractEvents(tx, [...events.slice(5, 6), { ...fault, reason: 'gauge_fault' }]);
  });
  const [key, narrowed] = await Promise.all([
    givenKey(operator, { organizationNo }),
    givenKey(operator, { organizationNo, customerNo: juan.no }),
  ]);
  return { organizationNo, maria, house, year, key: key.text, narrowed: narrowed.text };
}

test('the events of a period are exported by type and customer, without formulas, and gauge faults are marked', async ({
  database,
  api,
}) => {
  const { maria, year, key, narrowed } = await givenRefills(database);
  const lines = async (query: string, caller = key): Promise<string[]> => {
    const { status, text, headers } = await api.call(`/fleet/v1/events.csv${query}`, { key: caller });
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
    return text.trim().split('\n').slice(1);
  };
  const [fault = '', ...valid] = await lines('');
  expect(valid).toHaveLength(6);
  expect(fault).toMatch(/,tank\.refilled,Hotel,.*,20,80,,,liters,.*,gauge_fault\s*$/);
  expect(valid.every((line) => /,,\s*$/.test(line))).toBe(true);
  const december = `?from=${year - 1}-12-01T06:00:00Z&to=${year}-01-01T06:00:00Z&zone=America/Mexico_City`;
  const refills = await lines(`${december}&type=tank.refilled&owner_id=${maria.id}`);
  expect(refills.map((line) => line.split(',tank.refilled,')[0])).toEqual([
    `${year - 1}-12,${year - 1}-12-20,06:00`,
    `${year - 1}-12,${year - 1}-12-15,06:00`,
    `${year - 1}-12,${year - 1}-12-10,06:00`,
  ]);
  expect(refills[0]).toContain(`tank.refilled,"'+House, old",'-7,'=María,C-1,León,20,80,,200,liters,,,`);
  // The end does not belong to the period, and the beginning does.
  const exact = `?from=${year - 1}-12-10T12:00:00Z&to=${year - 1}-12-11T12:00:00Z`;
  expect((await lines(exact)).map((line) => line.slice(8, 18))).toEqual([`${year - 1}-12-10`]);
  expect((await lines('', narrowed)).map((line) => line.includes('Hotel'))).toEqual([true, true]);
  expect(await lines(`?owner_id=${maria.id}`, narrowed)).toEqual([]);
});

test('a day begins in the zone of the organization in every list and file, and the answer says in which zone', async ({
  database,
  api,
}) => {
  const { organizationNo, house, year, key } = await givenRefills(database);
  await database.owner.query(`update organizations set time_zone = 'America/Mexico_City' where no = $1`, [
    organizationNo,
  ]);
  const zoneOf = ({ headers }: { headers: Record<string, unknown> }): unknown => headers['tankwatch-zone'];
  // The refill of March 1 in UTC was on the last day of February.
  const [last = '', first = ''] = [new Date(Date.UTC(year, 2, 0)), new Date(Date.UTC(year, 2))].map((date) =>
    date.toISOString().slice(0, 10),
  );
  const file = async (query: string) => {
    const answer = await api.call(`/fleet/v1/events.csv?${query}`, { key });
    return [answer.status, zoneOf(answer), ...answer.text.trim().split('\n').slice(1)];
  };
  const ofDay = `since=${last}&until=${first}`;
  expect(await file(ofDay)).toEqual([
    200,
    'America/Mexico_City',
    expect.stringContaining(`${last.slice(0, 7)},${last},21:00,`),
  ]);
  expect(await file(`${ofDay}&zone=UTC`)).toEqual([200, 'UTC']);
  const exact = `since=${last}T00:00:00-06:00&until=${first}T00:00:00-06:00`;
  expect(await file(exact)).toEqual([200, 'UTC', expect.stringContaining(`${first.slice(0, 7)},${first},03:00,`)]);

  const history = await api.call(`/fleet/v1/history?${ofDay}`, { key });
  expect([zoneOf(history), history.json.events.length]).toEqual(['America/Mexico_City', 1]);
  const inUtc = await api.call(`/fleet/v1/history?since=${last}T00:00:00Z&until=${first}T00:00Z`, { key });
  expect([zoneOf(inUtc), inUtc.json.events.length]).toEqual([undefined, 0]);
  const series = await api.call(`/fleet/v1/tanks/${house.id}/series?${ofDay}`, { key });
  expect([series.json.from, series.json.to]).toEqual([`${last}T06:00:00.000Z`, `${first}T06:00:00.000Z`]);
  const others = ['/delivery-notes?since=2025-11-01', '/rounds?from=2025-11-01', '/ledger.csv?month=2025-11'];
  for (const path of others) {
    const answer = await api.call(`/fleet/v1${path}`, { key });
    expect([path, answer.status, zoneOf(answer)]).toEqual([path, 200, 'America/Mexico_City']);
  }
  for (const day of ['2025-02-30', '0999-12-31', '2025-2-3', '20250203'])
    expect((await api.call(`/fleet/v1/history?since=${day}`, { key })).status).toBe(422);
});

test('the refills of a customer are counted by month of a time zone, liters and gallons apart', async ({
  database,
  api,
}) => {
  const { maria, year, key, narrowed } = await givenRefills(database);
  const path = `/fleet/v1/customers/${maria.id}/refills?months=36`;
  const { json } = await api.call(`${path}&zone=America/Mexico_City`, { key });
  expect(json.months).toEqual([
    { starts_at: `${year}-02-01T06:00:00.000Z`, unit: 'liters', refills: 1, delivered_volume: 300 },
    { starts_at: `${year - 1}-12-01T06:00:00.000Z`, unit: 'gallons', refills: 1, delivered_volume: 50 },
    { starts_at: `${year - 1}-12-01T06:00:00.000Z`, unit: 'liters', refills: 2, delivered_volume: 300.1 },
  ]);
  const utc = await api.call(path, { key });
  expect(utc.json.months[0].starts_at).toBe(`${year}-03-01T00:00:00.000Z`);
  expect((await api.call(`${path}&months=x`, { key })).status).toBe(422);
  expect((await api.call(path, { key: narrowed })).status).toBe(404);
});
