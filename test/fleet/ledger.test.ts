import { expect } from 'vitest';
import { makeNoteWorld } from '../../bench/deliveries/note_world.ts';
import { storeNotes } from '../../engines/store_notes.ts';
import { deleteCustomer } from '../../src/catalog/customers.ts';
import { transaction } from '../../src/db/pool.ts';
import { readDigest } from '../../src/mail/digest_content.ts';
import { digestMail } from '../../src/mail/digest_mail.ts';
import { Random } from '../../src/simulation/random.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { givenCustomer, givenCustomers, givenKey, givenOrganization, givenTank, givenTanks } from '../support/fleet.ts';
import { givenTruck, givenWorld, recordRefills, refillOf, settle } from '../support/ledger.ts';
import { type TestApi, type TestDatabase, test } from '../support/test.ts';

interface Entry {
  id: string;
  at: string;
  verdict: string;
  reason: string | null;
  notes: { number: string }[];
  tanks: { id: string }[];
  owner: { id: string; name: string };
  truck: { id: string; name: string } | null;
  driver: object | null;
  may_belong_to: { tank: { custom_id: string } } | null;
}

/** All pages of a list. */
async function readAll(api: TestApi, key: string, query: Record<string, string>, size = '40'): Promise<Entry[]> {
  const entries: Entry[] = [];
  let after: string | null = null;
  do {
    const given = new URLSearchParams({ ...query, size, ...(after === null ? {} : { after }) });
    const { status, json } = await api.call(`/fleet/v1/ledger?${given.toString()}`, { key });
    expect(status).toBe(200);
    entries.push(...json.entries);
    after = json.next;
  } while (after !== null);
  return entries;
}

async function givenLedger(database: TestDatabase, customers: number) {
  const organizationNo = await givenOrganization(database.operator);
  await database.owner.query(
    `update organizations set time_zone = 'America/Mexico_City', language = 'es-MX' where no = $1`,
    [organizationNo],
  );
  const world = makeNoteWorld(11, { customers, shortShare: 0.1 });
  const { notes, refills } = await givenWorld(database, organizationNo, world);
  await recordRefills(database.writer, refills);
  await storeNotes(database.operator, organizationNo, notes);
  await settle(database.worker);
  const { text: key } = await givenKey(database.operator, { organizationNo });
  return { organizationNo, world, key };
}

test('the list has every note and refill once, newest first, and each filter and count agrees with it', async ({
  database,
  api,
}) => {
  const { world, key } = await givenLedger(database, 40);
  const all = await readAll(api, key, {});
  expect(all.flatMap(({ notes }) => notes.map(({ number }) => number)).toSorted()).toEqual(
    world.notes.map(({ id }) => id).toSorted(),
  );
  const order = all.map(({ at, id }) => `${at} ${id}`);
  expect(order).toEqual(order.toSorted().toReversed());
  const { json } = await api.call('/fleet/v1/ledger?size=1', { key });
  expect(json.counts).toMatchObject({ notes: world.notes.length });
  for (const verdict of ['consistent', 'not_consistent', 'cannot_be_told', 'refill_without_note']) {
    const own = all.filter((entry) => entry.verdict === verdict);
    expect(own.length, verdict).toBeGreaterThan(0);
    expect([verdict, await readAll(api, key, { verdict }, '7')]).toEqual([verdict, own]);
    expect(json.counts[verdict]).toBe(own.length);
  }
  const first = all.find(({ truck, tanks }) => truck !== null && tanks.length === 1);
  const truckId = first?.truck?.id ?? '';
  const tankId = first?.tanks[0]?.id ?? '';
  expect(await readAll(api, key, { truck_id: truckId })).toEqual(all.filter(({ truck }) => truck?.id === truckId));
  expect(await readAll(api, key, { tank_id: tankId })).toEqual(
    all.filter(({ tanks }) => tanks.some(({ id }) => id === tankId)),
  );
  const ownerId = first?.owner.id ?? '';
  expect(await readAll(api, key, { owner_id: ownerId })).toEqual(all.filter(({ owner }) => owner.id === ownerId));
  // In Mexico City the month begins 6 hours after that of UTC.
  const isOfNovember = ({ at }: Entry): boolean => at >= '2025-11-01T06:00:00.000Z' && at < '2025-12-01T06:00:00.000Z';
  expect(await readAll(api, key, { month: '2025-11' })).toEqual(all.filter(isOfNovember));
  const foreign = new URLSearchParams({
    after: (await api.call('/fleet/v1/ledger?size=1', { key })).json.next,
    month: '2025-11',
  });
  expect((await api.call(`/fleet/v1/ledger?${foreign.toString()}`, { key })).status).toBe(422);

  const months = await api.call('/fleet/v1/ledger/totals?by=month&month=2026-01&months=3', { key });
  expect(months.json.totals.map(({ id }: { id: string }) => id)).toEqual(['2026-01', '2025-12', '2025-11']);
  expect(months.json.totals[2].deliveries).toBe(
    all.filter((entry) => entry.notes.length > 0 && isOfNovember(entry)).length,
  );
});

