import { expect } from 'vitest';
import { importFile } from '../../src/catalog/import_file.ts';
import { listImports } from '../../src/catalog/import_record.ts';
import type { RowOptions } from '../../src/catalog/import_row.ts';
import { CUSTOMER_IMPORT, TANK_IMPORT } from '../../src/catalog/import_targets.ts';
import { importUpload, type Upload } from '../../src/catalog/import_upload.ts';
import { usualDecimal } from '../../src/catalog/suggest_mapping.ts';
import { undoImport } from '../../src/catalog/undo_import.ts';
import { rolledBack, transaction } from '../../src/db/pool.ts';
import { sourceOf } from '../../src/values/byte_source.ts';
import { NO_EMAIL } from '../../src/values/no_email.ts';
import { describeRowError } from '../../src/values/row_error.ts';
import { deleteExpiredRows } from '../../src/worker/retention.ts';
import { givenCustomers, givenOrganization } from '../support/fleet.ts';
import { type TestDatabase, test } from '../support/test.ts';

interface TestImportOptions extends Partial<RowOptions> {
  isDryRun?: boolean;
  maxSpoolBytes?: number;
  batchRows?: number;
  /** Called between the first pass and the first transaction. */
  beforeStoring?: () => Promise<unknown>;
}

async function importText(
  { operator }: TestDatabase,
  organizationNo: number,
  what: 'customers' | 'tanks',
  text: string,
  { isDryRun = false, columns = {}, beforeStoring, ...rowOptions }: TestImportOptions = {},
) {
  const bad: string[] = [];
  const { importId, read, created, updated, unchanged } = await importFile(
    operator,
    sourceOf(text),
    { customers: CUSTOMER_IMPORT, tanks: TANK_IMPORT }[what],
    {
      organizationNo,
      columns,
      ...rowOptions,
      async change(work) {
        await beforeStoring?.();
        return (isDryRun ? rolledBack : transaction)(operator, work);
      },
      isDryRun,
      record: { what, fileName: `${what}.csv` },
      onBadRow: ({ line, errors }) => void bad.push(`${line} ${errors.map(describeRowError).join('; ')}`),
      onProgress: () => {},
    },
  );
  return { importId, counts: [read, created, updated, unchanged, bad.length], bad };
}

const undo = ({ operator }: TestDatabase, organizationNo: number, id: string | null, isDryRun = false) =>
  undoImport(operator, id ?? '', {
    organizationNo,
    change: (work) => (isDryRun ? rolledBack : transaction)(operator, work),
    isDryRun,
  });

const catalogOf = async ({ owner }: TestDatabase, organizationNo: number) =>
  (
    await owner.query<Record<string, unknown>>(
      `select c.external_key as key, c.name as customer, c.email, c.phone, c.is_verified, t.custom_id, t.name, t.capacity,
              t.capacity_unit as unit, t.min_fill_alert_percentage as threshold, t.street,
              regexp_replace(t.assigned_device_id, '[-].*', '') as device
       from customers c left join tanks t on t.owner_no = c.no and t.deleted_at is null
       where c.organization_no = $1 and c.deleted_at is null order by c.external_key, t.custom_id`,
      [organizationNo],
    )
  ).rows;

const SHEET = `Acct #,Name,Mail,Phone 1,Tank,Size (gal),Street
10,Ana,ana@example.com,1,A,500,Elm 1
10,Ana,,1,B,250,Elm 2
11,Inn,,2,A,1000,Pier 4
`;
const MAPPING: TestImportOptions = {
  columns: {
    owner: 'Acct #',
    customer_name: 'Name',
    customer_email: 'Mail',
    customer_phone: 'Phone 1',
    custom_id: 'Tank',
    capacity: 'Size (gal)',
    street: 'Street',
  },
  constants: {
    customer_email: NO_EMAIL,
    name: 'Tank',
    capacity_unit: 'gallons',
    min_fill_alert_percentage: '20',
    assigned_device_id: 'pending',
  },
};

