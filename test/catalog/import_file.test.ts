import { expect } from 'vitest';
import { listTanksOperation } from '../../src/api/v1/tanks.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { revokeDevice, rotateDevice } from '../../src/catalog/devices.ts';
import { exportCsv } from '../../src/catalog/export_csv.ts';
import { type ImportResult, importFile } from '../../src/catalog/import_file.ts';
import type { ImportTarget } from '../../src/catalog/import_row.ts';
import { CUSTOMER_IMPORT, TANK_IMPORT } from '../../src/catalog/import_targets.ts';
import { rolledBack, transaction } from '../../src/db/pool.ts';
import { addContact } from '../../src/mail/contacts.ts';
import type { ByteSource } from '../../src/values/byte_source.ts';
import { describeRowError } from '../../src/values/row_error.ts';
import { givenOrganization } from '../support/fleet.ts';
import { askList } from '../support/lists.ts';
import { givenFleet } from '../support/readings.ts';
import { type TestDatabase, test } from '../support/test.ts';
import { isThorough } from '../support/whole_tests.ts';

interface Imported extends ImportResult {
  badRows: Map<number, string>;
}

const piped = (texts: Iterable<string>): ByteSource => ({
  name: 'a pipe',
  isRepeatable: false,
  async *chunks() {
    for (const text of texts) yield Buffer.from(text);
  },
});

async function importText(
  database: TestDatabase,
  organizationNo: number,
  kind: ImportTarget,
  text: string | Iterable<string>,
  columns: Record<string, string> = {},
  isDryRun = false,
): Promise<Imported> {
  const badRows = new Map<number, string>();
  const result = await importFile(database.operator, piped(typeof text === 'string' ? [text] : text), kind, {
    organizationNo,
    columns,
    change: (work) => (isDryRun ? rolledBack : transaction)(database.operator, work),
    isDryRun,
    onBadRow: ({ line, errors }) => void badRows.set(line, errors.map(describeRowError).join('; ')),
    onProgress: () => {},
  });
  return { ...result, badRows };
}

const givenOwners = async (database: TestDatabase, organizationNo: number, owners: number): Promise<void> => {
  const rows = Array.from({ length: owners }, (_, n) => `C-${n},c${n}@example.com,Customer ${n}`);
  await importText(database, organizationNo, CUSTOMER_IMPORT, `external_key,email,name\n${rows.join('\n')}\n`);
};

const TANK_HEADER = 'owner,custom_id,name,assigned_device_id,capacity,capacity_unit,min_fill_alert_percentage,city\n';

const ROWS = isThorough() ? 30_000 : 3_000;

test(`of ${ROWS} tanks with 1 % bad rows the good ones are imported and the bad ones reported, and a repetition changes nothing`, async ({
  database,
  readers,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  await givenOwners(database, organizationNo, 2_000);
  const faults = [
    (n: number) => `C-x,t${n},Tank,D${n},500,liters,20,`,
    (n: number) => `C-1,t${n},Tank,D${n},-5,liters,20,`,
    (n: number) => `C-1,t${n},Tank,D${n},500,barrels,20,`,
    (n: number) => `C-1,t${n},,D${n},500,liters,20,`,
    (n: number) => `C-1,t${n},Tank,D${n},500,liters,101,`,
    (n: number) => `C-1,t${n},Tank,D1,500,liters,20,`,
    (n: number) => `C-1,t${n},Tank,D${n},500,liters`,
  ];
  const line = (n: number): string => {
    const fault = n % 100 === 99 ? faults[Math.floor(n / 100) % faults.length] : undefined;
    return `${fault?.(n) ?? `C-${n % 2_000},t${n},Tank ${n},D${n},500,liters,20,"Puebla, centro"`}\n`;
  };
  const file = function* (): Generator<string> {
    yield TANK_HEADER;
    for (let n = 0; n < ROWS; n++) yield line(n);
  };

  const [good, bad] = [0.99 * ROWS, 0.01 * ROWS];
  const first = await importText(database, organizationNo, TANK_IMPORT, file());
  expect(first).toMatchObject({ read: ROWS, created: good, updated: 0, unchanged: 0, bad });
  expect([...first.badRows.keys()]).toEqual(Array.from({ length: bad }, (_, n) => n * 100 + 99 + 2)); // line 1 is the header
  const reasons = [...first.badRows.values()].slice(0, 7);
  expect(reasons).toEqual([
    "owner: 'C-x' is not the external_key or id of a customer",
    "capacity: '-5' must be a number from 0.001 to 1,000,000,000",
    "capacity_unit: 'barrels' is not known",
    'name: must not be empty',
    "min_fill_alert_percentage: '101' must be a whole number from 0 to 100",
    'the row repeats the assigned_device_id of an earlier line',
    'the row has 6 columns where the header has 8',
  ]);
  expect((await askList(readers, listTanksOperation, { organizationNo }, `size=1&page=${good}`)).total_items).toBe(
    good,
  );

  const audited = await database.owner.query<{ n: number }>('select count(*) as n from audit_log');
  const second = await importText(database, organizationNo, TANK_IMPORT, file());
  expect(second).toMatchObject({ created: 0, updated: 0, unchanged: good, bad });
  const auditedAgain = await database.owner.query<{ n: number }>('select count(*) as n from audit_log');
  expect(auditedAgain.rows).toEqual(audited.rows);
});

test('columns with other names are mapped, unknown columns are reported, and a file without a required column is refused', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const text = 'Kunde,Mail,Bezeichnung,Farbe\nK1,a@example.com,Ana,rot\n';
  await expect(importText(database, organizationNo, CUSTOMER_IMPORT, text)).rejects.toThrow(
    /no column external_key, email, name. Its columns are Kunde, Mail, Bezeichnung, Farbe/,
  );
  const columns = { external_key: 'Kunde', email: 'Mail', name: 'Bezeichnung' };
  const result = await importText(database, organizationNo, CUSTOMER_IMPORT, text, columns);
  expect(result).toMatchObject({ created: 1, ignored: ['Farbe'] });
});