test('an owner sees only their own notes, no driver and no comparison; a stranger sees nothing', async ({
  database,
  api,
}) => {
  const { organizationNo, key } = await givenLedger(database, 8);
  const driver = await database.owner.query<{ no: number }>(
    `insert into drivers (id, organization_no, name) values (gen_random_uuid(), $1, 'Raúl Vega') returning no`,
    [organizationNo],
  );
  await database.owner.query('update delivery_notes set driver_no = $2 where organization_no = $1', [
    organizationNo,
    driver.rows[0]?.no,
  ]);
  await settle(database.worker);
  const all = await readAll(api, key, {});
  expect(all.filter(({ notes }) => notes.length > 0).every((entry) => entry.driver !== null)).toBe(true);
  const ownerId = all[0]?.owner.id ?? '';
  const { rows } = await database.owner.query<{ no: number }>('select no from customers where id = $1', [ownerId]);
  const { text: owners } = await givenKey(database.operator, { organizationNo, customerNo: rows[0]?.no ?? 0 });
  const own = all.filter(({ owner }) => owner.id === ownerId).map((entry) => ({ ...entry, driver: null }));
  expect(await readAll(api, owners, {})).toEqual(own);
  expect(
    await readAll(api, owners, { owner_id: all.find(({ owner }) => owner.id !== ownerId)?.owner.id ?? '' }),
  ).toEqual([]);
  for (const by of ['truck', 'driver'])
    expect((await api.call(`/fleet/v1/ledger/totals?by=${by}`, { key: owners })).status).toBe(403);
  const months = await api.call('/fleet/v1/ledger/totals?month=2026-01', { key: owners });
  const deliveries = months.json.totals.reduce(
    (sum: number, total: { deliveries: number }) => sum + total.deliveries,
    0,
  );
  expect([months.json.by, deliveries]).toEqual(['month', own.filter(({ notes }) => notes.length > 0).length]);
  const csv = await api.call('/fleet/v1/ledger.csv', { key: owners });
  expect(csv.text.trim().split('\n').length - 1).toBe(own.length);
  expect(csv.text).not.toContain('Raúl');

  const strangersNo = await givenOrganization(database.operator);
  const { text: stranger } = await givenKey(database.operator, { organizationNo: strangersNo });
  for (const query of [
    {},
    { owner_id: ownerId },
    { tank_id: all[0]?.tanks[0]?.id ?? '' },
    { truck_id: all[0]?.truck?.id ?? ownerId },
  ])
    expect(await readAll(api, stranger, query)).toEqual([]);
});

