import { expect } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import { DipStore } from '../../src/ingest/store_dips.ts';
import { addContact } from '../../src/mail/contacts.ts';
import { NO_EMAIL } from '../../src/values/no_email.ts';
import { givenManagedOrganization, type ManageApi, test } from '../support/manage.ts';
import { givenSession } from '../support/sessions.ts';
import { type Cell, workbookOf } from '../support/workbook.ts';

interface Mapping {
  columns: Record<string, string>;
  constants: Record<string, string>;
  corrections?: { line: number; field: string; value: string }[];
  date_order?: 'mdy';
}

const send = (
  manage: ManageApi,
  key: string,
  file: Uint8Array,
  { mapping, ...parameters }: { mapping?: Mapping; dry_run?: 'true'; what?: string } = {},
) => {
  const query = new URLSearchParams({
    file_name: 'tanks.xlsx',
    ...parameters,
    ...(mapping === undefined ? {} : { mapping: JSON.stringify(mapping) }),
  });
  return manage.call(key, 'POST', `/imports?${query.toString()}`, { body: file });
};

/** A sheet as an office keeps it: a title, letters for digits, a total. */
const ROWS: Cell[][] = [
  ['Route list November'],
  [],
  ['Acct #', 'Name', 'Phone 1', 'Street', 'Town', 'Tank Ser.', 'Size (gal)', 'Rte'],
  ['10413', 'Thibault, Grace', '(802) 829-0501', '31 Elm St', 'Milton', '88213-A', 500, 'R4'],
  ['10414', 'Inn of Cole', '802-713-7578', '4 Harbor Rd', 'Shelburne', '90117', 1000, 'R2'],
  ['10530', 'Perkins, Noah', null, '14 Maple St', 'Milton', '88260', '5OO', 'R4'],
  ['10531', 'Morse, Henry', null, '8 Pearl St', 'Milton', '88307', '454 L', 'R4'],
  ['Total', null, null, null, null, null, 1500, null],
];
const sheetOf = (rows: Cell[][]): Uint8Array =>
  workbookOf([
    { name: 'Route list', rows },
    { name: 'Old', rows: [['x']] },
  ]);
const CONSTANTS = {
  capacity_unit: 'gallons',
  customer_email: NO_EMAIL,
  name: 'Tank',
  min_fill_alert_percentage: '20',
  assigned_device_id: 'manual',
};

