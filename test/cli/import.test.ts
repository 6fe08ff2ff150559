import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';
import type { Finished } from '../support/cli.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenOrganization } from '../support/fleet.ts';
import { type TestDatabase, test } from '../support/test.ts';
import { excelDays, workbookOf } from '../support/workbook.ts';

const folder = await mkdtemp(join(tmpdir(), 'tankwatch-import-'));
afterAll(() => rm(folder, { recursive: true }));
const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));

const run = (database: TestDatabase, ...args: string[]): Promise<Finished> =>
  runCommand(['import', ...args], { DATABASE_URL: database.urls.operator });

const counts = async (database: TestDatabase, no: number): Promise<unknown> => {
  const { rows } = await database.owner.query(
    `select (select count(*)::int from customers where organization_no = $1) as customers,
            (select count(*)::int from tanks where organization_no = $1) as tanks,
            (select count(*)::int from telemetry r join tanks t on t.no = r.tank_no where t.organization_no = $1) as readings`,
    [no],
  );
  return rows[0];
};

const COLUMNS =
  'external_key=Clave name=Nombre email=Correo phone=Teléfono is_verified=Verificado owner=Cliente custom_id=Núm. ' +
  'assigned_device_id=Sensor capacity=Capacidad capacity_unit=Unidad min_fill_alert_percentage=Alerta use_case=Uso ' +
  'city=Ciudad latitude=Latitud longitude=Longitud device_id=Sensor created_at=Fecha fill_percentage=Nivel';
const SPANISH = [
  ...COLUMNS.split(' ').flatMap((column) => ['--column', column]),
  '--date-order',
  'dmy',
  '--time-zone',
  'America/Mexico_City',
];

test('the example files are imported in their order, with times of today', async ({ database }) => {
  const none = await run(database, EXAMPLES, '--yes');
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('there is no organization yet; create one: ')]);
  const no = await givenOrganization(database.operator, 'a0one');

  const beforeMs = Date.now();
  const { code, stdout, stderr } = await run(database, EXAMPLES, '--shift-to-now', '--yes');
  // On a slow machine, the command prints its progress.
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^(read \d+ rows \(.*\)\n)*$/)]);
  expect(stdout).toMatch(
    /^left out: old_system\.csv is not recognized: its columns are time, percentage\. Readings need/m,
  );
  expect(stdout).toMatch(/^all times are moved by \d+ days, so that the newest reading is of today\.$/m);
  expect(stdout).toContain(
    'readings.csv: 540 rows of readings; the first, as understood:\n  device_id: ABCD1234, created_at: 20',
  );
  expect(stdout.match(/^ {2}device_id: /gm)).toHaveLength(5);
  expect(stdout).toContain(
    'customers of customers.csv: 3 rows: 3 created, 0 updated, 0 unchanged, 0 bad\n' +
      'tanks of tanks.csv: 3 rows: 3 created, 0 updated, 0 unchanged, 0 bad\n' +
      'readings of readings.csv: 540 rows: 540 stored, 0 duplicates, 0 rejected\n',
  );
  expect(stdout).toContain('see the tanks to refill next: tankwatch tanks forecast --organization a0one\n');
  expect(await counts(database, no)).toEqual({ customers: 3, tanks: 3, readings: 540 });
  const { rows } = await database.owner.query<{ newest: Date; offset: string }>(
    `select max(created_at) as newest, to_char(max(created_at) at time zone 'UTC', 'HH24:MI') as offset from telemetry`,
  );
  const newestMs = new Date(rows[0]?.newest ?? 0).getTime();
  expect(newestMs).toBeLessThanOrEqual(Date.now());
  expect(newestMs).toBeGreaterThan(beforeMs - 86_400_000);
  expect(rows[0]?.offset).toBe('18:13');
});