test('one sheet creates customers and tanks, its repetition changes nothing, and undo keeps only rows changed since', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const tried = await importText(database, organizationNo, 'tanks', SHEET, { ...MAPPING, isDryRun: true });
  expect([tried.counts, tried.importId]).toEqual([[3, 3, 0, 0, 0], null]);
  const first = await importText(database, organizationNo, 'tanks', SHEET, MAPPING);
  expect(first.counts).toEqual([3, 3, 0, 0, 0]);
  const stored = await catalogOf(database, organizationNo);
  expect(stored).toMatchObject([
    {
      key: '10',
      customer: 'Ana',
      email: 'ana@example.com',
      phone: '1',
      custom_id: 'A',
      capacity: 500,
      unit: 'gallons',
    },
    { key: '10', custom_id: 'B', name: 'Tank', threshold: 20, device: 'pending' },
    { key: '11', customer: 'Inn', email: NO_EMAIL, custom_id: 'A' },
  ]);
  const again = await importText(database, organizationNo, 'tanks', SHEET, MAPPING);
  expect([again.counts, again.importId]).toEqual([[3, 0, 0, 3, 0], null]);

  // A constant does not overwrite a value that a person entered where the file has none, also not at the next import.
  await database.owner.query(
    `update customers set email = 'inn@example.com' where organization_no = $1 and external_key = '11'`,
    [organizationNo],
  );
  await database.owner.query(
    `update tanks set min_fill_alert_percentage = 35, assigned_device_id = 'GAUGE' where organization_no = $1 and custom_id = 'B'`,
    [organizationNo],
  );
  expect((await importText(database, organizationNo, 'tanks', SHEET, MAPPING)).counts).toEqual([3, 0, 0, 3, 0]);

  // A new phone of a customer with two tanks changes one row. An unreadable size refuses only its own row.
  const changed = SHEET.replaceAll('Ana,,1', 'Ana,,5').replace('com,1,A', 'com,5,A').replace('1000', '5OO');
  const second = await importText(database, organizationNo, 'tanks', changed, MAPPING);
  expect(second.counts).toEqual([3, 0, 1, 1, 1]);
  expect(second.bad).toEqual(["4 capacity: '5OO' must be a number from 0.001 to 1,000,000,000"]);
  expect(await undo(database, organizationNo, second.importId)).toEqual({
    deleted: 0,
    restored: 1,
    kept: 0,
    kept_rows: [],
  });
  expect(await catalogOf(database, organizationNo)).toMatchObject([
    { phone: '1' },
    { phone: '1', threshold: 35 },
    { phone: '2' },
  ]);

  // Undo keeps the tank and the customer that people changed since the first import, and the customer whose phone the second import
  // changed.
  const before = await undo(database, organizationNo, first.importId, true);
  const undone = await undo(database, organizationNo, first.importId);
  expect(undone).toEqual(before);
  expect(undone).toMatchObject({ deleted: 2, restored: 0, kept: 3 });
  expect(undone.kept_rows.map(({ object, because }) => `${object} ${because}`)).toEqual([
    'tank changed_since',
    'customer changed_since',
    'customer changed_since',
  ]);
  expect(await catalogOf(database, organizationNo)).toMatchObject([
    { key: '10', custom_id: 'B' },
    { key: '11', custom_id: null },
  ]);
  await expect(undo(database, organizationNo, first.importId)).rejects.toThrow('was undone already');
});

test('a row without a phone keeps the phone that another row of the same customer has', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const sheet = SHEET.replace('10,Ana,,1,B', '10,Ana,,,B');
  expect((await importText(database, organizationNo, 'tanks', sheet, MAPPING)).counts).toEqual([3, 3, 0, 0, 0]);
  expect((await catalogOf(database, organizationNo))[0]).toMatchObject({ key: '10', phone: '1' });
  expect((await importText(database, organizationNo, 'tanks', sheet, MAPPING)).counts).toEqual([3, 0, 0, 3, 0]);
});