test('an Excel sheet is mapped, tried, corrected, imported once, and undone', async ({ database, manage }) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const file = sheetOf(ROWS);
  const { status, json: first } = await send(manage, key, file, { dry_run: 'true' });
  expect([status, first.what, first.sheets, first.counts]).toEqual([200, 'tanks', ['Route list', 'Old'], null]);
  expect(first.columns.map(({ heading, field }: { heading: string; field: string }) => [heading, field])).toEqual([
    ['Acct #', 'owner'],
    ['Name', 'customer_name'],
    ['Phone 1', 'customer_phone'],
    ['Street', 'street'],
    ['Town', 'city'],
    ['Tank Ser.', 'custom_id'],
    ['Size (gal)', 'capacity'],
    ['Rte', null],
  ]);
  expect(first.columns[6].examples).toEqual(['500', '1000']);
  expect([first.constants, first.missing]).toEqual([
    [{ field: 'capacity_unit', value: 'gallons' }],
    ['name', 'assigned_device_id', 'min_fill_alert_percentage'],
  ]);

  const columns = Object.fromEntries(
    first.columns.flatMap(({ heading, field }: { heading: string; field: string | null }) =>
      field === null ? [] : [[field, heading]],
    ),
  );
  const mapping = { columns, constants: CONSTANTS };
  const { json: tried } = await send(manage, key, file, { dry_run: 'true', mapping });
  expect([tried.missing, tried.counts, tried.import]).toEqual([
    [],
    { rows: 4, created: 2, updated: 0, unchanged: 0, refused: 2 },
    null,
  ]);
  expect(tried.refused_rows).toMatchObject([
    { line: 6, errors: [{ field: 'capacity', code: 'invalid', proposal: '500' }] },
    // No value is proposed for another unit: 454 liters are 120 gallons.
    { line: 7, errors: [{ field: 'capacity', code: 'invalid', proposal: null }] },
  ]);
  expect(tried.refused_rows[0].cells[6]).toBe('5OO');
  expect((await manage.call(key, 'GET', '/imports')).json.data).toEqual([]);
  const columnsInCapitals = Object.fromEntries(
    Object.entries(columns).map(([field, heading]) => [field, String(heading).toUpperCase()]),
  );
  const { json: inCapitals } = await send(manage, key, file, {
    dry_run: 'true',
    mapping: { columns: columnsInCapitals, constants: CONSTANTS },
  });
  expect(inCapitals).toEqual(tried);

  const corrected = { ...mapping, corrections: [{ line: 6, field: 'capacity', value: '500' }] };
  const { json: imported } = await send(manage, key, file, { mapping: corrected });
  expect(imported.counts).toEqual({ rows: 4, created: 3, updated: 0, unchanged: 0, refused: 1 });
  expect(imported.import).toMatchObject({ file_name: 'tanks.xlsx', created: 3, refused: 1, undone_at: null });
  const { json: again } = await send(manage, key, file, { mapping: corrected });
  expect([again.counts.unchanged, again.import]).toEqual([3, null]);
  const { json: list } = await manage.call(key, 'GET', '/imports');
  expect(list.data).toEqual([imported.import]);

  const undoPath = `/imports/${imported.import.id}/undo`;
  const { json: planned } = await manage.call(key, 'POST', `${undoPath}?dry_run=true`);
  const { json: undone } = await manage.call(key, 'POST', undoPath);
  expect(undone).toEqual(planned);
  expect(undone).toMatchObject({ deleted: 6, restored: 0, kept: 0, kept_rows: [] });
  expect((await manage.call(key, 'POST', undoPath)).status).toBe(409);
  const { rows } = await database.owner.query(
    `select (select count(*) from customers where organization_no = $1 and deleted_at is null) as customers,
            (select count(*) from tanks where organization_no = $1 and deleted_at is null) as tanks`,
    [organizationNo],
  );
  expect(rows).toEqual([{ customers: 0, tanks: 0 }]);
});

test('levels of a list are stored once for tanks without a sensor, and an undo removes them with their tanks', async ({
  database,
  manage,
}) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  await database.owner.query(`update organizations set time_zone = 'America/New_York' where no = $1`, [organizationNo]);
  const file = sheetOf([
    ['Acct #', 'Name', 'Tank no.', 'Size (gal)', 'Device', 'Level %', 'Read on', 'Time'],
    ['10413', 'Thibault, Grace', '1', 500, null, '42 %', '11/3/2025', '7:40'],
    ['10414', 'Inn of Cole', '2', 500, null, '18,5', '11/16/2025', '14:05'],
    ['10415', 'Morse, Henry', '3', 500, 'A1B2C3', 60, '11/16/2025', '14:05'],
    ['10416', 'Perkins, Noah', '4', 500, null, '4O', '11/16/2025', '14:05'],
    ['10417', 'Hill, Ann', '5', 500, null, null, null, null],
  ]);
  const { json: first } = await send(manage, key, file, { dry_run: 'true' });
  const columns = Object.fromEntries(
    first.mapped_columns.map(({ field, heading }: { field: string; heading: string }) => [field, heading]),
  );
  expect(columns).toMatchObject({ fill_percentage: 'Level %', measured_at: 'Read on + Time' });
  const { measured_at: _time, ...withoutTime } = columns;
  const { json: timeless } = await send(manage, key, file, {
    dry_run: 'true',
    mapping: { columns: withoutTime, constants: CONSTANTS },
  });
  expect(timeless.missing).toEqual(['measured_at']);

  const mapping = { columns, constants: CONSTANTS };
  const levels = { stored: 2, first_at: '2025-11-03T12:40:00.000Z' };
  const { json: tried } = await send(manage, key, file, { dry_run: 'true', mapping });
  expect([tried.levels, tried.counts.refused]).toEqual([levels, 1]);
  expect(tried.refused_rows[0].errors).toMatchObject([{ field: 'fill_percentage', code: 'invalid', proposal: '40' }]);
  const { json: imported } = await send(manage, key, file, { mapping });
  expect([imported.levels, imported.counts.created]).toEqual([levels, 4]);
  await new DipStore(database.writer).storeBatch();
  const { rows } = await database.owner.query(
    `select t.custom_id, s.latest_fill_percentage as level, s.latest_at as at from tanks t join tank_states s on s.tank_no = t.no
     where t.organization_no = $1 and s.latest_at is not null order by t.custom_id`,
    [organizationNo],
  );
  expect(rows).toEqual([
    { custom_id: '1', level: 42, at: '2025-11-03T12:40:00.000Z' },
    { custom_id: '2', level: 18.5, at: '2025-11-16T19:05:00.000Z' },
  ]);
  const { json: again } = await send(manage, key, file, { mapping });
  expect([again.levels.stored, again.counts.unchanged]).toEqual([0, 4]);

  const { json: undone } = await manage.call(key, 'POST', `/imports/${imported.import.id}/undo`);
  expect(undone).toMatchObject({ deleted: 8, kept: 0 });
});