test('Excel files in Spanish are shown first and imported with --yes, and importing them again changes nothing', async ({
  database,
}) => {
  const no = await givenOrganization(database.operator, 'a1es');
  const several = await run(database, `${EXAMPLES}/excel-es`, ...SPANISH, '--yes');
  expect([several.code, several.stderr]).toEqual([
    1,
    expect.stringMatching(/choose an organization with --organization: a/),
  ]);
  const args = [`${EXAMPLES}/excel-es`, ...SPANISH, '--organization', 'a1es'];

  const asked = await run(database, ...args);
  expect(asked.code).toBe(1);
  expect(asked.stderr).toMatch(
    /^tankwatch: nobody can answer here; to import without a question: tankwatch import .* --yes\n$/,
  );
  const dry = await run(database, ...args, '--dry-run');
  expect(dry.stdout).toContain(
    'clientes.csv: 2 rows of customers; the first, as understood:\n' +
      '  (the file is not UTF-8; it was decoded as Windows-1252. If names look wrong, use --encoding.)\n' +
      '  external_key: C-2001, name: Tortillería Doña Inés, email: ines@example.com, phone: +52 222 555 0191, is_verified: true\n',
  );
  expect(dry.stdout).toContain('  device_id: PQRS3456, created_at: 2025-02-01T12:00:00.000Z, fill_percentage: 77.4\n');
  expect(dry.stdout).toMatch(
    /\(a dry run: nothing was changed\)\nto import it: tankwatch import \S+\/excel-es --organization a1es --column/,
  );
  expect(await counts(database, no)).toEqual({ customers: 0, tanks: 0, readings: 0 });

  for (const [created, unchanged] of [
    [2, 0],
    [0, 2],
  ] as const) {
    const { code, stdout, stderr } = await run(database, ...args, '--yes', '--json');
    expect([code, stderr.includes('left out')]).toEqual([0, false]);
    expect(JSON.parse(stdout)).toMatchObject({
      organization: 'a1es',
      tables: [
        { table: 'clientes.csv', kind: 'customers', read: 2, created, unchanged, bad: 0 },
        { table: 'tanques.csv', kind: 'tanks', read: 2, created, unchanged, bad: 0 },
        { table: 'lecturas.csv', kind: 'readings', read: 3, stored: created === 0 ? 0 : 3, rejected: 0 },
      ],
    });
  }
  expect(await counts(database, no)).toEqual({ customers: 2, tanks: 2, readings: 3 });
});

test('a dry run ends with 1 if a row is bad, and an unreadable file is named', async ({ database }) => {
  await givenOrganization(database.operator, 'a3dry');
  const [bad, unreadable] = [join(folder, 'bad.csv'), join(folder, 'greek.csv')];
  await writeFile(bad, 'external_key,name,email\nC-1,Ana,nobody\nC-2,Eva,noone\n');
  await writeFile(unreadable, Buffer.from('external_key,name,email\nC-1,\xc1\xdd\xed\xe1,a@example.com\n', 'latin1'));
  const dry = await run(database, bad, '--organization', 'a3dry', '--dry-run');
  expect([dry.code, dry.stdout]).toEqual([1, expect.stringContaining('bad.csv: 2 rows of customers')]);
  const { code, stderr } = await run(database, unreadable, '--organization', 'a3dry', '--dry-run');
  expect([code, stderr]).toEqual([1, expect.stringMatching(/greek\.csv: line 2 is not UTF-8, and as Windows-1252/)]);
});

test('--value gives the words of a file a meaning, and a note says that times without an offset are UTC', async ({
  database,
}) => {
  await givenOrganization(database.operator, 'a0words');
  const [customers, tanks, readings] = ['customers', 'tanks', 'readings'].map((name) =>
    join(folder, `words-${name}.csv`),
  );
  await writeFile(customers ?? '', 'external_key,name,email\nC-1,Ana,ana@example.com\n');
  await writeFile(
    tanks ?? '',
    'owner,name,custom_id,assigned_device_id,capacity,capacity_unit,min_fill_alert_percentage\nC-1,Casa,1,D1,300,barril,20\n',
  );
  await writeFile(readings ?? '', 'device_id,created_at,fill_percentage\nD1,2026-01-31 14:05,40 %\n');
  const files = [customers ?? '', tanks ?? '', readings ?? '', '--organization', 'a0words'];
  const words = ['--value', 'capacity_unit:Barril=gallons'];
  const tried = await run(database, ...files, ...words, '--dry-run');
  expect([tried.code, tried.stdout]).toEqual([0, expect.stringContaining('capacity_unit: gallons')]);
  expect(tried.stdout).toContain('(times without an offset are read as UTC; if they are local: --time-zone ');
  expect(tried.stdout).toContain(words.join(' '));
  const zone = ['--time-zone', 'America/Mexico_City'];
  const { code, stdout } = await run(database, ...files, ...words, ...zone, '--yes');
  expect([code, stdout]).toEqual([0, expect.stringContaining('tanks of words-tanks.csv: 1 rows: 1 created')]);
  expect(stdout).not.toContain('read as UTC');
  expect(stdout).toContain('created_at: 2026-01-31T20:05:00.000Z');
});

