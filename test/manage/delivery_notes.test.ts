import { expect } from 'vitest';
import { deleteCustomer } from '../../src/catalog/customers.ts';
import { deleteTank } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { givenCustomer, givenTank } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { givenTruck, recordRefills, refillOf, settle } from '../support/ledger.ts';
import { expectLockWaits } from '../support/lock_waits.ts';
import { givenManagedOrganization, test } from '../support/manage.ts';
import type { TestDatabase } from '../support/test.ts';

const NOON_MS = Date.UTC(2026, 9, 12, 18);
const NOTE = { at: '2026-10-12T18:00:00Z', volume: 510, tank: 'T-1', customer: 'C-1', truck: 'Truck 1' };

async function givenFleet(database: TestDatabase) {
  const { key, prefix, organizationNo } = await givenManagedOrganization(database);
  await database.owner.query(`update organizations set time_zone = 'America/Mexico_City' where no = $1`, [
    organizationNo,
  ]);
  const customer = await givenCustomer(database.operator, organizationNo, { external_key: 'C-1' });
  const tank = await givenTank(database.operator, organizationNo, customer.no, { custom_id: 'T-1', capacity: 1_000 });
  const truck = await givenTruck(database.owner, organizationNo, 'Truck 1');
  const refill = refillOf(
    { organizationNo, tankNo: tank.no },
    { fromMs: NOON_MS - HOUR_MS, toMs: NOON_MS, liters: 500 },
  );
  await recordRefills(database.writer, [refill]);
  const verdicts = async () => {
    await settle(database.worker);
    const { rows } = await database.owner.query<{ verdict: string }>(
      'select verdict from ledger_entries where organization_no = $1 order by verdict',
      [organizationNo],
    );
    return rows.map(({ verdict }) => verdict);
  };
  return { key, prefix, organizationNo, customer, tank, truck, verdicts };
}

test('a note is created once by its number, changed under If-Match, and cancelled', async ({ database, manage }) => {
  const { key, prefix, customer, tank, truck, verdicts } = await givenFleet(database);
  const path = '/delivery-notes/A/20%2F379';
  const put = (body: object, more = {}) => manage.call(key, 'PUT', path, { body, ...more });
  const created = await put(NOTE);
  expect([created.status, created.json]).toEqual([
    201,
    expect.objectContaining({
      object: 'delivery_note',
      series: 'A',
      number: '20/379',
      at: '2026-10-12T18:00:00.000Z',
      precision: 'minute',
      volume: 510,
      unit: 'liters',
      customer_id: customer.id,
      tank_id: tank.id,
      truck_id: truck.id,
      driver_id: null,
      compensated: null,
      status: 'valid',
      source: 'api',
      written_by: `key ${prefix}`,
      pins: [],
    }),
  ]);
  const { id, etag } = created.json;
  expect(await put(NOTE)).toMatchObject({ status: 200, json: { id, etag } });
  expect((await manage.call(key, 'GET', path)).json).toEqual(created.json);
  expect((await manage.call(key, 'GET', `/delivery-notes/${id}`)).json).toEqual(created.json);
  expect(await verdicts()).toEqual(['consistent']);

  const day = await put({ ...NOTE, at: '2026-10-12', volume: 700, compensated: false }, { ifMatch: etag });
  expect(day.json).toMatchObject({ id, at: '2026-10-12T06:00:00.000Z', precision: 'day', compensated: false });
  expect(await verdicts()).toEqual(['not_consistent']);
  expect((await put(NOTE, { ifMatch: etag })).status).toBe(412);
  expect((await put(NOTE, { headers: { 'if-none-match': '*' } })).status).toBe(412);
  const tried = await manage.call(key, 'PUT', '/delivery-notes/-/1?dry_run=true', { body: NOTE });
  expect([tried.status, tried.json.series]).toEqual([201, '']);
  expect((await manage.call(key, 'GET', '/delivery-notes/-/1')).status).toBe(404);
  await put({ ...NOTE, status: 'cancelled' });
  expect(await verdicts()).toEqual([]);
});

