import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { HOUR_MS } from '../../src/values/time.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenCustomer, givenTank } from '../support/fleet.ts';
import { givenFolder } from '../support/folder.ts';
import { givenTruck, recordRefills, refillOf, settle } from '../support/ledger.ts';
import { type TestDatabase, test } from '../support/test.ts';

async function givenFiles(database: TestDatabase, code = 'a0notes') {
  const environment = { OPERATOR_DATABASE_URL: database.urls.operator };
  const run = (...args: string[]) => runCommand(args, environment);
  await run('organizations', 'create', code, '--name', 'Gas', '--time-zone', 'America/Mexico_City');
  const { rows } = await database.owner.query<{ no: number }>('select no from organizations where code = $1', [code]);
  const organizationNo = rows[0]?.no ?? 0;
  const customer = await givenCustomer(database.operator, organizationNo, { external_key: 'C-1', name: 'Peña' });
  const tank = await givenTank(database.operator, organizationNo, customer.no, { custom_id: 'T-1', capacity: 1_000 });
  await givenTruck(database.owner, organizationNo, 'Pipa Ñandú');
  const folder = await givenFolder();
  const file = async (name: string, content: string | Buffer): Promise<string> => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  return { run, file, organizationNo, tank };
}

test('a file of notes is imported once with its own headings, and a changed note is a bad row without --replace', async ({
  database,
}) => {
  const { run, file, organizationNo, tank } = await givenFiles(database);
  const toMs = Date.UTC(2026, 9, 12, 18);
  const refill = { fromMs: toMs - HOUR_MS, toMs, liters: 378, before: 30 };
  await recordRefills(database.writer, [refillOf({ organizationNo, tankNo: tank.no }, refill)]);
  // The file is as an old program writes it: Windows-1252, semicolons, a decimal comma, gallons, days first.
  const rows = [
    'Folio;Fecha;Cantidad;Unidad;Cliente;Tanque;Pipa;Estado',
    'A1;12/10/2026 11:40;100,5;galones;C-1;T-1;pipa ñandú;vigente',
    'A2;14/10/2026;200;litros;C-1;;;cancelada',
    'A3;15/10/2026 10:00;200;litros;C-9;;;vigente',
  ];
  const notes = await file('notas.csv', Buffer.from(`${rows.join('\r\n')}\r\n`, 'latin1'));
  const columns =
    'number=Folio at=Fecha volume=Cantidad unit=Unidad customer=Cliente tank=Tanque truck=Pipa status=Estado'
      .split(' ')
      .flatMap((column) => ['--column', column]);
  const options = [
    '--organization',
    'a0notes',
    ...columns,
    '--date-order',
    'dmy',
    '--time-zone',
    'America/Mexico_City',
    '--decimal',
    'comma',
  ];
  const first = await run('notes', 'import', notes, ...options);
  expect([first.code, first.stdout]).toEqual([
    1,
    expect.stringContaining('3 rows: 2 created, 0 updated, 0 unchanged, 1 bad'),
  ]);
  expect(first.stderr).toContain("'C-9' is not the external_key or id of a customer");
  const again = await run('notes', 'import', notes, ...options);
  expect(again.stdout).toContain('3 rows: 0 created, 0 updated, 2 unchanged, 1 bad');
  const { rows: stored } = await database.owner.query(
    `select number, at, precision, round(volume::numeric, 1)::float8 as volume, unit, is_cancelled, source from delivery_notes
     where organization_no = $1 order by number`,
    [organizationNo],
  );
  expect(stored).toEqual([
    {
      number: 'A1',
      at: '2026-10-12T17:40:00.000Z',
      precision: 'minute',
      volume: 100.5,
      unit: 'gallons',
      is_cancelled: false,
      source: 'import',
    },
    {
      number: 'A2',
      at: '2026-10-14T06:00:00.000Z',
      precision: 'day',
      volume: 200,
      unit: 'liters',
      is_cancelled: true,
      source: 'import',
    },
  ]);

  const changed = await file(
    'changed.csv',
    Buffer.from([rows[0], rows[1]?.replace('100,5', '130')].join('\n'), 'latin1'),
  );
  const refused = await run('notes', 'import', changed, ...options);
  expect(refused.stdout).toContain('1 rows: 0 created, 0 updated, 0 unchanged, 1 bad');
  expect(refused.stderr).toContain('is a stored note with another volume');
  await settle(database.worker);
  const list = (...more: string[]) => run('notes', 'list', '--organization', 'a0notes', ...more);
  expect((await list()).stdout).toMatch(/A1 .*T-1 .*Peña .*Pipa Ñandú .*380 .*378 .*matches/);
  const replaced = await run('notes', 'import', changed, ...options, '--replace');
  expect(replaced.stdout).toContain('1 rows: 0 created, 1 updated, 0 unchanged, 0 bad');
  await settle(database.worker);
  expect((await list('--verdict', 'not_consistent')).stdout).toMatch(/A1 .*492 .*378 .*does not match/);
  expect(JSON.parse((await list('--verdict', 'consistent', '--json')).stdout)).toEqual([]);
});

