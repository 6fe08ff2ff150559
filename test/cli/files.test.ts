import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';
import { databaseUrl } from '../../engines/logins.ts';
import { assertMayMigrate } from '../../src/db/migrate_rights.ts';
import { openPool } from '../../src/db/pool.ts';
import type { Finished } from '../support/cli.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenOrganization } from '../support/fleet.ts';
import { type TestDatabase, test } from '../support/test.ts';

const folder = await mkdtemp(join(tmpdir(), 'tankwatch-files-'));
afterAll(() => rm(folder, { recursive: true }));
const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));

const run = (database: TestDatabase, code: string, ...args: string[]): Promise<Finished> =>
  runCommand([...args, '--organization', code], { DATABASE_URL: database.urls.operator });

test('the files of Excel in Spanish are imported as they are, and exports are imported without a remark', async ({
  database,
}) => {
  await givenOrganization(database.operator, 'a0es');
  const customers = ['external_key=Clave', 'name=Nombre', 'email=Correo', 'phone=Teléfono', 'is_verified=Verificado'];
  const imported = await run(
    database,
    'a0es',
    'customers',
    'import',
    `${EXAMPLES}excel-es/clientes.csv`,
    '--column',
    ...customers,
  );
  expect(imported).toEqual({
    code: 0,
    stdout: '2 rows: 2 created, 0 updated, 0 unchanged, 0 bad\n',
    stderr: 'the file is not UTF-8; it was decoded as Windows-1252. If names look wrong, use --encoding.\n',
  });
  const tanks =
    'owner=Cliente custom_id=Núm. name=Nombre assigned_device_id=Sensor capacity=Capacidad capacity_unit=Unidad ' +
    'min_fill_alert_percentage=Alerta use_case=Uso city=Ciudad latitude=Latitud longitude=Longitud';
  const importing = ['tanks', 'import', `${EXAMPLES}excel-es/tanques.csv`, '--column', ...tanks.split(' ')];
  const dry = await run(database, 'a0es', ...importing, '--dry-run');
  expect(dry.stdout).toBe(
    'the first rows, as they were understood:\n' +
      'owner: C-2001, custom_id: T-1, name: Depósito, assigned_device_id: PQRS3456, capacity: 1234.5, capacity_unit: liters, min_fill_alert_percentage: 25, use_case: commercial, city: Puebla, latitude: 19.0433, longitude: -98.2019\n' +
      'owner: C-2002, custom_id: T-1, name: Caseta, assigned_device_id: TUVW7890, capacity: 300, capacity_unit: gallons, min_fill_alert_percentage: 20, use_case: residential, city: Cholula, latitude: 19.063, longitude: -98.303\n\n' +
      '2 rows: 2 created, 0 updated, 0 unchanged, 0 bad\n(a dry run: nothing was changed)\n' +
      `to import it: tankwatch tanks import ${EXAMPLES}excel-es/tanques.csv --organization a0es ` +
      `${tanks
        .split(' ')
        .map((column) => `--column ${column}`)
        .join(' ')}\n`,
  );
  expect((await run(database, 'a0es', ...importing)).code).toBe(0);
  const readings = [`${EXAMPLES}excel-es/lecturas.csv`, '--column', 'device_id=Sensor', '--column', 'created_at=Fecha'];
  const times = ['--column', 'fill_percentage=Nivel', '--date-order', 'dmy', '--time-zone', 'America/Mexico_City'];
  const telemetry = await run(database, 'a0es', 'telemetry', 'import', ...readings, ...times, '--dry-run');
  expect(telemetry.stdout).toContain(
    'line: 4, device_id: PQRS3456, created_at: 2025-02-02T00:00:00.000Z, fill_percentage: 76.9\n',
  );

  for (const what of ['customers', 'tanks']) {
    const file = join(folder, `${what}.csv`);
    const exported = await run(database, 'a0es', what, 'export', '--bom');
    expect(exported.stdout.startsWith('\uFEFFid,')).toBe(true);
    await writeFile(file, exported.stdout);
    expect(await run(database, 'a0es', what, 'import', file)).toEqual({
      code: 0,
      stdout: '2 rows: 0 created, 0 updated, 2 unchanged, 0 bad\n',
      stderr: '',
    });
  }
});