test('a note that a driver writes while it is changed is compared as it is then, and a new one is to be sent again', async ({
  database,
  manage,
}) => {
  const { key, organizationNo, customer } = await givenFleet(database);
  const put = (number: string, more = {}) =>
    manage.call(key, 'PUT', `/delivery-notes/-/${number}`, { body: NOTE, ...more });
  const putWhile = (number: string, statement: string, values: unknown[], more = {}) =>
    transaction(database.owner, async (tx) => {
      await tx.query(statement, values);
      const answer = put(number, more);
      await expectLockWaits(database.owner, 1);
      return { answer };
    }).then(({ answer }) => answer);
  const { etag } = (await put('1')).json;
  const change = `update delivery_notes set volume = 20 where organization_no = $1 and number = '1'`;
  expect((await putWhile('1', change, [organizationNo], { ifMatch: etag })).status).toBe(412);
  const write = `insert into delivery_notes (id, organization_no, number, customer_no, at, precision, volume, unit, source)
    values (gen_random_uuid(), $1, '2', $2, now(), 'minute', 20, 'liters', 'driver')`;
  const answer = await putWhile('2', write, [organizationNo, customer.no]);
  expect([answer.status, answer.json.code]).toEqual([503, 'unavailable']);
  expect((await put('2')).status).toBe(200);
});

test('a note of another product than its tank holds is stored and marked, also in the ledger', async ({
  database,
  manage,
}) => {
  const { key, tank, verdicts } = await givenFleet(database);
  const put = async (product: string | undefined) =>
    (await manage.call(key, 'PUT', '/delivery-notes/-/1', { body: { ...NOTE, product } })).json;
  const unnamed = await put(undefined);
  expect(unnamed).toMatchObject({ product: null, is_other_product: false });
  expect(await put('diesel')).toMatchObject({ id: unnamed.id, product: 'diesel', is_other_product: true });
  expect((await put('diesel')).etag).not.toBe(unnamed.etag);
  await verdicts();
  const { json } = await callApi(manage.url, '/fleet/v1/ledger', { key });
  expect(json.entries[0].notes).toMatchObject([{ number: '1', product: 'diesel', is_other_product: true }]);
  // A mix counts as each of its gases. A corrected product of the tank ends the mark.
  expect(await put('lpg_mix')).toMatchObject({ product: 'lpg_mix', is_other_product: false });
  await put('diesel');
  await database.owner.query(`update tanks set product = 'diesel' where no = $1`, [tank.no]);
  const { json: corrected } = await manage.call(key, 'GET', '/delivery-notes/-/1');
  expect(corrected.is_other_product).toBe(false);
  expect((await put('lava')).errors).toMatchObject([{ param: 'product' }]);
});

test('a note with an unknown or invalid value is refused with the name of its field', async ({ database, manage }) => {
  const { key, organizationNo } = await givenFleet(database);
  const other = await givenCustomer(database.operator, organizationNo, { external_key: 'C-2' });
  await givenTank(database.operator, organizationNo, other.no, { custom_id: 'T-1' });
  const cases: [body: object, params: string[]][] = [
    [{ ...NOTE, customer: undefined }, ['tank']], // two tanks have this custom id
    [{ ...NOTE, tank: 'T-9', truck: 'Truck 9', driver: 'Nobody' }, ['tank', 'truck', 'driver']],
    [{ ...NOTE, customer: 'C-9' }, ['customer']],
    [{ at: NOTE.at, volume: 1 }, ['tank']],
    [{ ...NOTE, at: '2026-02-30' }, ['at']],
    [{ ...NOTE, volume: 0 }, ['volume']],
    [
      { ...NOTE, unit: 'barrels', filled_to: 101, product_temperature: 90 },
      ['unit', 'product_temperature', 'filled_to'],
    ],
    [{ ...NOTE, nonsense: 1 }, ['nonsense']],
  ];
  for (const [body, params] of cases) {
    const { status, json } = await manage.call(key, 'PUT', '/delivery-notes/-/1', { body });
    expect([status, json.errors?.map(({ param }: { param: string }) => param)]).toEqual([422, params]);
  }
});

