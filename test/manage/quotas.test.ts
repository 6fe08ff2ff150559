import { expect } from 'vitest';
import { updateOrganization } from '../../src/catalog/organizations.ts';
import { transaction } from '../../src/db/pool.ts';
import { givenCustomers } from '../support/fleet.ts';
import { givenTruck } from '../support/ledger.ts';
import { CUSTOMER, givenManagedOrganization, TANK, test } from '../support/manage.ts';

const lines = (count: number): string =>
  Array.from({ length: count }, (_, n) => JSON.stringify({ ...CUSTOMER, external_key: `L${n}` })).join('\n');

test('at its quota an organization can change customers but not add one; an operator can add one and raise the quota', async ({
  database,
  manage,
}) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const update = (changes: object) =>
    transaction(database.operator, (tx) => updateOrganization(tx, organizationNo, changes));
  const put = async (externalKey: string, body: object = CUSTOMER) =>
    (await manage.call(key, 'PUT', `/customers/external_key/${externalKey}`, { body })).status;
  await update({ maxCustomers: 2 });
  expect([await put('A'), await put('B'), await put('C')]).toEqual([201, 201, 409]);
  const refused = await manage.call(key, 'POST', '/customers', { body: CUSTOMER });
  expect(refused.json).toMatchObject({ code: 'quota_exceeded', detail: expect.stringContaining('2 customers') });
  expect(await put('A', { ...CUSTOMER, name: 'Other' })).toBe(200);
  expect((await manage.call(key, 'POST', '/customers/bulk', { body: lines(1) })).json.code).toBe('quota_exceeded');
  await givenCustomers(database.operator, organizationNo, [{}]);
  // Above the quota, a file can change customers and their tanks, but not add a customer.
  const sendFile = async (text: string) => {
    const { status, json } = await manage.call(key, 'POST', '/imports', { body: new TextEncoder().encode(text) });
    if (status === 200) expect(json).toMatchObject({ refused_rows: [], missing: [] });
    return status;
  };
  const tank = (owner: string): string =>
    'owner,customer_name,customer_email,custom_id,name,assigned_device_id,capacity,capacity_unit,min_fill_alert_percentage\n' +
    `${owner},Third,c@example.com,1,House,GAUGE${owner},500,liters,20\n`;
  expect(await sendFile('external_key,email,name\nA,a@example.com,Third\n')).toBe(200);
  expect(await sendFile('external_key,email,name\nD,d@example.com,Dora\n')).toBe(409);
  expect([await sendFile(tank('A')), await sendFile(tank('D'))]).toEqual([200, 409]);
  // A dry run has transactions of 2,000 rows. The rows of earlier ones count too, and a customer in two of them counts once.
  await update({ maxCustomers: 4, maxTanks: 2_002 });
  const tryFile = async (rows: number) => {
    const ownerOf = (n: number): string => (n === 0 || n === 2_000 ? 'E' : 'A');
    const rowTexts = Array.from({ length: rows }, (_, n) =>
      tank(ownerOf(n))
        .split('\n')[1]
        ?.replace(/1,House,GAUGE./, `T${n},House,G${n}`),
    );
    const file = [tank('A').split('\n')[0], ...rowTexts].join('\n');
    const body = new TextEncoder().encode(file);
    return (await manage.call(key, 'POST', '/imports?dry_run=true', { body })).status;
  };
  expect(await tryFile(2_001)).toBe(200);
  await update({ maxTanks: 2_001 });
  expect(await tryFile(2_001)).toBe(409);
  await update({ maxCustomers: 3, maxTanks: null });
  expect(await tryFile(2_001)).toBe(409);
  await update({ maxCustomers: 5 });
  expect((await manage.call(key, 'POST', '/customers/bulk', { body: lines(2) })).status).toBe(200);
  expect(await put('C')).toBe(409);
  await update({ maxCustomers: null });
  expect(await put('C')).toBe(201);
});

