import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, onTestFinished } from 'vitest';
import { createLogins, databaseUrl } from '../../engines/logins.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { deleteCustomer } from '../../src/catalog/customers.ts';
import { revokeDevice, rotateDevice } from '../../src/catalog/devices.ts';
import { updateTank } from '../../src/catalog/tanks.ts';
import { openPool, transaction } from '../../src/db/pool.ts';
import { revokeKey, rotateKey } from '../../src/keys/issue_key.ts';
import { addContact, removeContact, updateContact } from '../../src/mail/contacts.ts';
import { uuid7 } from '../../src/values/uuid7.ts';
import { disableEndpoint, enableEndpoint } from '../../src/webhooks/endpoints.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenRound } from '../support/driven_rounds.ts';
import { givenEndpoint } from '../support/events.ts';
import { givenCustomer, givenKey, givenOrganization, givenTank, organizationCodeOf } from '../support/fleet.ts';
import { givenFolder } from '../support/folder.ts';
import { test } from '../support/test.ts';

const run = promisify(execFile);

test('after a restore of an older backup, "restore finish" deletes and revokes again what was removed since', async ({
  database,
}) => {
  const { operator } = database;
  const organizationNo = await givenOrganization(operator);
  const ana = await givenCustomer(operator, organizationNo, { name: 'Ana Quiroga', email: 'ana.quiroga@example.com' });
  const anasTank = await givenTank(operator, organizationNo, ana.no, { assigned_device_id: 'ANAS', name: 'Quiroga' });
  const ben = await givenCustomer(operator, organizationNo, { name: 'Ben', email: 'ben@example.com' });
  const eve = await givenCustomer(operator, organizationNo, { name: 'Eve Zapata', email: 'eve.zapata@example.com' });
  const evesTank = await givenTank(operator, organizationNo, eve.no, { assigned_device_id: 'EVES' });
  await givenTank(operator, organizationNo, ben.no, { assigned_device_id: 'BENS' });
  const narrowed = await givenKey(operator, { organizationNo, customerNo: ana.no, name: 'Ana Quiroga app' });
  const revoked = await givenKey(operator, { organizationNo });
  const rotated = await givenKey(operator, { organizationNo });
  const kept = await givenKey(operator, { organizationNo });
  const [disabled, enabled] = [
    await givenEndpoint(database, organizationNo),
    await givenEndpoint(database, organizationNo),
  ];
  const contact = await transaction(operator, (tx) =>
    addContact(operatorChange(tx, organizationNo), { email: 'former@example.com', types: [] }),
  );

  const dispatcher = await transaction(operator, (tx) =>
    addContact(operatorChange(tx, organizationNo), { email: 'dispatch@example.com', types: [], roles: ['viewer'] }),
  );
  await database.api.query(`select create_session('a0backup', sha256('x'), $1)`, [kept.no]);

  // Its links may be ended after the backup.
  const { id: roundId } = await givenRound(database.owner, organizationNo, { stops: 0 });
  await givenRound(database.owner, organizationNo, { stops: 0, daysAgo: 9 });

  const folder = await givenFolder();
  const dump = join(folder, 'backup.dump');
  await run('pg_dump', ['--format=custom', `--file=${dump}`, database.ownerUrl]);

  await transaction(operator, async (tx) => {
    await deleteCustomer(tx, organizationNo, ana.no, { withTanks: true });
    await revokeKey(tx, revoked.prefix);
    await rotateKey(tx, rotated.prefix, 24);
    await revokeDevice(tx, organizationNo, 'ANAS');
    await revokeDevice(tx, organizationNo, 'EVES');
    await rotateDevice(tx, organizationNo, 'BENS');
    await removeContact(operatorChange(tx, organizationNo), contact.id);
    await updateContact(operatorChange(tx, organizationNo), dispatcher.id, { roles: [] });
    await disableEndpoint(tx, disabled.no, 'operator');
    await disableEndpoint(tx, enabled.no, 'operator');
    // Eve's tank goes to Ben, and then Eve is deleted.
    await updateTank(tx, organizationNo, evesTank.no, { owner_no: ben.no });
    await deleteCustomer(tx, organizationNo, eve.no);
  });
  await transaction(operator, (tx) => enableEndpoint(tx, enabled.no));
  await database.api.query('select unsubscribe_customer_of_link($1)', [ben.id]);
  const file = join(folder, 'removals.ndjson');
  const exported = await runCommand(['removals', 'export', file], { OPERATOR_DATABASE_URL: database.urls.operator });
  expect([exported.code, exported.stdout]).toEqual([0, expect.stringMatching(/^wrote 1\d removals to /)]);
  const again = await runCommand(['removals', 'export', file], { OPERATOR_DATABASE_URL: database.urls.operator });
  expect([again.code, again.stderr]).toEqual([1, `tankwatch: ${file} exists already; choose another name.\n`]);

  const name = `${database.name}_r`;
  await database.owner.query(`create database ${name}`);
  const restoredUrl = databaseUrl(inject('serverUrl'), name);
  await run('pg_restore', [`--dbname=${restoredUrl}`, dump]);
  const restored = openPool({ url: restoredUrl, applicationName: 'test' });
  const urls = await createLogins(restored, inject('serverUrl'), name);
  onTestFinished(async () => {
    await restored.end();
    await database.owner.query(`drop database ${name} with (force)`);
    for (const role of Object.keys(urls)) await database.owner.query(`drop role ${name}_${role}`);
  });
  const textOfDatabase = async (): Promise<string> =>
    (await run('pg_dump', [restoredUrl], { maxBuffer: 2 ** 28 })).stdout;
  for (const value of ['quiroga', 'zapata', 'former@']) expect((await textOfDatabase()).toLowerCase()).toContain(value);

  const finish = (...args: string[]) =>
    runCommand(['restore', 'finish', '--removals', file, '--json', '--as', 'restorer', ...args], {
      OPERATOR_DATABASE_URL: urls.operator,
    });
  const tried = await finish('--dry-run');
  expect([tried.stderr, JSON.parse(tried.stdout)]).toMatchObject(['', { dry_run: true, applied: 12 }]);
  const finished = await finish();
  // Eve owns a tank in the backup, because its transfer is lost: an operator has to decide about it.
  expect([finished.code, JSON.parse(finished.stdout)]).toEqual([
    1,
    { applied: 12, unchanged: 1, owners_of_tanks: [eve.id], sessions_ended: 1, rounds_without_link: 1 },
  ]);
  const { rows: linked } = await restored.query<{ is_ahead: boolean }>(
    'select link_generation > 999 as is_ahead from rounds order by id = $1',
    [roundId],
  );
  expect(linked.map((round) => round.is_ahead)).toEqual([false, true]);
  await transaction(restored, (tx) => updateTank(tx, organizationNo, evesTank.no, { owner_no: ben.no }));
  const second = await finish();
  expect([second.code, JSON.parse(second.stdout)]).toEqual([
    0,
    { applied: 1, unchanged: 13, owners_of_tanks: [], sessions_ended: 0, rounds_without_link: 1 },
  ]);

  const text = (await textOfDatabase()).toLowerCase();
  for (const value of ['quiroga', 'zapata', 'former@']) expect(text).not.toContain(value);
  const rowsOf = async (statement: string, values: unknown[] = []) => (await restored.query(statement, values)).rows;
  expect(
    await rowsOf(
      `select prefix, revoked_at is not null as is_revoked, expires_at > now() + interval '23 hours' as expires
       from api_keys where organization_no = $1 order by no`,
      [organizationNo],
    ),
  ).toEqual([
    { prefix: narrowed.prefix, is_revoked: true, expires: null },
    { prefix: revoked.prefix, is_revoked: true, expires: null },
    { prefix: rotated.prefix, is_revoked: false, expires: true },
    { prefix: kept.prefix, is_revoked: false, expires: null },
  ]);
  expect(
    await rowsOf(
      `select device_id, generation, revoked_at is not null as is_revoked from device_credentials
       where organization_no = $1 order by device_id`,
      [organizationNo],
    ),
  ).toEqual([
    { device_id: 'ANAS', generation: 1, is_revoked: true },
    { device_id: 'BENS', generation: 2, is_revoked: false },
    { device_id: 'EVES', generation: 1, is_revoked: true },
  ]);
  expect(await rowsOf('select no from tanks where deleted_at is not null')).toEqual([{ no: anasTank.no }]);
  expect(await rowsOf('select no from customers where deleted_at is not null order by no')).toEqual([
    { no: ana.no },
    { no: eve.no },
  ]);
  expect(await rowsOf('select has_console from contacts where deleted_at is null')).toEqual([{ has_console: false }]);
  expect(await rowsOf('select ended_at is null as is_open from sessions')).toEqual([{ is_open: false }]);
  expect(await rowsOf('select customer_no from reminder_unsubscribes')).toEqual([{ customer_no: ben.no }]);
  expect(await rowsOf('select no, disabled_because from webhook_endpoints order by no')).toEqual([
    { no: disabled.no, disabled_because: 'operator' },
    { no: enabled.no, disabled_because: null },
  ]);
  expect(await rowsOf(`select distinct actor from audit_log where action = 'delete'`)).toEqual([{ actor: 'restorer' }]);
});