test('a column of levels without times is ignored and reported, and refused if it is named in the mapping', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  await importText(database, organizationNo, CUSTOMER_IMPORT, 'external_key,email,name\nK1,a@example.com,Ana\n');
  const header = 'owner,custom_id,name,assigned_device_id,capacity,capacity_unit,min_fill_alert_percentage';
  const text = `${header},fill_percentage\nK1,1,Tank,manual,500,liters,20,40\n`;
  const result = await importText(database, organizationNo, TANK_IMPORT, text);
  expect(result).toMatchObject({ created: 1, bad: 0, ignored: ['fill_percentage'] });
  const named = importText(database, organizationNo, TANK_IMPORT, text, { fill_percentage: 'fill_percentage' });
  await expect(named).rejects.toThrow('the file has no column measured_at');
});

test('an update changes the columns of the file and no others; a dry run changes nothing', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const phones = 'external_key,email,name,phone\nK1,a@example.com,Ana,111\nK2,b@example.com,Ben,222\n';
  await importText(database, organizationNo, CUSTOMER_IMPORT, phones);
  const renamed = 'external_key,email,name\nK1,a@example.com,Anna\nK2,b@example.com,Ben\n';
  expect(await importText(database, organizationNo, CUSTOMER_IMPORT, renamed, {}, true)).toMatchObject({
    read: 2,
    updated: 1,
  });
  expect(await importText(database, organizationNo, CUSTOMER_IMPORT, renamed)).toMatchObject({
    updated: 1,
    unchanged: 1,
  });
  const { rows } = await database.owner.query(
    'select name, phone from customers where organization_no = $1 order by external_key',
    [organizationNo],
  );
  expect(rows).toEqual([
    { name: 'Anna', phone: '111' },
    { name: 'Ben', phone: '222' },
  ]);
});

test('import reads the files of export, with quotes, commas, line breaks and empty values', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const copyNo = await givenOrganization(database.operator);
  const odd = 'external_key,email,name,phone\nK1,a@example.com,"O\'Hara, ""Bob""\nand sons",\n';
  await importText(database, organizationNo, CUSTOMER_IMPORT, odd);
  await importText(database, organizationNo, TANK_IMPORT, `${TANK_HEADER}K1,t1,"Tank ""A""",D1,12.5,gallons,0,\n`);
  for (const [name, target] of [
    ['customers', CUSTOMER_IMPORT],
    ['tanks', TANK_IMPORT],
  ] as const) {
    const exported = await Array.fromAsync(exportCsv(database.operator, organizationNo, name));
    expect(await importText(database, copyNo, target, exported)).toMatchObject({ created: 1, bad: 0 });
    const again = await Array.fromAsync(exportCsv(database.operator, copyNo, name));
    const withoutIds = (text: string): string => text.replace(/^[0-9a-f-]{36},/gm, '');
    expect(withoutIds(again.join(''))).toBe(withoutIds(exported.join('')));
  }
});