test('levels of a list of tanks are read in the order that its days prove, and left out if they prove none', async ({
  database,
}) => {
  await givenOrganization(database.operator, 'a0levels');
  const file = join(folder, 'levels.csv');
  const importDays = async (...days: string[]) => {
    const rows = days.map((day, index) => `1041${index},Ann ${index},8821${index},500,40,${day}`);
    await writeFile(file, ['Acct #,Name,Tank no.,Size (gal),Level %,Read on', ...rows, ''].join('\n'));
    return run(database, file, '--organization', 'a0levels', '--dry-run');
  };
  const proven = await importDays('11/3/2025', '11/16/2025');
  expect([proven.code, proven.stdout]).toEqual([0, expect.stringContaining('measured_at: 2025-11-03T12:00:00.000Z')]);
  expect(proven.stdout).toContain('; dates are mdy');
  expect(proven.stdout).toContain('(times without an offset are read as UTC; if they are local: --time-zone ');
  const unproven = await importDays('11/3/2025', '11/6/2025');
  expect([unproven.code, unproven.stdout]).toEqual([0, expect.not.stringContaining('measured_at')]);
  expect(unproven.stdout).toContain('2 rows of tanks');
});

test('cells of 60,000 blanks do not hold up a guided import', async ({ database }) => {
  await givenOrganization(database.operator, 'a0blanks');
  const hostile = join(folder, 'hostile.csv');
  const cell = `1${' '.repeat(60_000)}!`;
  await writeFile(hostile, `Sensor,Fecha y hora,Nivel %\n${`D1,2026-01-31 14:05,${cell}\n`.repeat(50)}`);
  const before = process.threadCpuUsage();
  const named = ['device_id=Sensor', 'created_at=Fecha y hora', 'fill_percentage=Nivel %'];
  for (const columns of [[], named.flatMap((column) => ['--column', column])])
    expect((await run(database, hostile, '--organization', 'a0blanks', '--dry-run', ...columns)).code).toBe(1);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(5); // with a regular expression: minutes
});

test('a workbook is imported sheet by sheet, and with --device the readings of one device', async ({ database }) => {
  const no = await givenOrganization(database.operator, 'a2book');
  const book = join(folder, 'all.xlsx');
  const sheets = [
    {
      name: 'Levels',
      rows: [
        ['device_id', 'created_at', 'fill_percentage'],
        ...[0, 1, 2].map((n) => ['D-1', { days: excelDays('2025-02-01T06:00') + n }, 50 - n]),
      ],
    },
    { name: 'Notes', rows: [['Call Ana on Monday']] },
    {
      name: 'Tanks',
      rows: [
        ['owner', 'custom_id', 'name', 'assigned_device_id', 'capacity', 'capacity_unit', 'min_fill_alert_percentage'],
        ['C-1', 'T-1', 'House', 'D-1', 1_200.5, 'gallons', { share: 0.25 }],
        ['C-9', 'T-2', 'Barn', 'D-2', 500, 'gallons', 20],
      ],
    },
    {
      name: 'Customers',
      rows: [
        ['external_key', 'name', 'email'],
        ['C-1', 'Ana', 'ana@example.com'],
      ],
    },
  ];
  await writeFile(book, workbookOf(sheets));
  const refused = await run(database, book, '--organization', 'a2book', '--yes');
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/all\.xlsx, sheet Notes is not recognized/),
  ]);
  await writeFile(book, workbookOf(sheets.filter(({ name }) => name !== 'Notes')));
  const { code, stdout, stderr } = await run(database, book, '--organization', 'a2book', '--yes');
  expect(code).toBe(1); // the owner C-9 does not exist
  expect(stderr).toContain(
    "owner: 'C-9' is not the external_key or id of a customer, line 3. Import the customers first.",
  );
  expect(stdout).toContain('tanks of all.xlsx, sheet Tanks: 2 rows: 1 created, 0 updated, 0 unchanged, 1 bad\n');
  expect(stdout).toContain('readings of all.xlsx, sheet Levels: 3 rows: 3 stored, 0 duplicates, 0 rejected\n');
  const { rows } = await database.owner.query(
    'select capacity, min_fill_alert_percentage from tanks where organization_no = $1',
    [no],
  );
  expect(rows).toEqual([{ capacity: 1_200.5, min_fill_alert_percentage: 25 }]);

  const unnamedFile = join(folder, 'one.csv');
  await writeFile(unnamedFile, 'time,percentage\n2025-03-01T06:00Z,41\n2025-03-01T18:00Z,40\n');
  const columns = ['--column', 'created_at=time', '--column', 'fill_percentage=percentage', '--organization', 'a2book'];
  const unnamed = await run(database, unnamedFile, ...columns, '--yes');
  expect(unnamed.stderr).toContain(
    'one.csv is not recognized: its columns are time, percentage. Readings need device_id',
  );
  const named = await run(database, unnamedFile, '--device', 'D-1', ...columns, '--yes');
  expect(named.stdout).toContain('readings of one.csv: 2 rows: 2 stored, 0 duplicates, 0 rejected\n');
  expect(await counts(database, no)).toEqual({ customers: 1, tanks: 1, readings: 5 });
});