test('undo keeps new tanks with readings or deliveries and their customers, and lists them with the reason', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const { importId } = await importText(database, organizationNo, 'tanks', SHEET, MAPPING);
  await database.owner.query(
    `insert into tank_states (tank_no, latest_at, latest_fill_percentage)
     select no, now(), 50 from tanks where organization_no = $1 and custom_id = 'B'`,
    [organizationNo],
  );
  await database.owner.query(
    `insert into delivery_notes (id, organization_no, series, number, customer_no, tank_no, at, precision, volume, unit, source)
     select gen_random_uuid(), $1, '', 'N1', owner_no, no, now(), 'minute', 100, 'liters', 'api'
     from tanks where organization_no = $1 and capacity = 1000`,
    [organizationNo],
  );
  const undone = await undo(database, organizationNo, importId);
  expect(undone).toMatchObject({ deleted: 1, restored: 0, kept: 4 });
  expect(undone.kept_rows.map(({ name, because }) => `${name}: ${because}`)).toEqual([
    'Tank B: has_readings',
    'Tank A: has_deliveries',
    'Ana: owns_tanks',
    'Inn: owns_tanks',
  ]);
});

test('undo keeps new tanks with notes, mutes or changed settings', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const sheet = `${SHEET}12,Bo,,3,A,500,Elm 9\n`;
  const { importId } = await importText(database, organizationNo, 'tanks', sheet, MAPPING);
  const tankOf = `select no from tanks where organization_no = $1 and street`;
  await database.owner.query(
    `insert into tank_notes (id, organization_no, tank_no, text, prints) values (gen_random_uuid(), $1, (${tankOf} = 'Elm 1'), 'Dog', false)`,
    [organizationNo],
  );
  await database.owner.query(
    `insert into mutes (id, organization_no, tank_no, until, reason)
     values (gen_random_uuid(), $1, (${tankOf} = 'Elm 2'), now() + interval '1 day', 'Works')`,
    [organizationNo],
  );
  await database.owner.query(
    `update tanks set min_fill_alert_percentage = 30 where organization_no = $1 and street = 'Pier 4'`,
    [organizationNo],
  );
  const undone = await undo(database, organizationNo, importId);
  expect(undone).toMatchObject({ deleted: 2, restored: 0, kept: 5 });
  expect(undone.kept_rows.map(({ object, because }) => `${object} ${because}`).toSorted()).toEqual([
    'customer owns_tanks',
    'customer owns_tanks',
    'tank changed_since',
    'tank changed_since',
    'tank changed_since',
  ]);
  expect((await catalogOf(database, organizationNo)).map(({ street }) => street)).toEqual(['Elm 1', 'Elm 2', 'Pier 4']);
});

test('undo does not touch customers and tanks of another organization, even if the record of the import contains them', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const { importId } = await importText(database, organizationNo, 'tanks', SHEET, MAPPING);
  const strangersNo = await givenOrganization(database.operator);
  await importText(database, strangersNo, 'tanks', SHEET, MAPPING);
  await database.owner.query(
    `insert into imported_rows (import_no, object, object_no, before, after)
     select (select no from imports where id = $1), 'tank', no, '{"name": "Forged"}'::jsonb, '{}'::jsonb from tanks where organization_no = $2
     union all select (select no from imports where id = $1), 'customer', no, '{"name": "Forged"}', '{}' from customers where organization_no = $2`,
    [importId, strangersNo],
  );
  expect(await undo(database, organizationNo, importId)).toMatchObject({ deleted: 5, restored: 0, kept: 0 });
  expect(await catalogOf(database, strangersNo)).toMatchObject([
    { name: 'Tank' },
    { name: 'Tank' },
    { customer: 'Inn' },
  ]);
});