test('an undo removes levels that still wait, and keeps tanks with any other level, also an older one', async ({
  database,
  manage,
}) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const columns = {
    owner: 'Acct',
    customer_name: 'Name',
    custom_id: 'Tank',
    capacity: 'Size',
    fill_percentage: 'Level',
    measured_at: 'Read on',
  };
  const listOf = (accounts: readonly string[], level: number, day: string) =>
    sheetOf([
      ['Acct', 'Name', 'Tank', 'Size', 'Level', 'Read on'],
      ...Array.from({ length: 6 }, (_, index) => [`Z${index}`, `Zoe ${index}`, '1', 500, null, '2025-10-01']),
      ...accounts.map((account) => [account, `Ann ${account}`, '1', 500, level, day]),
    ]);
  const mapping = { columns, constants: CONSTANTS };
  const accounts = ['A', 'B', 'C', 'D'];
  const { json: imported } = await send(manage, key, listOf(accounts, 40, '2025-11-03'), { mapping });
  // `first_at` is of the first row with a level, although rows before it have days.
  expect(imported.levels).toEqual({ stored: 4, first_at: '2025-11-03T12:00:00.000Z' });
  const preview = () => manage.call(key, 'POST', `/imports/${imported.import.id}/undo?dry_run=true`);
  expect((await preview()).json).toMatchObject({ deleted: 20, kept: 0 });

  const store = new DipStore(database.writer);
  const dip = (account: string, day: string) =>
    database.owner.query(
      `insert into waiting_dips (organization_no, tank_no, at, fill_percentage)
       select $1, t.no, $3, 35 from tanks t join customers c on c.no = t.owner_no
       where t.organization_no = $1 and c.external_key = $2`,
      [organizationNo, account, day],
    );
  await store.storeBatch();
  await dip('A', '2025-11-05T12:00:00Z');
  await dip('B', '2025-11-01T12:00:00Z');
  expect((await send(manage, key, listOf(['C'], 30, '2025-11-06'), { mapping })).json.levels.stored).toBe(1);
  const kept = ['A', 'B', 'C'].map((account) => ({ object: 'tank', because: 'has_readings', account }));
  for (const isStored of [false, true]) {
    if (isStored) await store.storeBatch();
    const { json } = await preview();
    expect([json.deleted, json.kept], `stored: ${isStored}`).toEqual([14, 6]);
    expect(json.kept_rows.slice(0, 3)).toMatchObject(kept.map(({ account: _account, ...row }) => row));
  }
});