test('a dry run of a bulk is refused like the bulk, also for what its earlier transactions would store', async ({
  database,
  manage,
}) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  await givenCustomers(database.operator, organizationNo, [{ external_key: 'C-1' }]);
  // The first transaction has 500 lines.
  const limits = { maxCustomers: 511, maxTanks: 510, maxNotesPerDay: 510 };
  await transaction(database.operator, (tx) => updateOrganization(tx, organizationNo, limits));
  const note = { at: '2026-10-12T18:00:00Z', volume: 510, unit: 'liters', customer: 'C-1' };
  const lineOf = {
    customers: (n: number) => ({ ...CUSTOMER, external_key: `L${n}` }),
    tanks: (n: number) => ({ ...TANK, owner_external_key: 'C-1', custom_id: `T${n}` }),
    'delivery-notes': (n: number) => ({ ...note, number: `${n}` }),
  };
  for (const [objects, line] of Object.entries(lineOf)) {
    const put = async (count: number, query = '') => {
      const body = Array.from({ length: count }, (_, n) => JSON.stringify(line(n))).join('\n');
      return (await manage.call(key, 'POST', `/${objects}/bulk${query}`, { body })).status;
    };
    expect([objects, await put(511, '?dry_run=true')]).toEqual([objects, 409]);
    expect([objects, await put(510, '?dry_run=true'), await put(510), await put(511)]).toEqual([
      objects,
      200,
      200,
      409,
    ]);
  }
});

test('rounds and delivery notes are counted by day, and a dry run is not counted', async ({ database, manage }) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const { id: truck_id } = await givenTruck(database.owner, organizationNo, 'Truck 1');
  await givenCustomers(database.operator, organizationNo, [{ external_key: 'C-1' }]);
  await transaction(database.operator, (tx) =>
    updateOrganization(tx, organizationNo, { maxRoundsPerDay: 1, maxNotesPerDay: 2 }),
  );
  const note = { at: '2026-10-12T18:00:00Z', volume: 510, unit: 'liters', customer: 'C-1' };
  const putNote = async (number: number) =>
    (await manage.call(key, 'PUT', `/delivery-notes/-/${number}`, { body: note })).status;
  const addRound = async (query = '') =>
    (await manage.call(key, 'POST', `/rounds${query}`, { body: { date: '2026-10-12', truck_id } })).status;
  expect([await addRound('?dry_run=true'), await addRound(), await addRound()]).toEqual([201, 201, 409]);
  expect([await putNote(1), await putNote(2), await putNote(3), await putNote(2)]).toEqual([201, 201, 409, 200]);
  const body = [1, 4].map((number) => JSON.stringify({ ...note, number: String(number) })).join('\n');
  expect((await manage.call(key, 'POST', '/delivery-notes/bulk', { body })).json.code).toBe('quota_exceeded');
  // On the next day, both are allowed again.
  await database.owner.query(`update daily_uses set day = day - 1 where organization_no = $1`, [organizationNo]);
  expect([await addRound(), await putNote(3)]).toEqual([201, 201]);
  await database.worker.query('select delete_old_idempotency_keys()');
  const { rows } = await database.owner.query(
    `select what, n::int from daily_uses where organization_no = $1 and what <> 'answer_bytes' order by what`,
    [organizationNo],
  );
  expect(rows).toEqual([
    { what: 'delivery_notes', n: 1 },
    { what: 'rounds', n: 1 },
  ]);
});

test('the stored answers of a day are limited in bytes, and a change beyond the limit is refused', async ({
  database,
  manage,
}) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const add = () => manage.call(key, 'POST', '/customers', { body: CUSTOMER });
  expect((await add()).status).toBe(201);
  const { rows } = await database.owner.query<{ is_counted: boolean }>(
    `select n = (select sum(octet_length(answer)) from idempotency_keys where organization_no = u.organization_no) as is_counted
     from daily_uses u where organization_no = $1 and what = 'answer_bytes'`,
    [organizationNo],
  );
  expect(rows).toEqual([{ is_counted: true }]);
  await database.owner.query('update daily_uses set n = 512 * 1048576 - 100 where organization_no = $1', [
    organizationNo,
  ]);
  const refused = await add();
  expect([refused.status, refused.json.code]).toEqual([429, 'rate_limited']);
  expect(refused.json.detail).toContain('512 MiB');
  const { rowCount } = await database.owner.query('select from customers where organization_no = $1', [organizationNo]);
  expect(rowCount).toBe(1);
  // A PUT needs no key.
  expect((await manage.call(key, 'PUT', '/customers/external_key/A', { body: CUSTOMER })).status).toBe(201);
});