test('rows of an old sheet that would undo a replacement of a device are refused, and its other rows are applied', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const sheet = (devices: readonly string[]): string =>
    `owner,customer_name,customer_email,custom_id,name,assigned_device_id,capacity,capacity_unit,min_fill_alert_percentage\n${devices
      .map((device, index) => `1,Ana,a@example.com,${index},Tank ${index},${device},500,liters,20\n`)
      .join('')}`;
  const old = sheet(['OLD', 'manual', 'SAME', 'OTHER']);
  expect((await importText(database, organizationNo, 'tanks', old)).counts).toEqual([4, 4, 0, 0, 0]);
  for (const [customId, device] of [
    ['0', 'NEW'],
    ['1', 'SENSOR'],
  ])
    await database.owner.query(
      'update tanks set assigned_device_id = $3 where organization_no = $1 and custom_id = $2',
      [organizationNo, customId, device],
    );
  const { counts, bad } = await importText(database, organizationNo, 'tanks', old.replace('OTHER', 'FIRST'));
  expect(counts).toEqual([4, 0, 1, 1, 2]);
  expect(bad).toEqual([
    "2 assigned_device_id: 'OLD' was replaced on this tank by NEW; the file is older",
    "3 assigned_device_id: 'manual' was replaced on this tank by SENSOR; the file is older",
  ]);
  const { rows } = await database.owner.query<{ device: string }>(
    'select assigned_device_id as device from tanks where organization_no = $1 order by custom_id',
    [organizationNo],
  );
  expect(rows.map(({ device }) => device)).toEqual(['NEW', 'SENSOR', 'SAME', 'FIRST']);
});

test('a file does not store what another change has made wrong since the file was checked', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  await importText(database, organizationNo, 'customers', 'external_key,email,name\n1,a@example.com,Ana\n');
  const file = (capacity: number): string =>
    `owner,custom_id,name,assigned_device_id,capacity,capacity_unit,min_fill_alert_percentage\n1,A,House,D,${capacity},liters,20\n`;
  await importText(database, organizationNo, 'tanks', file(500));
  for (const [change, problem] of [
    ["assigned_device_id = 'NEW'", 'was replaced on this tank by NEW'],
    ['order_threshold_percentage = 10', 'must be below the order threshold'],
  ] as const) {
    const beforeStoring = () =>
      database.owner.query(`update tanks set ${change} where organization_no = $1`, [organizationNo]);
    await expect(importText(database, organizationNo, 'tanks', file(600), { beforeStoring })).rejects.toThrow(problem);
    await database.owner.query(`update tanks set assigned_device_id = 'D' where organization_no = $1`, [
      organizationNo,
    ]);
  }
  expect(await catalogOf(database, organizationNo)).toMatchObject([{ capacity: 500, device: 'D' }]);
});

test('undo restores only the fields that the import changed, and fields that depend on them, such as is_verified', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const file = (email: string, name: string): string =>
    `external_key,email,name\n1,${email},${name}\n2,b@example.com,Bea\n`;
  await importText(database, organizationNo, 'customers', file('a@example.com', 'Ana'));
  await database.owner.query(
    `update customers set is_verified = true, verified_at = now() where organization_no = $1`,
    [organizationNo],
  );
  const { importId, counts } = await importText(
    database,
    organizationNo,
    'customers',
    file('other@example.com', 'Ana López'),
  );
  expect(counts).toEqual([2, 0, 1, 1, 0]);
  await database.owner.query(`update customers set phone = '7' where organization_no = $1`, [organizationNo]);
  expect(await undo(database, organizationNo, importId)).toMatchObject({ restored: 1, kept: 0 });
  expect(await catalogOf(database, organizationNo)).toMatchObject([
    { email: 'a@example.com', customer: 'Ana', is_verified: true, phone: '7' },
    { email: 'b@example.com', is_verified: true, phone: '7' },
  ]);
});