test('a file that cannot be read, or that is not a record of removals, is refused before anything changes', async ({
  database,
}) => {
  const folder = await givenFolder();
  const file = join(folder, 'notes.txt');
  await writeFile(file, 'not removals\n');
  const finish = async (name: string): Promise<string> =>
    (await runCommand(['restore', 'finish', '--removals', name], { OPERATOR_DATABASE_URL: database.urls.operator }))
      .stderr;
  expect(await finish(file)).toBe(
    `tankwatch: line 1 of ${file} is not a removal; give the file as the worker wrote it.\n`,
  );
  expect(await finish(join(folder, 'missing'))).toMatch(/^tankwatch: cannot read .*missing \(ENOENT\)/);
});

test('a removal whose device has the separators U+2028 and U+2029 in its name is applied', async ({ database }) => {
  const folder = await givenFolder();
  const organizationNo = await givenOrganization(database.operator);
  const code = await organizationCodeOf(database.owner, organizationNo);
  const [at, deviceId] = ['2026-01-01T00:00:00.000Z', 'S\u2028E\u2029N'];
  const removal = { id: uuid7(), at, kind: 'device', organization: code, object: deviceId, ended_at: at };
  const file = join(folder, 'removals.ndjson');
  // The file went through Windows, and a crash cut off its last line.
  const text = JSON.stringify({ ...removal, generation: 1 });
  await writeFile(file, `${text}\r\n\r\n${text.slice(0, 60)}`);
  const { stdout, stderr } = await runCommand(['restore', 'finish', '--removals', file, '--json'], {
    OPERATOR_DATABASE_URL: database.urls.operator,
  });
  expect([stderr, stdout]).toEqual(['', expect.stringContaining('"applied":1')]);
  const { rows: devices } = await database.owner.query(
    'select device_id from device_credentials where organization_no = $1 and revoked_at is not null',
    [organizationNo],
  );
  expect(devices).toEqual([{ device_id: deviceId }]);
});