test('a note names customer, tank, truck and driver by an id in any case, and no driver who was deleted', async ({
  database,
  manage,
}) => {
  const { key, customer, tank, truck } = await givenFleet(database);
  const { json: driver } = await manage.call(key, 'POST', '/drivers', { body: { name: 'Raúl' } });
  const ids = { customer: customer.id, tank: tank.id, truck: truck.id, driver: driver.id };
  const inUpperCase = Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, id.toUpperCase()]));
  const put = (body: object) =>
    manage.call(key, 'PUT', '/delivery-notes/-/1', { body: { at: NOTE.at, volume: 1, ...body } });
  const { customer_id, tank_id, truck_id, driver_id } = (await put(inUpperCase)).json;
  expect({ customer: customer_id, tank: tank_id, truck: truck_id, driver: driver_id }).toEqual(ids);
  await manage.call(key, 'DELETE', `/drivers/${driver.id}`, { ifMatch: '*' });
  expect((await put(ids)).json.errors).toMatchObject([{ param: 'driver' }]);
});

test('a note from before 2000 or from more than a week ahead is refused', async ({ database, manage }) => {
  const { key } = await givenFleet(database);
  const put = (at: string) => manage.call(key, 'PUT', '/delivery-notes/-/7', { body: { ...NOTE, at } });
  const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
  const cases: [at: string, detail: RegExp][] = [
    ['0025-11-02T08:00:00Z', /before 2000; check the clock of the sender/],
    ['0025-11-02', /before 2000/],
    ['1999-12-31T23:59:59Z', /before 2000/],
    ['1999-12-31', /before 2000/],
    [inDays(8), /in the future; check the clock and the time zone of the sender/],
    [inDays(9).slice(0, 10), /in the future/],
    ['9999-12-31T23:59:59-12:00', /in the future/],
  ];
  for (const [at, detail] of cases) {
    const { status, json } = await put(at);
    expect([status, json.errors?.[0]], at).toEqual([
      422,
      expect.objectContaining({ param: 'at', detail: expect.stringMatching(detail) }),
    ]);
  }
  // The clock of a truck may be hours ahead, because the ledger learns by how much.
  for (const at of [inDays(0.4), inDays(1).slice(0, 10), '2000-01-01', '2000-01-01T00:00:00Z'])
    expect((await put(at)).status, at).toBeLessThan(300);
});

test('a bulk stores notes as PUT does, and refuses only the wrong lines', async ({ database, manage }) => {
  const { key, verdicts } = await givenFleet(database);
  const lines = [
    { number: '1', ...NOTE },
    { number: '2', series: 'B', at: '2026-10-20', volume: 100, unit: 'gallons', customer: 'C-1' },
    { number: '3', ...NOTE, truck: 'Truck 9' },
    { number: '1', ...NOTE },
  ];
  const bulk = async () => {
    const { status, text } = await manage.call(key, 'POST', '/delivery-notes/bulk', {
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    });
    const results = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return [status, ...results.map(({ status: outcome, errors, summary }) => summary ?? [outcome, errors[0]?.param])];
  };
  const summary = { created: 2, updated: 0, unchanged: 0, refused: 2 };
  expect(await bulk()).toEqual([
    207,
    ['created', undefined],
    ['created', undefined],
    ['refused', 'truck'],
    ['refused', ''],
    summary,
  ]);
  expect((await bulk()).at(-1)).toEqual({ created: 0, updated: 0, unchanged: 2, refused: 2 });
  expect(await verdicts()).toEqual(['cannot_be_told', 'consistent']);
});

test('a bulk without product and reference keeps them, as PUT does', async ({ database, manage }) => {
  const { key } = await givenFleet(database);
  const path = '/delivery-notes/-/77';
  await manage.call(key, 'PUT', path, { body: { ...NOTE, product: 'diesel', reference: 'SO-1' } });
  const body = JSON.stringify({ number: '77', ...NOTE, volume: 301 });
  expect((await manage.call(key, 'POST', '/delivery-notes/bulk', { body })).status).toBe(200);
  const { json } = await manage.call(key, 'GET', path);
  expect(json).toMatchObject({ volume: 301, product: 'diesel', reference: 'SO-1' });
});