test('undo keeps an address that was verified, a phone that got a name, and a threshold beside which another changed, since the import', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const customers = (changed: string): string =>
    `external_key,email,name,phone\n${[1, 2, 3].map((n) => `${n},${changed}${n}@example.com,Ana,+1${changed.length}${n}\n`).join('')}`;
  await importText(database, organizationNo, 'customers', customers('a'));
  const { importId, counts } = await importText(database, organizationNo, 'customers', customers('bb'));
  expect(counts).toEqual([3, 0, 3, 0, 0]);
  await database.owner.query(
    `update customers set is_verified = external_key = '1', verified_at = case external_key when '1' then now() end,
       phone_whose = case external_key when '2' then 'Ana at work' end where organization_no = $1`,
    [organizationNo],
  );
  expect(await undo(database, organizationNo, importId)).toMatchObject({
    restored: 1,
    kept: 2,
    kept_rows: [{ because: 'changed_since' }, { because: 'changed_since' }],
  });
  expect(await catalogOf(database, organizationNo)).toMatchObject([
    { email: 'bb1@example.com', is_verified: true },
    { email: 'bb2@example.com', phone: '+122' },
    { email: 'a3@example.com', phone: '+113' },
  ]);

  const tanks = (order: number): string =>
    `owner,custom_id,name,assigned_device_id,capacity,capacity_unit,min_fill_alert_percentage,order_threshold_percentage\n3,A,House,D,500,liters,20,${order}\n`;
  await importText(database, organizationNo, 'tanks', tanks(30));
  const { importId: ofTanks } = await importText(database, organizationNo, 'tanks', tanks(50));
  await database.owner.query('update tanks set min_fill_alert_percentage = 40 where organization_no = $1', [
    organizationNo,
  ]);
  expect(await undo(database, organizationNo, ofTanks)).toMatchObject({
    restored: 0,
    kept_rows: [{ because: 'changed_since' }],
  });
});

test('undo restores a customer whom several batches of the import changed, and deletes one whom they created', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  await importText(database, organizationNo, 'customers', 'external_key,email,name,phone\n1,a@example.com,Ana,1\n');
  await database.owner.query(
    'update customers set is_verified = true, verified_at = now() where organization_no = $1',
    [organizationNo],
  );
  const head =
    'owner,customer_name,customer_email,customer_phone,custom_id,name,assigned_device_id,capacity,capacity_unit,min_fill_alert_percentage\n';
  const row = (owner: number, address: string, phone: string, tank: string): string =>
    `${owner},Eva,${address},${phone},${tank},Tank,D${owner}${tank},500,liters,20\n`;
  const first = row(1, '', '', 'A') + row(2, 'e@example.com', '', 'A');
  const second = row(1, 'other@example.com', '5', 'B') + row(2, 'e@example.com', '7', 'B');
  const { importId, counts, bad } = await importText(database, organizationNo, 'tanks', head + first + second, {
    batchRows: 2,
    constants: { customer_email: NO_EMAIL },
  });
  expect([counts, bad]).toEqual([[4, 4, 0, 0, 0], []]);
  expect(await catalogOf(database, organizationNo)).toMatchObject([
    { customer: 'Eva', email: 'other@example.com', phone: '5', is_verified: false },
    {},
    { customer: 'Eva', phone: '7' },
    {},
  ]);
  expect(await undo(database, organizationNo, importId)).toMatchObject({ deleted: 5, restored: 1, kept: 0 });
  expect(await catalogOf(database, organizationNo)).toMatchObject([
    { customer: 'Ana', email: 'a@example.com', phone: '1', is_verified: true, custom_id: null },
  ]);
});

test('undo keeps new tanks and customers of which anything was changed, also a gauge, a threshold or an own number', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const changes = [
    'order_threshold_percentage = 40',
    'is_batch_tank = true',
    'is_mobile = true',
    'report_interval_hours = 6',
    "product = 'propane'",
    'fill_limit_percentage = 85',
    "external_key = 'T-1'",
  ];
  const count = changes.length + 2;
  const rows = Array.from({ length: count }, (_, n) => `1,Ana,a@example.com,1,${n},500,Elm ${n}\n`).join('');
  const sheet = `${SHEET.split('\n')[0]}\n${rows}2,Bo,b@example.com,2,0,500,Elm 99\n`;
  const { importId } = await importText(database, organizationNo, 'tanks', sheet, MAPPING);
  for (const [n, change] of changes.entries())
    await database.owner.query(`update tanks set ${change} where organization_no = $1 and street = $2`, [
      organizationNo,
      `Elm ${n}`,
    ]);
  await database.owner.query(
    `insert into tank_gauges (organization_no, tank_no, definition)
     select $1, no, '{"measure": "percent"}' from tanks where organization_no = $1 and street = $2`,
    [organizationNo, `Elm ${changes.length}`],
  );
  await database.owner.query(
    `update customers set external_key = '22' where organization_no = $1 and external_key = '2'`,
    [organizationNo],
  );
  const undone = await undo(database, organizationNo, importId);
  expect(undone.kept_rows.map(({ object, name, because }) => `${object} ${name} ${because}`)).toEqual([
    ...Array.from({ length: count - 1 }, (_, n) => `tank Tank ${n} changed_since`),
    'customer Ana owns_tanks',
    'customer Bo changed_since',
  ]);
  expect(undone.deleted).toBe(2);
});

