import { expect } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { addContact, removeContact } from '../../src/mail/contacts.ts';
import { newManualDevice } from '../../src/values/manual_device.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { givenCustomer, givenKey, givenOrganization, givenTanks } from '../support/fleet.ts';
import { readPages } from '../support/lists.ts';
import { type TestApi, test } from '../support/test.ts';

interface Device {
  device_id: string;
  state: string;
  last_heard_at: string | null;
  usual_interval_hours: number | null;
  battery_percent: number | null;
  fault: string | null;
  tank: { city: string | null };
  commissioned_at: string;
  commissioned_by_name: string | null;
}

async function walk(api: TestApi, key: string, query: string): Promise<Device[]> {
  const pages = await readPages<{ devices: Device[]; next: string | null }>(async (after) => {
    const { status, json } = await api.call(`/fleet/v1/devices?size=2${query}${after}`, { key });
    expect(status).toBe(200);
    return json;
  });
  return pages.flatMap(({ devices }) => devices);
}

test('devices in trouble are ordered by their state, and list, counts and file agree for every caller and filter', async ({
  database,
  api,
}) => {
  const { operator, writer } = database;
  const organizationNo = await givenOrganization(operator);
  const [maria, juan] = [await givenCustomer(operator, organizationNo), await givenCustomer(operator, organizationNo)];
  const nowMs = Date.now();
  /** `days` is the age of the last reading; null if there is none. */
  const given = [
    { id: 'SILENT-3', days: 3, city: 'Milton', is_silent: true },
    { id: 'SILENT-6', days: 6, city: 'Milton', is_silent: true },
    { id: 'SILENT-5', days: 5, city: 'Colchester', is_silent: true, is_gauge_unreliable: true },
    { id: 'GAUGE-1', days: 1, city: 'Milton', is_gauge_unreliable: true },
    { id: 'FAULT-1', days: 2, city: 'Milton', is_gauge_unreliable: true, health: { fault: 'no echo' } },
    { id: 'BATTERY#1', days: 1, city: 'Milton', health: { battery_percent: 9 } },
    { id: 'BATTERY#2', days: 1, city: 'Milton' },
    { id: 'WEAK-1', days: 1, city: 'Milton', health: { rssi_dbm: -121 } },
    { id: 'NEW-1', days: null, city: 'Colchester' },
    { id: 'GOOD-1', days: 0, city: 'Milton' },
    { id: 'GOOD-2', days: 1, city: 'Milton' },
    { id: 'pending-abcdefghijkm', days: null, city: 'Milton' },
    { id: newManualDevice(), days: null, city: 'Milton' },
  ];
  const tanks = await givenTanks(
    operator,
    organizationNo,
    maria.no,
    given.map(({ id, city }) => ({ assigned_device_id: id, city, ...(id === 'GOOD-2' && { owner_no: juan.no }) })),
  );
  const noOf = (index: number): number => tanks[index]?.no ?? 0;
  await new BatchIngester(writer).ingestReadings(
    given.flatMap(({ days }, index) =>
      days === null
        ? []
        : [12, 6, 0].map((hours) => ({
            tankNo: noOf(index),
            atMs: nowMs - days * DAY_MS - hours * HOUR_MS - HOUR_MS,
            fillPercentage: 60 + hours / 10,
          })),
    ),
  );
  for (const [index, { is_silent = false, is_gauge_unreliable = false }] of given.entries())
    await writer.query('update fleet_tanks set is_silent = $2, is_gauge_unreliable = $3 where tank_no = $1', [
      noOf(index),
      is_silent,
      is_gauge_unreliable,
    ]);
  const healthReports = given.flatMap(({ id, health }) =>
    health === undefined ? [] : [{ organization_no: organizationNo, device_id: id.split('#')[0] ?? '', ...health }],
  );
  for (const hours of [30, 1])
    await new BatchIngester(writer).ingestBatch({
      readings: [],
      rejections: [],
      health: healthReports.map((report) => ({ ...report, at_ms: nowMs - hours * HOUR_MS })),
    });
  const { text: key } = await givenKey(operator, { organizationNo });
  // Luis and Ida have put devices on tanks. Ida has left.
  const people: string[] = [];
  for (const name of ['Luis', 'Ida']) {
    const contact = { email: `${name}@example.com`, name, types: [] };
    const { id } = await transaction(operator, (tx) => addContact(operatorChange(tx, organizationNo), contact));
    people.push(id);
  }
  const [luis = '', ida = ''] = people;
  await transaction(operator, (tx) => removeContact(operatorChange(tx, organizationNo), ida));
  const setAssignedBy = async (id: string, devices: readonly string[]): Promise<void> => {
    const text = 'update device_assignments set assigned_by = $2 where organization_no = $1 and device_id = any ($3)';
    await database.owner.query(text, [organizationNo, `contact ${id}`, devices]);
  };
  await setAssignedBy(luis, ['SILENT-3', 'SILENT-5', 'GOOD-1', 'pending-abcdefghijkm']);
  await setAssignedBy(ida, ['WEAK-1']);
  const idsOf = (devices: readonly Device[]): string[] => devices.map(({ device_id }) => device_id);

  const inTrouble = await walk(api, key, '&state=trouble');
  expect(idsOf(inTrouble)).toEqual([
    'SILENT-6',
    'SILENT-5',
    'SILENT-3',
    'FAULT-1',
    'GAUGE-1',
    'BATTERY#1',
    'WEAK-1',
    'NEW-1',
  ]);
  expect(inTrouble.map(({ state }) => state)).toEqual([
    'silent',
    'silent',
    'silent',
    'fault',
    'gauge_unreliable',
    'battery_low',
    'weak_signal',
    'never_heard',
  ]);
  expect(inTrouble[0]).toMatchObject({ usual_interval_hours: 6, commissioned_by_name: null });
  expect(inTrouble[3]).toMatchObject({ fault: 'no echo', battery_percent: null });
  expect(inTrouble[5]).toMatchObject({ battery_percent: 9, battery_months_left: null });
  expect(inTrouble[6]).toMatchObject({ signal_dbm: -121, signal_percent: null });
  expect(inTrouble.at(-1)).toMatchObject({ usual_interval_hours: null, last_heard_at: null });
  expect(idsOf(await walk(api, key, '')).toSorted()).toEqual(
    [...idsOf(inTrouble), 'BATTERY#2', 'GOOD-1', 'GOOD-2'].toSorted(),
  );
  expect(idsOf(await walk(api, key, '&state=silent&city=Milton'))).toEqual(['SILENT-6', 'SILENT-3']);

  const { json } = await api.call('/fleet/v1/devices?state=trouble&city=Milton', { key });
  expect(json.counts).toEqual({
    silent: 2,
    fault: 1,
    gauge_unreliable: 1,
    battery_low: 1,
    weak_signal: 1,
    never_heard: 0,
    taken_on: 0,
  });
  expect(json.cities).toEqual([
    { city: 'Milton', devices: 6 },
    { city: 'Colchester', devices: 2 },
  ]);
  const csv = await api.call('/fleet/v1/devices.csv?state=trouble&city=Milton', { key });
  const lines = csv.text.trim().split(/\r?\n/);
  expect(lines[0]).toContain('device,state,last_heard_at,usual_interval_hours');
  expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(idsOf(json.devices));

  // Devices are selected by who put them there, also by a person who has left, in the list, the counts and the file.
  expect(idsOf(await walk(api, key, `&commissioned_by=${luis}`))).toEqual(['SILENT-5', 'SILENT-3', 'GOOD-1']);
  expect(idsOf(await walk(api, key, `&commissioned_by=${luis}&state=trouble&city=Milton`))).toEqual(['SILENT-3']);
  const idasFile = await api.call(`/fleet/v1/devices.csv?state=trouble&commissioned_by=${ida}`, { key });
  expect(
    idasFile.text
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => line.split(',')[0]),
  ).toEqual(['WEAK-1']);
  // Another organization has none of them, and an owner does not learn who put them there.
  const ofIda = `/fleet/v1/devices?commissioned_by=${ida}`;
  const { text: foreignKey } = await givenKey(operator, { organizationNo: await givenOrganization(operator) });
  const { text: narrowedKey } = await givenKey(operator, { organizationNo, customerNo: maria.no });
  for (const other of [foreignKey, narrowedKey])
    expect((await api.call(ofIda, { key: other })).json).toMatchObject({ devices: [], commissioners: [] });
  const counted = await api.call(`/fleet/v1/devices?commissioned_by=${luis}&city=Milton`, { key });
  expect(counted.json).toMatchObject({
    counts: { silent: 1, weak_signal: 0, taken_on: 0 },
    cities: [
      { city: 'Colchester', devices: 1 },
      { city: 'Milton', devices: 1 },
    ],
    devices: [{ commissioned_by: luis, commissioned_by_name: 'Luis' }, {}],
    commissioners: [
      { id: luis, name: 'Luis', devices: 1 },
      { id: ida, name: null, devices: 1 },
    ],
  });

  // Readings of the former device do not count for the device that replaced it.
  const exchanged = tanks[given.findIndex(({ id }) => id === 'GOOD-1')]?.no;
  const good = async (id: string) => (await walk(api, key, '')).find(({ device_id }) => device_id === id);
  expect(await good('GOOD-1')).toMatchObject({ last_heard_at: expect.any(String) as string });
  await operator.query(`update tanks set assigned_device_id = 'GOOD-3' where no = $1`, [exchanged]);
  expect(await good('GOOD-3')).toMatchObject({ last_heard_at: null });

  // The troubles of a device that is no longer on the tank are not those of the tank.
  await operator.query(`update tanks set assigned_device_id = 'WEAK-2' where assigned_device_id = 'WEAK-1'`);
  expect(await walk(api, key, '&state=weak_signal')).toEqual([]);

  // Customers and other organizations see only their own devices.
  const { text: juansKey } = await givenKey(operator, { organizationNo, customerNo: juan.no });
  expect(idsOf(await walk(api, juansKey, ''))).toEqual(['GOOD-2']);
  expect(await walk(api, juansKey, '&state=trouble')).toEqual([]);
  const { text: mariasKey } = await givenKey(operator, { organizationNo, customerNo: maria.no });
  expect(idsOf(await walk(api, mariasKey, '&state=never_heard'))).toEqual(['NEW-1']);
  expect(idsOf(await walk(api, mariasKey, '&state=battery_low'))).toEqual(['BATTERY#1']);
  // All towns share one count, also towns that do not exist.
  const answers = await Promise.all(
    ['Colchester', 'Milton', ...Array.from({ length: 5 }, (_, n) => `Nowhere ${n}`)].map(async (city) => {
      const answer = await api.call(`/fleet/v1/devices?city=${encodeURIComponent(city)}`, { key: mariasKey });
      return [answer.json.counts.silent, answer.json.as_of];
    }),
  );
  expect(answers.map(([silent]) => silent)).toEqual([1, 2, 0, 0, 0, 0, 0]);
  expect(new Set(answers.map(([, asOf]) => asOf)).size).toBe(1);
  const { text: strangersKey } = await givenKey(operator, { organizationNo: await givenOrganization(operator) });
  expect(await walk(api, strangersKey, '')).toEqual([]);
  const page = await api.call('/fleet/v1/devices?size=2', { key });
  expect((await api.call(`/fleet/v1/devices?after=${page.json.next}`, { key: juansKey })).status).toBe(422);
});