/** The last internal number that each table has given out. */
async function lastNumbers({ owner }: TestDatabase): Promise<Record<string, number>> {
  const { rows } = await owner.query<{ name: string; last: number }>(
    `select name, coalesce(pg_sequence_last_value(pg_get_serial_sequence(name, 'no')::regclass), 0) as last
     from unnest(array['customers', 'tanks', 'device_credentials', 'contacts']) as name`,
  );
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

test('an import takes internal numbers for the rows that it creates, and a dry run takes none', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const customers = (n: number): string =>
    `external_key,email,name\n${Array.from({ length: n }, (_, k) => `C-${k},c${k}@example.com,Ana\n`).join('')}`;
  const tanks = (n: number, name = 'Tank'): string =>
    `${TANK_HEADER}${Array.from({ length: n }, (_, k) => `C-${k},t,${name},N${k},500,liters,20,\n`).join('')}`;
  const before = await lastNumbers(database);
  const dryRun = (kind: ImportTarget, text: string) => importText(database, organizationNo, kind, text, {}, true);
  expect(await dryRun(CUSTOMER_IMPORT, customers(30))).toMatchObject({ created: 30, updated: 0 });
  expect(await lastNumbers(database)).toEqual(before);
  await importText(database, organizationNo, CUSTOMER_IMPORT, customers(30));
  expect(await dryRun(TANK_IMPORT, tanks(20))).toMatchObject({ created: 20 });
  await importText(database, organizationNo, TANK_IMPORT, tanks(20));

  // The same files again, then changed and new rows, then a dry run with more rows.
  await importText(database, organizationNo, CUSTOMER_IMPORT, customers(30));
  await importText(database, organizationNo, TANK_IMPORT, tanks(20));
  expect(await importText(database, organizationNo, TANK_IMPORT, tanks(22, 'Big'))).toMatchObject({
    created: 2,
    updated: 20,
  });
  expect(await dryRun(TANK_IMPORT, tanks(25))).toMatchObject({ created: 3, updated: 22 });
  expect(await lastNumbers(database)).toEqual({
    ...before,
    customers: (before['customers'] ?? 0) + 30,
    tanks: (before['tanks'] ?? 0) + 22,
  });
});

test('two imports of the same rows at the same time create each row once', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const before = await lastNumbers(database);
  const rows = Array.from({ length: 11_000 }, (_, n) => `C-${n},c${n}@example.com,Customer ${n}\n`);
  const text = `external_key,email,name\n${rows.join('')}`;
  const results = await Promise.all([1, 2].map(() => importText(database, organizationNo, CUSTOMER_IMPORT, text)));
  const sum = (count: 'created' | 'updated' | 'unchanged'): number =>
    results.reduce((total, result) => total + result[count], 0);
  expect([sum('created'), sum('updated'), sum('unchanged')]).toEqual([11_000, 0, 11_000]);
  expect((await lastNumbers(database))['customers']).toBe((before['customers'] ?? 0) + 11_000);
});

test('a changed contact and a rotated device keep their internal numbers and take no new ones', async ({
  database,
}) => {
  const { organizationNo } = await givenFleet(database, ['ROTATED']);
  const change = (): Promise<{ id: string }> =>
    transaction(database.operator, async (tx) => {
      await rotateDevice(tx, organizationNo, 'ROTATED');
      await revokeDevice(tx, organizationNo, 'ROTATED');
      return addContact(operatorChange(tx, organizationNo), {
        email: 'ops@example.com',
        types: [],
        digest_at: '07:00',
      });
    });
  const first = await change();
  const numbers = await lastNumbers(database);
  expect((await change()).id).toBe(first.id);
  expect(await lastNumbers(database)).toEqual(numbers);
  const { rows } = await database.owner.query(
    'select generation, revoked_at is not null as is_revoked from device_credentials where organization_no = $1',
    [organizationNo],
  );
  expect(rows).toEqual([{ generation: 3, is_revoked: true }]);
});

test('a name keeps the separators U+2028 and U+2029, which do not end a line', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const names = ['Ana\u2028Gas', 'Ben\u2029Gas', 'Eve'];
  const rows = names.map((name, n) => `K${n},k${n}@example.com,${name}\n`);
  const result = await importText(
    database,
    organizationNo,
    CUSTOMER_IMPORT,
    `external_key,email,name\n${rows.join('')}`,
  );
  expect(result).toMatchObject({ read: 3, created: 3, bad: 0 });
  const { rows: stored } = await database.owner.query<{ name: string }>(
    'select name from customers where organization_no = $1 order by external_key',
    [organizationNo],
  );
  expect(stored.map(({ name }) => name)).toEqual(names);
});

test('a row with a device that is on another tank is refused', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  await givenOwners(database, organizationNo, 2);
  await importText(database, organizationNo, TANK_IMPORT, `${TANK_HEADER}C-0,a,Tank,DEV,5,liters,20,\n`);
  const result = await importText(database, organizationNo, TANK_IMPORT, `${TANK_HEADER}C-1,b,Tank,DEV,5,liters,20,\n`);
  expect(result.badRows.get(2)).toMatch(/^assigned_device_id: 'DEV' is on the tank /);
});

test('a file that is not well-formed CSV is refused as a whole, with the line of the error', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const text = 'external_key,email,name\nK1,a@example.com,Ana\nK2,b@example.com,"Ben\n';
  await expect(importText(database, organizationNo, CUSTOMER_IMPORT, text)).rejects.toThrow(
    /not well-formed CSV: .*line/,
  );
  const { rows } = await database.owner.query('select from customers where organization_no = $1', [organizationNo]);
  expect(rows).toEqual([]);
});