test('an undo that was interrupted continues, and does not list what it has restored', async ({ database }) => {
  const { operator } = database;
  const organizationNo = await givenOrganization(operator);
  const file = (name: string, count: number): string =>
    `external_key,email,name\n${Array.from({ length: count }, (_, n) => `${n},a@example.com,${name}\n`).join('')}`;
  await importText(database, organizationNo, 'customers', file('Ana', 600));
  const { importId } = await importText(database, organizationNo, 'customers', file('Eva', 700));
  let transactions = 0;
  const interrupted = undoImport(operator, importId ?? '', {
    organizationNo,
    change(work) {
      // The first transaction finds no tanks.
      if (++transactions === 3) throw new Error('killed');
      return transaction(operator, work);
    },
  });
  await expect(interrupted).rejects.toThrow('killed');
  expect(await undo(database, organizationNo, importId)).toEqual({
    deleted: 100,
    restored: 100,
    kept: 0,
    kept_rows: [],
  });
  expect(new Set((await catalogOf(database, organizationNo)).map(({ customer }) => customer))).toEqual(
    new Set(['Ana']),
  );
});

test('of two undos at the same time, one takes everything back and the other is refused', async ({ database }) => {
  const { operator } = database;
  const organizationNo = await givenOrganization(operator);
  const { importId } = await importText(database, organizationNo, 'tanks', SHEET, MAPPING);
  let first: ReturnType<typeof undo> | undefined;
  const second = undoImport(operator, importId ?? '', {
    organizationNo,
    async change(work) {
      await (first ??= undo(database, organizationNo, importId));
      return transaction(operator, work);
    },
  });
  await expect(second).rejects.toThrow('was undone already');
  expect(await first).toMatchObject({ deleted: 5 });
});

test('undo restores the external_key of tanks, and keeps a tank whose earlier key another tank has now', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const file = (numbers: readonly string[]): string =>
    `owner,customer_name,customer_email,custom_id,name,assigned_device_id,capacity,capacity_unit,min_fill_alert_percentage,external_key\n${numbers
      .map((number, index) => `1,Ana,a@example.com,${index},Tank ${index},D-${index},500,liters,20,${number}\n`)
      .join('')}`;
  await importText(database, organizationNo, 'tanks', file(['N-0', 'N-1', '', 'N-3']));
  const changed = await importText(database, organizationNo, 'tanks', file(['N-7', 'N-8', 'N-9', 'N-3']));
  expect(changed.counts).toEqual([4, 0, 3, 1, 0]);
  await database.owner.query(
    `update tanks set external_key = 'N-1' where organization_no = $1 and external_key = 'N-3'`,
    [organizationNo],
  );
  const undone = await undo(database, organizationNo, changed.importId);
  expect(undone).toMatchObject({ restored: 2, kept: 1, kept_rows: [{ because: 'external_key_taken' }] });
  const { rows } = await database.owner.query<{ key: string | null }>(
    'select external_key as key from tanks where organization_no = $1 order by custom_id',
    [organizationNo],
  );
  expect(rows.map(({ key }) => key)).toEqual(['N-0', 'N-8', null, 'N-1']);
});