test('days such as 11/3/2025 are read as the file proves, otherwise as in the country of the organization, or refused', async ({
  database,
  manage,
}) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const setLanguageAndZone = (language: string, zone: string) =>
    database.owner.query('update organizations set language = $2, time_zone = $3 where no = $1', [
      organizationNo,
      language,
      zone,
    ]);
  const columns = {
    owner: 'Acct',
    customer_name: 'Name',
    custom_id: 'Tank',
    capacity: 'Size',
    fill_percentage: 'Level',
    measured_at: 'Read on',
  };
  const tryDays = async (days: readonly string[], order: { date_order?: 'mdy' } = {}) => {
    const file = sheetOf([
      ['Acct', 'Name', 'Tank', 'Size', 'Level', 'Read on'],
      ...days.map((day, index) => [`A${index}`, `Ann ${index}`, '1', 500, 40, day]),
    ]);
    const { json } = await send(manage, key, file, {
      dry_run: 'true',
      mapping: { columns, constants: CONSTANTS, ...order },
    });
    return json;
  };
  const firstDay = async (...args: Parameters<typeof tryDays>) =>
    (await tryDays(...args)).levels.first_at?.slice(0, 10);

  await setLanguageAndZone('en', 'America/New_York');
  expect(await firstDay(['11/3/2025'])).toBe('2025-11-03');
  await setLanguageAndZone('es-US', 'UTC');
  expect(await firstDay(['11/3/2025'])).toBe('2025-11-03');
  await setLanguageAndZone('es-MX', 'America/New_York');
  expect(await firstDay(['11/3/2025'])).toBe('2025-03-11');
  // The only day that proves the order is far behind the rows that show what the columns are.
  expect(await firstDay([...Array.from({ length: 120 }, () => '11/3/2025'), '11/16/2025'])).toBe('2025-11-03');

  await setLanguageAndZone('en', 'UTC');
  const unclear = await tryDays(['11/3/2025', '2025-11-03']);
  expect([unclear.counts.refused, unclear.levels]).toEqual([1, { stored: 1, first_at: '2025-11-03T12:00:00.000Z' }]);
  expect(unclear.refused_rows[0].errors).toMatchObject([
    { field: 'measured_at', code: 'date_order', detail: expect.stringContaining('date_order'), proposal: null },
  ]);
  expect(await firstDay(['11/3/2025'], { date_order: 'mdy' })).toBe('2025-11-03');
});

test('people who are not administrators are refused, and an import of another organization does not exist', async ({
  database,
  manage,
}) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const { key: stranger } = await givenManagedOrganization(database);
  const file = new TextEncoder().encode('external_key,email,name\n1,a@example.com,Ana\n');
  const { json: imported } = await send(manage, key, file);
  expect((await manage.call(stranger, 'POST', `/imports/${imported.import.id}/undo`)).status).toBe(404);
  for (const role of ['viewer', 'dispatcher', 'technician'] as const) {
    const { id: contactId } = await transaction(database.operator, (tx) =>
      addContact(operatorChange(tx, organizationNo), { email: `${role}@example.com`, types: [], roles: [role] }),
    );
    const { cookie } = await givenSession(database, { contactId });
    const response = await fetch(`${manage.url}/manage/v1/imports?dry_run=true`, {
      method: 'POST',
      headers: { cookie, origin: manage.url, 'content-type': 'application/octet-stream' },
      body: file,
    });
    expect([role, response.status]).toEqual([role, 403]);
  }
});

test('a file that cannot be read is refused with a sentence, and stores nothing', async ({ database, manage }) => {
  const { key } = await givenManagedOrganization(database);
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const detailOf = async (file: Uint8Array, mapping?: Mapping) => {
    const { status, json } = await send(manage, key, file, mapping === undefined ? {} : { mapping });
    return [status, json.errors?.[0]?.detail ?? json.code];
  };
  expect(await detailOf(bytes('\n'))).toEqual([422, 'The file is empty; its first row must have the headings.']);
  expect(await detailOf(bytes('PK\x03\x04 no workbook'))).toEqual([
    422,
    expect.stringContaining('The workbook cannot be read'),
  ]);
  expect(await detailOf(bytes('external_key,name\n1,Ana\n'))).toEqual([
    422,
    expect.stringContaining('no constant, for email'),
  ]);
  const columns = { external_key: 'Key -- 1', email: 'Mail', name: 'Name' };
  expect(
    await detailOf(bytes('Key -- 1,Key -- 1,Mail,Name\n1,1,a@example.com,Ana\n'), { columns, constants: {} }),
  ).toEqual([
    422,
    'The file has the column Key -- 1 twice; name the one that is meant "Key -- 1 (1)" or "Key -- 1 (2)", or rename it in the file.',
  ]);
  expect(await detailOf(new Uint8Array(9 * 2 ** 20))).toEqual([413, 'payload_too_large']);
  const wide = Array.from({ length: 201 }, (_, n) => `Column ${n}`).join(',');
  expect(await detailOf(bytes(`${wide}\n`))).toEqual([422, 'The file has 201 columns, and at most 200 are read.']);
  // A part of this file unpacks to 97 MiB.
  const bomb = workbookOf([{ name: 'A', rows: [['a'.repeat(97 * 2 ** 20)]] }]);
  expect(bomb.length).toBeLessThan(2 ** 20);
  expect(await detailOf(bomb)).toEqual([422, expect.stringContaining('at most 48 MiB are read')]);
  expect((await manage.call(key, 'GET', '/imports')).json.data).toEqual([]);
});