test('errors are grouped; the file of bad rows is corrected and imported without a remark about its reasons', async ({
  database,
}) => {
  await givenOrganization(database.operator, 'a0bad');
  const [file, bad] = [join(folder, 'clientes.csv'), join(folder, 'bad.csv')];
  const rows = Array.from({ length: 200 }, (_, n) => `K${n};Núm. ${n};k${n}@example.com;quizás`);
  await writeFile(
    file,
    ['external_key;name;email;is_verified', ...rows, 'K200;"a;b";nonsense;sí', 'K201;c', ''].join('\r\n'),
  );
  const first = await run(database, 'a0bad', 'customers', 'import', file, '--bad', bad);
  expect([first.code, first.stdout]).toEqual([1, '202 rows: 0 created, 0 updated, 0 unchanged, 202 bad\n']);
  expect(first.stderr.split('\n')).toEqual([
    "is_verified: 'quizás' is not known, 200 lines, first 2, 3, 4. Use true, false, or give your word a meaning with --value.",
    "email: 'nonsense' must be an e-mail address, line 202.",
    'the row has 2 columns where the header has 4, line 203.',
    '',
  ]);
  const written = await readFile(bad, 'utf8');
  expect(written.split('\n').slice(0, 2)).toEqual([
    '\uFEFFreason;external_key;name;email;is_verified',
    "is_verified: 'quizás' is not known;K0;Núm. 0;k0@example.com;quizás",
  ]);
  expect(written.split('\n').slice(-3)).toEqual([
    `email: 'nonsense' must be an e-mail address;K200;"a;b";nonsense;sí`,
    'the row has 2 columns where the header has 4;K201;c',
    '',
  ]);
  await writeFile(bad, written.replace('nonsense;', 'k@example.com;').replace('K201;c', 'K201;c;c@example.com;no'));
  const again = ['customers', 'import', bad, '--value', 'is_verified:Quizás=false'];
  expect(await run(database, 'a0bad', ...again)).toEqual({
    code: 0,
    stdout: '202 rows: 202 created, 0 updated, 0 unchanged, 0 bad\n',
    stderr: '',
  });
  const json = await run(database, 'a0bad', 'customers', 'import', file, '--json');
  expect(JSON.parse(json.stdout).errors[0]).toEqual({
    column: 'is_verified',
    problem: "'quizás' is not known",
    advice: expect.stringContaining('--value'),
    lines: 200,
    first_lines: [2, 3, 4],
  });
});

test('a file that cannot be read and a login that cannot migrate are reported in a sentence', async ({ database }) => {
  await givenOrganization(database.operator, 'a0none');
  const attempts: [string[], RegExp][] = [
    [
      ['customers', 'import', join(folder, 'none.csv')],
      /^tankwatch: cannot read .*none\.csv: there is no such file; check the name and the folder \(.*\)\.\n$/,
    ],
    [['tanks', 'import', folder], /^tankwatch: cannot read .*: it is a folder, not a file; give one of its files\.\n$/],
    [
      ['telemetry', 'import', join(folder, 'none.csv')],
      /^tankwatch: cannot read .*none\.csv: there is no such file; check the name and the folder \(.*\)\.\n$/,
    ],
    [
      ['customers', 'import', `${EXAMPLES}customers.csv`, '--bad', `${EXAMPLES}../examples/customers.csv`],
      /^tankwatch: --bad must not be the file that is imported/,
    ],
  ];
  for (const [args, sentence] of attempts) {
    const { code, stderr } = await run(database, 'a0none', ...args);
    expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)]);
  }

  const login = `${database.name}_owner`;
  await database.owner.query(`create role ${login} login password 'x'`);
  await database.owner.query(`create database ${login}`);
  const url = new URL(databaseUrl(database.ownerUrl, login));
  [url.username, url.password] = [login, 'x'];
  const refused = await runCommand(['migrate'], { DATABASE_URL: url.href });
  expect([refused.code, refused.stderr]).toEqual([
    1,
    `tankwatch: the login ${login} cannot create tables; as a superuser, run: alter database "${login}" owner to "${login}";\n`,
  ]);
  // The roles belong to the server and exist already, so another name stands for a missing one.
  const limited = openPool({ url: url.href, applicationName: 'tests' });
  await expect(assertMayMigrate(limited, ['tankwatch_missing'])).rejects.toThrow(
    `the login ${login} cannot create the database roles; as a superuser, run: alter role "${login}" createrole;`,
  );
  await limited.end();
  await database.owner.query(`drop database ${login}`);
  await database.owner.query(`drop role ${login}`);
});