test('implausible volumes and products are imported with a warning, and 1,234 follows the language of the organization', async ({
  database,
}) => {
  const { run, file, organizationNo } = await givenFiles(database, 'a0doubt');
  const notes = await file(
    'notes.csv',
    'number;at;volume;tank;product\nB1;2026-10-12;"1,234";T-1;Propano\nB2;2026-10-13;4;T-1;\nB3;2026-10-14;400;T-1;Diésel\nB4;2026-10-15;1.234;T-1;\n',
  );
  const { code, stdout, stderr } = await run('notes', 'import', notes, '--organization', 'a0doubt');
  expect([code, stdout]).toEqual([1, expect.stringContaining('4 rows: 3 created, 0 updated, 0 unchanged, 1 bad')]);
  expect(stderr).toContain("volume: '1.234' can mean 1.234 or 1234");
  expect(stderr).toContain("warning: volume: '1234 liters' is more than its tank holds, 1000 liters, line 2.");
  expect(stderr).toContain("warning: volume: '4 liters' is very little for its tank, 1000 liters, line 3.");
  expect(stderr).toContain("warning: product: 'diesel' is not what its tank holds, propane, line 4.");
  const { rows } = await database.owner.query(
    'select number, volume from delivery_notes where organization_no = $1 order by number',
    [organizationNo],
  );
  expect(rows).toEqual([
    { number: 'B1', volume: 1234 },
    { number: 'B2', volume: 4 },
    { number: 'B3', volume: 400 },
  ]);
});

test('an imported note with the number of a note that a driver has cancelled keeps nothing of it', async ({
  database,
}) => {
  const { run, file, organizationNo, tank } = await givenFiles(database, 'a0free');
  await database.owner.query(
    `insert into delivery_notes (id, organization_no, number, customer_no, tank_no, truck_no, at, precision, volume, unit, filled_to,
                                 is_cancelled, source)
     select gen_random_uuid(), $1, 'F1', t.owner_no, t.no, k.no, '2026-10-10T12:00Z', 'minute', 90, 'gallons', 85, true, 'driver'
     from tanks t join trucks k on k.organization_no = $1 where t.no = $2`,
    [organizationNo, tank.no],
  );
  const notes = await file('notes.csv', 'number;at;volume;tank\nF1;2026-10-12;400;T-1\n');
  const imported = async () => (await run('notes', 'import', notes, '--organization', 'a0free')).stdout;
  expect(await imported()).toContain('1 rows: 0 created, 1 updated, 0 unchanged, 0 bad');
  const { rows } = await database.owner.query(
    'select volume, unit, truck_no, filled_to, is_cancelled, source from delivery_notes where organization_no = $1',
    [organizationNo],
  );
  expect(rows).toEqual([
    { volume: 400, unit: 'liters', truck_no: null, filled_to: null, is_cancelled: false, source: 'import' },
  ]);
  expect(await imported()).toContain('1 rows: 0 created, 0 updated, 1 unchanged, 0 bad');
});
