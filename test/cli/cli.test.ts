import { execFileSync, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { expect, onTestFinished } from 'vitest';
import { programEnvironment } from '../../engines/process.ts';
import { parseKey } from '../../src/keys/key_format.ts';
import { program } from '../../src/main.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { MAIN, tankwatch } from '../support/cli.ts';
import { givenCustomer, givenOrganization, organizationCodeOf } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { within } from '../support/stopwatch.ts';
import { givenOtherDatabase, test } from '../support/test.ts';

test('migrate lists pending migrations, applies them, and says when there is nothing to do', async ({ database }) => {
  const environment = { DATABASE_URL: await givenOtherDatabase(database, { isMigrated: false }) };
  const dry = await tankwatch(['migrate', '--dry-run'], environment);
  expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('0001_roles.sql')]);
  const first = await tankwatch(['migrate', '--json'], environment);
  expect(JSON.parse(first.stdout).applied).toContain('0002_catalog.sql');
  const second = await tankwatch(['migrate'], environment);
  expect([second.code, second.stdout]).toEqual([0, 'the database was up to date already\n']);
});

test('keys create prints a key that the API accepts until keys revoke', async ({ database, api }) => {
  const environment = { DATABASE_URL: database.urls.operator };
  const organizationNo = await givenOrganization(database.operator);
  const code = await organizationCodeOf(database.owner, organizationNo);
  const customer = await givenCustomer(database.operator, organizationNo);
  const created = await tankwatch(
    ['keys', 'create', '--organization', code, '--name', 'ERP', '--customer', customer.id, '--quiet'],
    environment,
  );
  const key = created.stdout.trim();
  expect([created.code, created.stderr, parseKey(key) !== undefined]).toEqual([0, '', true]);
  expect((await api.call('/v1/customers', { key })).json.data[0].id).toBe(customer.id);
  const revoked = await tankwatch(['keys', 'revoke', key], environment); // people paste the whole key
  expect([revoked.code, revoked.stdout]).toEqual([0, `revoked ${key.split('.')[0]}\n`]);
  await within(1_000, () =>
    expect.poll(async () => (await api.call('/v1/customers', { key })).status, { interval: 50 }).toBe(401),
  );
});

test('keys create refuses a name that the table has no room for', async ({ database }) => {
  const code = await organizationCodeOf(database.owner, await givenOrganization(database.operator));
  const create = (name: string) =>
    tankwatch(['keys', 'create', '--organization', code, '--name', name], { DATABASE_URL: database.urls.operator });
  expect((await create('x'.repeat(200))).code).toBe(0);
  expect((await create('x'.repeat(201))).stderr).toContain('must have at most 200 characters');
});

test('tankwatch --version prints the version of the package', async () => {
  const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  const { code, stdout } = await tankwatch(['--version'], {});
  expect([code, stdout]).toEqual([0, `${manifest.version}\n`]);
});

/** Reads the help texts in this process: a process for each of the 60 commands takes a minute. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (chunk) => (text += chunk) }).outputHelp();
  return text;
}

test('every command has help with an example, and a group lists its commands', async () => {
  const roots = program.commands.map((command) => command.name());
  expect(roots).toEqual(
    expect.arrayContaining([
      'api',
      'migrate',
      'organizations',
      'customers',
      'tanks',
      'keys',
      'devices',
      'audit',
      'simulate',
    ]),
  );
  for (const group of [program, ...program.commands])
    for (const command of group.commands) expect(helpOf(group)).toMatch(new RegExp(`^ {2}${command.name()} `, 'm'));
  const leaves = program.commands.flatMap((root) => (root.commands.length === 0 ? [root] : root.commands));
  expect(leaves.length).toBeGreaterThan(25);
  for (const leaf of leaves) expect(helpOf(leaf), leaf.name()).toMatch(/Example:\n {2}.*tankwatch/);

  const { code, stdout } = await tankwatch(['keys', 'create', '--help'], {});
  expect([code, stdout]).toEqual([0, expect.stringContaining('Example:\n  tankwatch keys create')]);
});

test('with --json, a mistake and a refusal are JSON too', async ({ database }) => {
  const mistake = await tankwatch(['tanks', 'list', '--json'], {});
  expect([mistake.code, JSON.parse(mistake.stderr)]).toEqual([
    1,
    { error: "required option '--organization <code>' not specified" },
  ]);
  const environment = { DATABASE_URL: database.urls.operator };
  const refused = await tankwatch(['tanks', 'list', '--organization', 'NOBODY', '--json'], environment);
  expect([refused.code, JSON.parse(refused.stderr)]).toEqual([1, { error: expect.stringContaining('NOBODY') }]);
});

test('the completion of bash proposes commands, their subcommands and their options', async () => {
  const { stdout } = await tankwatch(['completion', 'bash'], {});
  const proposals = (...typed: string[]) => {
    const words = `COMP_WORDS=(tankwatch ${typed.join(' ')}); COMP_CWORD=${typed.length}; _tankwatch`;
    return execFileSync('bash', ['-c', `${stdout}\n${words}; echo "\${COMPREPLY[@]}"`], { encoding: 'utf8' }).trim();
  };
  expect([proposals('do'), proposals('tanks', 'sh'), proposals('tanks', 'show', '--org')]).toEqual([
    'doctor',
    'show',
    '--organization',
  ]);
});

test('tankwatch api serves until SIGTERM and ends with 0', async ({ database }) => {
  const port = await freePort();
  const environment = {
    API_DATABASE_URL: database.urls.api,
    API_HOST: '127.0.0.1',
    API_PORT: String(port),
    API_DRAIN_MS: '100',
    GATEWAY_DRAIN_MS: '100',
  };
  const child = spawn(process.execPath, [MAIN, 'api'], {
    env: { ...programEnvironment(), ...environment },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.once('close', (code) => resolve(code)));
  onTestFinished(() => void child.kill('SIGKILL')); // nothing is left running if it fails
  const url = `http://127.0.0.1:${port}`;
  await expect
    .poll(() =>
      callApi(url, '/readyz').then(
        (response) => response.status,
        () => 0,
      ),
    )
    .toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});