test('a tank without an external_key is not confused with a tank whose key is "null" or "undefined"', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const head =
    'owner,customer_name,customer_email,custom_id,name,assigned_device_id,capacity,capacity_unit,min_fill_alert_percentage';
  const row = (index: number): string => `1,Ana,a@example.com,${index},Tank ${index},D-${index},500,liters,20`;
  const numbered = `${head},external_key\n${row(0)},null\n${row(1)},undefined\n`;
  await importText(database, organizationNo, 'tanks', numbered);
  const { bad } = await importText(database, organizationNo, 'tanks', `${numbered}${row(2)},\n`);
  expect(bad).toEqual([]);
});

test('a file whose values are too long in total is refused before anything is stored', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  await expect(
    importText(database, organizationNo, 'tanks', SHEET, { ...MAPPING, maxSpoolBytes: 500 }),
  ).rejects.toThrow('too long together');
  expect(await catalogOf(database, organizationNo)).toEqual([]);
});

test('files with cells and headings of 60,000 characters take less than a second of CPU time', async ({ database }) => {
  const { operator } = database;
  const organizationNo = await givenOrganization(operator);
  const n = 60_000;
  const texts = [
    `1${' '.repeat(n)}!`,
    `11${' '.repeat(n)}!`,
    'a'.repeat(n),
    `a${'-'.repeat(n)}b`,
    `a${'\u0301'.repeat(n / 2)}${'\u0316'.repeat(n / 2)}`,
  ];
  const tryFile = (lines: readonly string[], upload: Partial<Upload> = {}) =>
    importUpload(
      operator,
      { bytes: Buffer.from(lines.join('\n')), fileName: 'tanks.csv', ...upload },
      { organizationNo, isDryRun: true, change: (work) => rolledBack(operator, work), async onStored() {} },
    );
  const before = process.threadCpuUsage();
  // The texts are cells of columns whose meaning is suggested.
  const cells = texts.flatMap((text) => [`${text},Ana,500`, `10,${text},500`, `10,Ana,${text}`]);
  expect((await tryFile(['Acct #,Name,Size (gal)', ...cells])).missing).toContain('custom_id');
  // The texts are cells of a mapped column with a number and its unit.
  const { columns, constants } = MAPPING;
  const mapping = { columns: { ...columns, capacity_unit: 'Size (gal)' }, constants: { ...constants } };
  const rows = texts.map((text) => `10,Ana,,1,A,"${text}",Elm 1`);
  const mapped = await tryFile([SHEET.split('\n')[0] ?? '', ...rows], { what: 'tanks', mapping });
  expect(mapped.counts).toMatchObject({ rows: texts.length, refused: texts.length });
  // The texts are possible headings, beside headings of 200 columns.
  const headings = Array.from({ length: 200 }, (_, index) => `Something else ${index}`).join();
  for (const what of ['customers', 'tanks'] as const)
    expect((await tryFile([headings, ...texts, ...Array<string>(9).fill(headings)], { what })).missing).not.toEqual([]);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(1);
});

test('a size with letters for digits is refused as a wrong number with a proposal, not as a wrong unit', async ({
  database,
}) => {
  const { operator } = database;
  const organizationNo = await givenOrganization(operator);
  const { columns, constants } = MAPPING;
  const mapping = { columns: { ...columns, capacity_unit: 'Size (gal)' }, constants: { ...constants } };
  const rows = ['500 gal', '5OO'].map((size, index) => `10,Ana,,${index},A,${size},Elm 1`);
  const { counts, refused_rows: refused } = await importUpload(
    operator,
    {
      bytes: Buffer.from([SHEET.split('\n')[0] ?? '', ...rows].join('\n')),
      fileName: 'tanks.csv',
      what: 'tanks',
      mapping,
    },
    { organizationNo, isDryRun: true, change: (work) => rolledBack(operator, work), async onStored() {} },
  );
  expect(counts).toMatchObject({ rows: 2, refused: 1 });
  expect(refused[0]?.errors[0]).toMatchObject({ field: 'capacity', proposal: '500' });
});