test('the file of a month is in the language of the organization, and no cell is a formula', async ({
  database,
  api,
}) => {
  const { operator, owner, writer, worker } = database;
  const organizationNo = await givenOrganization(operator);
  await owner.query(`update organizations set time_zone = 'America/Mexico_City', language = 'es-MX' where no = $1`, [
    organizationNo,
  ]);
  const customer = await givenCustomer(operator, organizationNo, { name: '=cmd()', external_key: '-1' });
  const tank = await givenTank(operator, organizationNo, customer.no, {
    name: 'Casa',
    custom_id: 'T-1',
    capacity: 1_000,
  });
  const second = await givenTank(operator, organizationNo, customer.no, {
    name: 'Taller',
    custom_id: 'T-2',
    capacity: 1_000,
  });
  const truck = await givenTruck(owner, organizationNo, 'Pipa 2');
  const toMs = Date.UTC(2025, 9, 31, 23);
  const refill = { fromMs: toMs - HOUR_MS, toMs, liters: 500, before: 30 };
  await recordRefills(writer, [
    refillOf({ organizationNo, tankNo: tank.no }, refill),
    refillOf({ organizationNo, tankNo: second.no }, { ...refill, toMs: toMs - 3 * DAY_MS, fromMs: toMs - 4 * DAY_MS }),
  ]);
  const note = { number: '+1', series: 'A', volume: 700, tank: 'T-1', truck: 'Pipa 2' };
  await storeNotes(operator, organizationNo, [
    { ...note, at: new Date(toMs).toISOString() },
    { ...note, number: '2', at: '2025-10-28', tank: 'T-1', volume: 505 },
    { ...note, number: '3', at: '2025-11-01T06:00:00Z', tank: 'T-2' }, // November in Mexico
  ]);
  await settle(worker);
  const { text: key } = await givenKey(operator, { organizationNo });
  const { text, headers } = await api.call('/fleet/v1/ledger.csv?month=2025-10', { key });
  expect(headers['content-disposition']).toBe('attachment; filename="ledger-2025-10.csv"');
  expect(text.split('\n')).toEqual([
    '\uFEFFfecha,hora,nota,volumen de la nota,como se bombeó,según el indicador,desde,hasta,unidad,resultado,motivo,pipa,chofer,tanque,número de tanque,cliente,número de cliente',
    expect.stringMatching(
      /^2025-10-31,17:00,A-\+1,700,700,500,4\d\d\.?\d?,5\d\d\.?\d?,litros,no coincide,,Pipa 2,,Casa,T-1,'=cmd\(\),'-1$/,
    ),
    `2025-10-28,17:00,,,,500,,,litros,recarga sin nota,,,,Taller,T-2,'=cmd(),'-1`,
    `2025-10-28,,A-2,505,505,,,,litros,no se puede comparar,sin sensor,Pipa 2,,Casa,T-1,'=cmd(),'-1`,
    '',
  ]);
  // The note names one tank, but the other tank was filled.
  const [, candidate] = (await readAll(api, key, { month: '2025-10', truck_id: truck.id })).toSorted((a, b) =>
    a.at < b.at ? 1 : -1,
  );
  expect(candidate?.may_belong_to).toMatchObject({ tank: { custom_id: 'T-2' }, gauge_volume: 500 });
  const english = await api.call('/fleet/v1/ledger.csv?month=2025-10&language=en', { key });
  expect(english.text).toContain('does not match');
  const machine = await api.call('/fleet/v1/ledger.csv?month=2025-10&format=machine', { key });
  const [header, first] = machine.text.split('\n');
  expect(header).toMatch(
    /^id,at,verdict,reason,note_ids,notes,refilled_at,tank_ids,custom_ids,owner_id,external_key,truck_id,/,
  );
  expect(first).toContain(`,not_consistent,,`);
  expect(first).toContain(`,${tank.id},T-1,${customer.id},-1,${truck.id},`);

  // The notes as they were written, the oldest first, in pages.
  const list = async (query: string) => (await api.call(`/fleet/v1/delivery-notes?${query}`, { key })).json;
  const numbers = ({ data }: { data: { number: string }[] }): string[] => data.map(({ number }) => number);
  const page = await list('size=2');
  expect([numbers(page), page.has_more]).toEqual([['2', '+1'], true]);
  const rest = await list(`size=2&after=${page.next}`);
  expect([numbers(rest), rest.has_more, rest.next]).toEqual([['3'], false, null]);
  expect(page.data[1]).toMatchObject({
    series: 'A',
    volume: 700,
    tank_id: tank.id,
    truck_id: truck.id,
    status: 'valid',
  });
  expect(numbers(await list('since=2025-10-30T00:00:00-06:00&until=2025-11-01T00:00:00Z'))).toEqual(['+1']);
  expect(numbers(await list(`tank_id=${second.id}&number=3&truck_id=${truck.id}&status=valid`))).toEqual(['3']);
  expect(numbers(await list(`owner_id=${second.id}`))).toEqual([]);
  const { text: owners } = await givenKey(operator, { organizationNo, customerNo: customer.no });
  expect(numbers((await api.call('/fleet/v1/delivery-notes', { key: owners })).json)).toHaveLength(3);
});