test('a person unites and separates a note and a refill, and lets the matching decide again', async ({
  database,
  manage,
}) => {
  const { key, prefix, tank, verdicts } = await givenFleet(database);
  const { json: note } = await manage.call(key, 'PUT', '/delivery-notes/-/1', { body: NOTE });
  const pins = `/delivery-notes/${note.id}/pins`;
  const pin = (kind: string, refill_at = '2026-10-12T18:00:00Z', tank_id = tank.id) =>
    manage.call(key, 'POST', pins, { body: { kind, tank_id, refill_at } });
  await verdicts();
  const apart = await pin('apart');
  expect([apart.status, apart.json.pins]).toEqual([
    200,
    [
      {
        tank_id: tank.id,
        refill_at: '2026-10-12T18:00:00.000Z',
        kind: 'apart',
        pinned_by: `key ${prefix}`,
        created_at: expect.any(String),
      },
    ],
  ]);
  expect(await verdicts()).toEqual(['cannot_be_told', 'refill_without_note']);
  // The time may be a little off: a refill moves when its tank is evaluated again.
  const together = await pin('together', '2026-10-13T02:00:00Z');
  expect(together.json.pins).toMatchObject([{ refill_at: '2026-10-12T18:00:00.000Z', kind: 'together' }]);
  expect(await verdicts()).toEqual(['consistent']);
  await pin('apart');
  await verdicts();
  expect((await manage.call(key, 'DELETE', pins)).status).toBe(204);
  expect(await verdicts()).toEqual(['consistent']);
  for (const [at, tankId] of [
    ['2026-10-15T18:00:00Z', tank.id],
    [NOTE.at, note.id],
    [NOTE.at, 'T-1'],
    ['noon', tank.id],
  ])
    expect((await pin('apart', at, tankId)).status).toBe(422);
});

test('deleting a customer keeps only the liters of each truck of its notes', async ({ database, manage }) => {
  const { key, organizationNo, customer, tank, truck } = await givenFleet(database);
  const call = { body: { ...NOTE, volume: 100, unit: 'gallons' }, idempotencyKey: 'secret' };
  const { json: note } = await manage.call(key, 'PUT', '/delivery-notes/-/GEHEIM-1', call);
  await manage.call(key, 'PUT', '/delivery-notes/-/GEHEIM-2', { body: { ...NOTE, truck: null } });
  await manage.call(key, 'PUT', '/delivery-notes/-/GEHEIM-3', { body: { ...NOTE, status: 'cancelled' } });
  await settle(database.worker);
  const pin = { kind: 'together', tank_id: tank.id, refill_at: NOTE.at };
  await manage.call(key, 'POST', `/delivery-notes/${note.id}/pins`, { body: pin });
  await settle(database.worker);
  await transaction(database.operator, (tx) => deleteCustomer(tx, organizationNo, customer.no, { withTanks: true }));
  await settle(database.worker);
  const { rows } = await database.owner.query(
    `select (select count(*) from delivery_notes where organization_no = $1) as notes,
            (select count(*) from note_pins where organization_no = $1) as pins,
            (select count(*) from ledger_entries where organization_no = $1) as entries,
            (select count(*) from ledger_clock_samples where organization_no = $1) as samples,
            (select count(*) from seen_refills where tank_no = $2) as refills,
            (select count(*) from ledger_marks where organization_no = $1) as marks,
            (select count(*) from idempotency_keys where organization_no = $1 and answer is not null) as answers`,
    [organizationNo, tank.no],
  );
  expect(rows).toEqual([{ notes: 0, pins: 0, entries: 0, samples: 0, refills: 0, marks: 0, answers: 0 }]);
  const { rows: left } = await database.owner.query(
    'select truck_no, notes, litres from erased_deliveries where organization_no = $1 order by truck_no',
    [organizationNo],
  );
  expect(left).toEqual([
    { truck_no: 0, notes: 1, litres: 510 },
    { truck_no: truck.no, notes: 1, litres: expect.closeTo(378.54, 2) },
  ]);
});

test('the notes of a deleted tank stay with the customer, and match no other tank', async ({ database, manage }) => {
  const { key, organizationNo, customer, tank, verdicts } = await givenFleet(database);
  const { json: note } = await manage.call(key, 'PUT', '/delivery-notes/-/1', { body: NOTE });
  const second = await givenTank(database.operator, organizationNo, customer.no, { custom_id: 'T-2', capacity: 1_000 });
  await transaction(database.operator, (tx) => deleteTank(tx, organizationNo, tank.no));
  const refill = { fromMs: NOON_MS - HOUR_MS, toMs: NOON_MS, liters: 500 };
  await recordRefills(database.writer, [refillOf({ organizationNo, tankNo: second.no }, refill)]);
  expect(await verdicts()).toEqual(['cannot_be_told', 'refill_without_note']);
  expect((await manage.call(key, 'GET', `/delivery-notes/${note.id}`)).json).toMatchObject({ tank_id: null });
});