test('the numbers of a file show its decimal mark', () => {
  for (const [cells, mark] of [
    [['0.845', '1.234'], 'point'],
    [['0,845'], 'comma'],
    [['1234.567'], 'point'],
    [['1234,567 L'], 'comma'],
    [['1.234.567'], 'comma'],
    [['1,234.567'], 'point'],
    [['1.2345'], 'point'],
    [['1.234'], undefined],
    [['0.5', '0,5'], undefined],
  ] as const)
    expect([cells, usualDecimal([cells])]).toEqual([cells, mark]);
});

test('rows that contradict an earlier row of the same customer are refused', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const { bad, counts } = await importText(
    database,
    organizationNo,
    'tanks',
    SHEET.replace('10,Ana,,1,B', '10,Anna,,1,B').replace('11,Inn,,2,A', '10,Ana,,1,A'),
    MAPPING,
  );
  expect(counts).toEqual([3, 1, 0, 0, 2]);
  expect(bad).toEqual([
    "3 customer_name: 'Anna' differs from an earlier line of the same customer",
    '4 the row repeats the owner and custom_id of an earlier line',
  ]);
});

test('a new customer whose external key is the internal number of another one is not that customer', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const [{ no }] = await givenCustomers(database.operator, organizationNo, [{ external_key: '10' }]);
  const sheet = SHEET.replace('11,Inn', `${no},Inn`).replace('10,Ana,,1,B', '10,Ana,,1,A2');
  const { bad } = await importText(database, organizationNo, 'tanks', sheet, MAPPING);
  expect(bad).toEqual([]);
});

test('the record of an imported row is deleted with its tank and after 7 days, and only its organization can undo the import', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const { importId } = await importText(database, organizationNo, 'tanks', SHEET, MAPPING);
  const countRecords = async () =>
    (
      await database.owner.query<{ n: number }>(
        `select count(*) as n from imported_rows r join imports i on i.no = r.import_no where i.organization_no = $1`,
        [organizationNo],
      )
    ).rows[0]?.n;
  expect(await countRecords()).toBe(5);
  await database.owner.query(
    `update tanks set deleted_at = now(), assigned_device_id = null, custom_id = null, name = null, street = null
     where organization_no = $1 and custom_id = 'B'`,
    [organizationNo],
  );
  expect(await countRecords()).toBe(4);
  const strangersNo = await givenOrganization(database.operator);
  await expect(undo(database, strangersNo, importId)).rejects.toThrow('there is no such import');
  await database.owner.query(`update imports set created_at = now() - interval '8 days' where organization_no = $1`, [
    organizationNo,
  ]);
  await expect(undo(database, organizationNo, importId)).rejects.toThrow('can be undone for 7 days');
  const days = { rejectedDays: 0, deliveryDays: 0, mailDays: 0, auditDays: 0, eventDays: 0, keyActivityDays: 0 };
  await deleteExpiredRows(database.worker, { ...days, telemetryDays: 0, archiveFolder: '' });
  expect(await countRecords()).toBe(0);
  expect(await listImports(database.operator, organizationNo, { limit: 10 })).toMatchObject([
    { what: 'tanks', file_name: 'tanks.csv', rows: 3, created: 3, undo_until: null, undone_at: null },
  ]);
});

test('new tanks are numbered in the order of their rows, whatever the plan', async ({ database }) => {
  const { operator, owner } = database;
  const organizationNo = await givenOrganization(operator);
  const customers = await givenCustomers(
    operator,
    organizationNo,
    Array.from({ length: 300 }, () => ({})),
  );
  await owner.query('analyze customers');
  const rows = customers.toReversed().map(({ id }, row) => `${id},T-${row},House,500,liters,20`);
  const heading = 'owner,custom_id,name,capacity,capacity_unit,min_fill_alert_percentage';
  await importText(database, organizationNo, 'tanks', [heading, ...rows].join('\n'), {
    constants: { assigned_device_id: 'pending' },
  });
  const { rows: tanks } = await owner.query<{ custom_id: string }>(
    'select custom_id from tanks where organization_no = $1 order by no',
    [organizationNo],
  );
  expect(tanks.map(({ custom_id }) => custom_id)).toEqual(rows.map((_, row) => `T-${row}`));
});
