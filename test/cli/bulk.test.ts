import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, expect, onTestFinished, vi } from 'vitest';
import { revokeDevice } from '../../src/catalog/devices.ts';
import { transaction } from '../../src/db/pool.ts';
import { program } from '../../src/main.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenEndpoint } from '../support/events.ts';
import { givenContact, givenKey, organizationCodeOf } from '../support/fleet.ts';
import { givenFleet } from '../support/readings.ts';
import { type TestDatabase, test } from '../support/test.ts';

const folder = await mkdtemp(join(tmpdir(), 'tankwatch-bulk-'));
afterAll(() => rm(folder, { recursive: true }));

const run = (database: TestDatabase, ...args: string[]) =>
  runCommand(args, {
    DATABASE_URL: database.urls.operator,
    DEVICE_SECRET: 'a secret of at least thirty-two characters',
  });

test('credentials of many devices are written as CSV or NDJSON, and --all-missing writes each only once', async ({
  database,
}) => {
  const { organizationNo, tanks } = await givenFleet(database, ['A1', 'A2', 'A3', 'A4', 'pending-abcdefghijkm']);
  const organization = ['--organization', await organizationCodeOf(database.owner, organizationNo)];
  const issue = (...args: string[]) => run(database, 'devices', 'issue', ...organization, ...args);
  await transaction(database.operator, (tx) => revokeDevice(tx, organizationNo, 'A4'));
  const issued = JSON.parse((await issue('A1', '--json')).stdout);

  const [file, output] = [join(folder, 'devices.csv'), join(folder, 'credentials.csv')];
  await writeFile(file, 'Nota;Device_ID\r\nx;A1\r\ny;A1\r\nz;A4\r\n;NONE\r\n;pending-abcdefghijkm\r\n');
  const listed = await issue('--file', file, '--format', 'ndjson');
  expect([listed.code, JSON.parse(listed.stdout)]).toEqual([
    1,
    { device_id: 'A1', ...issued, tank_id: tanks[0]?.id, custom_id: null },
  ]);
  expect(listed.stderr).toBe(
    "device_id: 'A4' is revoked, line 4. To allow it again: tankwatch devices rotate\n" +
      "device_id: 'NONE' was never on a tank, line 5. Assign it to a tank first.\n" +
      "device_id: 'pending-abcdefghijkm' is a placeholder, which has no password, line 6. Assign a device to the tank first.\n" +
      '1 devices issued, 3 not issued\n',
  );

  const missing = await issue('--all-missing', '--output', output);
  expect(missing).toEqual({ code: 0, stdout: '', stderr: '2 devices issued, 0 not issued\n' });
  const lines = (await readFile(output, 'utf8')).split('\n');
  expect([lines.length, lines[0], lines[1]]).toEqual([
    4,
    'device_id,username,password,generation,tank_id,custom_id',
    expect.stringMatching(new RegExp(`^A2,${organization[1]}/A2,[\\w-]{20,},1,${tanks[1]?.id},$`)),
  ]);
  expect((await stat(output)).mode & 0o777).toBe(0o600);
  expect((await issue('--all-missing')).stderr).toBe('0 devices issued, 0 not issued\n');
  expect((await issue('--all-missing', '--output', output)).stderr).toContain('exists already');
  expect((await issue()).stderr).toContain('name one device, or use --file, or use --all-missing');
  expect((await issue('NONE')).stderr).toContain('the device NONE was never on a tank; assign it to a tank first.');
  const { rows } = await database.owner.query(
    `select object_nos::int[] from audit_log where organization_no = $1 and action = 'issue' order by no`,
    [organizationNo],
  );
  expect(rows.map(({ object_nos }) => object_nos)).toEqual([
    [tanks[0]?.no],
    [tanks[0]?.no],
    [tanks[1]?.no, tanks[2]?.no],
  ]);
});

test('organizations show lists keys, webhooks and contacts', async ({ database }) => {
  const { organizationNo } = await givenFleet(database, ['S1']);
  const code = await organizationCodeOf(database.owner, organizationNo);
  const key = await givenKey(database.operator, { organizationNo, name: 'ERP' });
  const endpoint = await givenEndpoint(database, organizationNo);
  await givenContact(database.operator, organizationNo, { email: 'ops@example.com', types: [] });
  const shown = JSON.parse((await run(database, 'organizations', 'show', code, '--json')).stdout);
  expect(shown).toMatchObject({
    code,
    tanks: 1,
    keys: [{ prefix: key.prefix, name: 'ERP', state: 'live' }],
    webhooks: [{ id: endpoint.id }],
    contacts: [{ email: 'ops@example.com' }],
  });
  const { stdout } = await run(database, 'organizations', 'show', code);
  expect(stdout).toMatch(/^code: .*\n[^]*\nkeys:\nprefix[^]*\nwebhooks:\nid [^]*\ncontacts:\nid [^]*ops@example\.com/);
});

test('a date alone is the start of that day in UTC for every command, and the output says so', async ({ database }) => {
  const { organizationNo } = await givenFleet(database, ['T1']);
  const code = await organizationCodeOf(database.owner, organizationNo);
  const key = await run(
    database,
    'keys',
    'create',
    '--organization',
    code,
    '--name',
    'x',
    '--expires',
    '2099-01-01',
    '--json',
  );
  expect(key.stderr).toBe('2099-01-01 is read as 2099-01-01T00:00:00.000Z, the start of that day in UTC.\n');
  expect(JSON.parse(key.stdout)).toMatchObject({ expires_at: '2099-01-01T00:00:00.000Z' });
  const remarks = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => remarks.mockRestore());
  for (const [option, commands] of Object.entries(timeOptions()))
    for (const command of commands) {
      const parser = command.options.find(({ long }) => long === option)?.parseArg;
      const parsed: unknown = parser?.('2099-01-01', undefined);
      expect([command.name(), option, new Date(String(parsed)).getTime() || parsed]).toEqual([
        command.name(),
        option,
        Date.UTC(2099, 0),
      ]);
    }
});

/** The commands that have an option for a time, by option. */
function timeOptions(): Record<string, Command[]> {
  const leaves = program.commands.flatMap((root) => (root.commands.length === 0 ? [root] : root.commands));
  const names = ['--since', '--until', '--expires', '--from', '--to'];
  return Object.fromEntries(
    names.map((name) => [
      name,
      leaves.filter(({ options }) => options.some(({ long, flags }) => long === name && flags.includes('<time>'))),
    ]),
  );
}

test('the help of an option with few values lists them', () => {
  const help = (...path: string[]): string => {
    let command: Command = program;
    for (const name of path) command = command.commands.find((child) => child.name() === name) ?? command;
    return command.helpInformation();
  };
  expect(help('tanks', 'create')).toMatch(/--capacity-unit <text> .*\(choices: "liters",\s+"gallons"\)/);
  expect(help('tanks', 'update')).toMatch(
    /--use-case <text> .*\(choices: "residential",\s+"commercial",\s+"industrial"\)/,
  );
  expect(help('customers', 'update')).toMatch(/--is-verified <text> .*\(choices: "true",\s+"false"\)/);
  expect(help('customers', 'import')).toMatch(/--encoding <encoding> [^]*"utf-8",\s+"utf-16le"/);
  expect(help('customers', 'import')).toMatch(/--delimiter <delimiter> [^]*"comma",\s+"semicolon",\s+"tab"/);
  expect(help('telemetry', 'import')).toMatch(/--decimal <mark> [^]*"comma",\s+"point"/);
  expect(help('organizations', 'update')).toMatch(/--language <language> .*en or es/);
});