test('a mapping file that was written for our headings and for --column reads the same files again', async ({
  database,
}) => {
  const no = await givenOrganization(database.operator, 'a4map');
  const [customers, tanks, mapping] = ['c.csv', 't.csv', 'map.json'].map((name) => join(folder, name));
  await writeFile(customers ?? '', 'external_key,name,email\nC-1,Ana,ana@example.com\n');
  await writeFile(
    tanks ?? '',
    'owner,custom_id,name,Sensor,capacity,capacity_unit,min_fill_alert_percentage\nC-1,T-1,House,D-1,500,liters,20\n',
  );
  const args = [customers ?? '', tanks ?? '', '--organization', 'a4map', '--mapping', mapping ?? '', '--yes', '--json'];
  const named = ['--column', 'assigned_device_id=Sensor', '--column', 'phone=Tel'];
  for (const [columns, created] of [
    [named, 1],
    [[], 0],
  ] as const) {
    const { code, stdout, stderr } = await run(database, ...args, ...columns);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout).tables).toMatchObject([
      { table: 'c.csv', kind: 'customers', read: 1, created, unchanged: 1 - created },
      { table: 't.csv', kind: 'tanks', read: 1, created, unchanged: 1 - created },
    ]);
  }
  // A mapping without columns, as earlier versions wrote it, matches no table.
  await writeFile(
    mapping ?? '',
    '{"tables": [{"what": "customers", "columns": {}}, {"what": "tanks", "columns": {}}]}',
  );
  expect((await run(database, ...args, ...named)).code).toBe(0);
  expect(await counts(database, no)).toEqual({ customers: 1, tanks: 1, readings: 0 });
});

test('a file that is not recognized gets a sentence with the options that may help', async ({ database }) => {
  await givenOrganization(database.operator, 'a3none');
  const file = join(folder, 'niveles.csv');
  await writeFile(file, 'Cliente,Fecha y hora,Nivel (%)\nAna,2025-02-01 06:00,45\n');
  const { code, stderr } = await run(database, file, '--organization', 'a3none', '--yes');
  expect(code).toBe(1);
  expect(stderr).toContain('niveles.csv is not recognized: its columns are Cliente, Fecha y hora, Nivel (%).');
  expect(stderr).toContain(
    `Perhaps: --column 'created_at=Fecha y hora' --column 'fill_percentage=Nivel (%)' --device ID`,
  );
  const missing = await run(database, join(folder, 'none.csv'), '--organization', 'a3none', '--yes');
  expect(missing.stderr).toMatch(
    /^tankwatch: cannot read .*none\.csv: there is no such file; check the name and the folder \(.*\)\.\n$/,
  );
});