/** Four deliveries to each of 63 tanks, which the trucks share. `ratio` is what a gauge shows of the volume of a note. */
async function givenTrucks(
  { operator, owner, writer, worker }: TestDatabase,
  trucks: readonly string[],
  ratio: (truck: string, number: number) => number,
) {
  const organizationNo = await givenOrganization(operator);
  const customers = await givenCustomers(
    operator,
    organizationNo,
    Array.from({ length: 63 }, () => ({})),
  );
  const tanks = await givenTanks(
    operator,
    organizationNo,
    0,
    customers.map(({ no }, index) => ({ owner_no: no, custom_id: `T-${index}`, capacity: 1_000 })),
  );
  for (const truck of trucks) await givenTruck(owner, organizationNo, truck);
  const random = new Random(3);
  const startMs = Date.UTC(2025, 0, 10, 15);
  const deliveries = tanks.flatMap((tank, index) => {
    const error = 0.03 * random.normal();
    return Array.from({ length: 4 }, (_, round) => {
      const toMs = startMs + round * 40 * DAY_MS + index * HOUR_MS;
      const volume = random.between(400, 600);
      const truck = trucks[(index + round) % trucks.length] ?? '';
      const liters = volume * ratio(truck, index + round) * (1 + error + 0.01 * random.normal());
      return {
        refill: refillOf({ organizationNo, tankNo: tank.no }, { fromMs: toMs - HOUR_MS, toMs, liters }),
        note: { number: `${index}-${round}`, at: new Date(toMs).toISOString(), volume, tank: `T-${index}`, truck },
      };
    });
  });
  await recordRefills(
    writer,
    deliveries.map(({ refill }) => refill),
  );
  await storeNotes(
    operator,
    organizationNo,
    deliveries.map(({ note }) => note),
  );
  await settle(worker);
  const { text: key } = await givenKey(operator, { organizationNo });
  return { organizationNo, customers, key };
}