test('an import of 5,000 rows does not hold up other organizations', async ({ database, manage }) => {
  const [{ key }, { key: other }] = [
    await givenManagedOrganization(database),
    await givenManagedOrganization(database),
  ];
  const rows = Array.from({ length: 5_000 }, (_, n) => `C${n},c${n}@example.com,Customer ${n},${n}`);
  const file = new TextEncoder().encode(`external_key,email,name,phone\n${rows.join('\n')}\n`);
  const imported = send(manage, key, file);
  const over = imported.then(() => 'over');
  // Requests of others are answered between the slices and the transactions of the import.
  let answered = 0;
  const ask = async () => {
    expect((await manage.call(other, 'GET', '/imports')).status).toBe(200);
    return 'answered';
  };
  while ((await Promise.race([over, ask()])) !== 'over') answered++;
  expect((await imported).json.counts).toMatchObject({ rows: 5_000, created: 5_000, refused: 0 });
  expect(answered).toBeGreaterThan(5);
});

test('a file is read as the last one with the same headings, unless that import was undone', async ({
  database,
  manage,
}) => {
  const { key } = await givenManagedOrganization(database);
  const { key: strangers } = await givenManagedOrganization(database);
  const file = (heading: string, name: string): Uint8Array =>
    workbookOf([
      { name: 'Notes', rows: [['Read the other sheet']] },
      {
        name: 'List',
        rows: [
          ['Acct', 'Who', heading],
          ['1', name, '7'],
        ],
      },
    ]);
  const mapping = { columns: { external_key: 'Acct', name: 'Who', phone: 'Ring' }, constants: { email: NO_EMAIL } };
  const call = async (caller: string, bytes: Uint8Array, more: Record<string, string> = {}) => {
    const query = new URLSearchParams({ file_name: 'a.xlsx', sheet: 'List', dry_run: 'true', ...more });
    return (await manage.call(caller, 'POST', `/imports?${query.toString()}`, { body: bytes })).json;
  };
  const first = await call(key, file('Ring', 'Ana'), {
    mapping: JSON.stringify(mapping),
    what: 'customers',
    dry_run: 'false',
  });
  expect(first).toMatchObject({ counts: { created: 1 }, mapped_as_at: null, sheets: ['List', 'Notes'] });
  // The same headings in any case, with other rows.
  const next = await call(key, file('RING', 'Bea'));
  expect(next).toMatchObject({ what: 'customers', mapped_as_at: first.import.created_at, counts: { updated: 1 } });
  expect(next.constants).toEqual([{ field: 'email', value: NO_EMAIL }]);
  expect((await call(key, file('Other', 'Bea'))).mapped_as_at).toBeNull();
  expect((await call(key, file('Ring', 'Bea'), { what: 'tanks' })).mapped_as_at).toBeNull();
  expect((await call(strangers, file('Ring', 'Bea'))).mapped_as_at).toBeNull();
  expect((await call(key, file('Ring', 'Bea'), { sheet: 'Nothing' })).errors[0].detail).toContain(
    'has no sheet Nothing',
  );
  await manage.call(key, 'POST', `/imports/${first.import.id}/undo`);
  expect((await call(key, file('Ring', 'Bea'))).mapped_as_at).toBeNull();
});

test('an import answers with as many refused rows as requested, at most 2,000', async ({ database, manage }) => {
  const { key } = await givenManagedOrganization(database);
  const rows = Array.from({ length: 2_100 }, (_, n) => `${n},no address,Ana`);
  const body = new TextEncoder().encode(`external_key,email,name\n${rows.join('\n')}\n`);
  const refused = async (query: string) =>
    (await manage.call(key, 'POST', `/imports?dry_run=true${query}`, { body })).json.refused_rows?.length;
  expect([await refused(''), await refused('&max_refused=2000'), await refused('&max_refused=2001')]).toEqual([
    100,
    2_000,
    undefined,
  ]);
});