/** The number of entries by verdict, reason and truck. */
async function countByTruck(api: TestApi, key: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { verdict, reason, truck } of await readAll(api, key, {}, '200')) {
    const name = [verdict, reason, truck?.name].filter(Boolean).join(' ');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const THREE = ['Truck 1', 'Truck 2', 'Truck 3'];

test('the only truck that is flagged is the one whose notes are 6 % off, and its notes are not judged one by one', async ({
  database,
  api,
}) => {
  const { organizationNo, customers, key } = await givenTrucks(database, THREE, (truck) =>
    truck === 'Truck 2' ? 1 / 1.06 : 1,
  );
  const read = async (query: string) => (await api.call(`/fleet/v1/ledger/totals?${query}`, { key })).json;
  const year = await read('by=truck&month=2025-12');
  const shown = { from: '2025-01', to: '2025-12', against_others: true, differ: false, common_offset: null };
  expect(year).toMatchObject({ ...shown, tanks_needed: 0 });
  expect(year.totals).toMatchObject([
    { name: 'Truck 1', deliveries: 84, compared: { flagged: false, deliveries: 84, tanks: 63 } },
    {
      name: 'Truck 2',
      deliveries: 84,
      not_consistent: 0,
      compared: { flagged: true, excess: expect.closeTo(0.06, 1) },
    },
    { name: 'Truck 3', deliveries: 84, compared: { flagged: false } },
  ]);
  const [, second] = year.totals;
  expect(second.compared.from).toBeGreaterThan(0.02);
  expect(second.compared.to).toBeLessThan(0.1);
  expect(await countByTruck(api, key)).toMatchObject({ 'cannot_be_told trucks_differ Truck 2': 84 });
  // Too few tanks have three deliveries in two months.
  expect(await read('month=2025-02&months=2')).toMatchObject({
    tanks: 0,
    tanks_needed: 60,
    totals: [{ compared: null }, { compared: null }, { compared: null }],
  });
  const quarter = await read('month=2025-04&months=4');
  expect(quarter.totals[0].compared.missing).toMatchObject({ excess: 0.03, deliveries: expect.any(Number) });

  const [erased] = customers;
  await transaction(database.operator, (tx) =>
    deleteCustomer(tx, organizationNo, erased?.no ?? 0, { withTanks: true }),
  );
  const after = await read('month=2025-12');
  const left = after.totals.map(({ deliveries }: { deliveries: number }) => deliveries);
  expect(left.reduce((sum: number, count: number) => sum + count, 0)).toBe(248);
  expect(after.totals[0].erased_volume).toBeGreaterThan(350);
});

test('if two trucks differ, neither is named, and no note of either is judged', async ({ database, api }) => {
  const { key } = await givenTrucks(database, THREE.slice(0, 2), (truck) => (truck === 'Truck 2' ? 1 / 1.06 : 1));
  const year = (await api.call('/fleet/v1/ledger/totals?month=2025-12', { key })).json;
  expect(year).toMatchObject({ against_others: true, differ: true, common_offset: null });
  expect(year.totals).toMatchObject([{ compared: { flagged: false } }, { compared: { flagged: false } }]);
  expect(await countByTruck(api, key)).toEqual({
    'cannot_be_told trucks_differ Truck 1': 126,
    'cannot_be_told trucks_differ Truck 2': 126,
  });
  const csv = await api.call('/fleet/v1/ledger.csv?language=es', { key });
  expect(
    csv.text
      .split('\n')
      .slice(1, -1)
      .every((line) => line.includes('las pipas o los choferes difieren entre sí')),
  ).toBe(true);
});

test('if all gauges are off, no note and no truck is judged, and one sentence says what to check', async ({
  database,
  api,
}) => {
  const { organizationNo, key } = await givenTrucks(database, THREE, (truck) => (truck === 'Truck 2' ? 0.8 : 0.85));
  const sentence = {
    share: -0.15,
    texts: {
      en: expect.stringMatching(
        /about 15 % less than the notes: check the capacities and the strapping tables .* the product\.$/,
      ),
      es: expect.stringMatching(
        /cerca de 15 % menos que las notas: revise la capacidad y la tabla de aforo .* el producto\.$/,
      ),
    },
  };
  const { json } = await api.call('/fleet/v1/ledger?size=1', { key });
  expect(json).toMatchObject({
    common_offset: sentence,
    counts: { consistent: 0, not_consistent: 0, cannot_be_told: 252 },
  });
  const year = (await api.call('/fleet/v1/ledger/totals?month=2025-12', { key })).json;
  expect(year).toMatchObject({ differ: false, common_offset: sentence });
  const flagged = year.totals.map(({ compared }: { compared: { flagged: boolean } }) => compared.flagged);
  expect(flagged).toEqual([false, false, false]);
  const period = { fromMs: 0, untilMs: Date.now() + HOUR_MS };
  const digest = await readDigest(database.worker, organizationNo, period, Date.now());
  const nothing = {
    phone: null,
    reply_to: null,
    emergency_phone: null,
    safety_steps: null,
    default_product: 'propane',
  };
  const organization = { no: organizationNo, code: 'a0', name: 'Gas', language: 'es-MX', time_zone: 'UTC', ...nothing };
  const mail = digestMail(organization, digest, Date.now());
  expect(JSON.stringify(mail)).toContain(json.common_offset.texts.es);
});
