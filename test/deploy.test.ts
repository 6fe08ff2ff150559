import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { databaseUrl } from '../engines/logins.ts';
import { RoleProcess } from '../engines/process.ts';
import { DATABASE_ROLES, excessRights } from '../src/db/login_rights.ts';
import { openPool } from '../src/db/pool.ts';
import {
  ALL_ROLES,
  findSettingProblems,
  findUnknownSettings,
  type SettingsUser,
} from '../src/settings/setting_list.ts';
import { startPostgres } from '../src/setup/servers/postgres.ts';
import { tankwatch } from './support/cli.ts';
import { givenFolder } from './support/folder.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');

const PASSWORDS = Object.fromEntries(
  ['API', 'GATEWAY', 'WRITER', 'WORKER', 'OPERATOR', 'MANAGER', 'OWNER'].map((name) => [
    `${name}_PASSWORD`,
    name.toLowerCase(),
  ]),
);

test('owner.sh, migrate and logins.sql create an owner that is not a superuser, and logins with the rights of one role', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const server = new URL(postgres.url);
  const env = {
    PATH: `${postgres.binFolder}:${process.env['PATH']}`,
    PGHOST: server.hostname,
    PGPORT: server.port,
    PGUSER: 'postgres',
    PGPASSWORD: server.password,
    ...PASSWORDS,
  };
  await run(join(ROOT, 'deploy/owner.sh'), [], { env });
  const loginUrl = (user: string, password: string): string =>
    databaseUrl(postgres.url, 'tankwatch', { user, password });
  const ownerUrl = loginUrl('tankwatch_owner', 'owner');
  expect((await tankwatch(['migrate'], { MIGRATE_DATABASE_URL: ownerUrl })).code).toBe(0);
  for (const time of ['first', 'second']) {
    const { stderr } = await run('psql', ['--quiet', `--file=${join(ROOT, 'deploy/logins.sql')}`, ownerUrl], { env });
    expect([time, stderr]).toEqual([time, '']);
  }

  const owner = openPool({ url: ownerUrl, applicationName: 'test' });
  onTestFinished(() => owner.end());
  expect((await owner.query('select rolsuper from pg_roles where rolname = current_user')).rows).toEqual([
    { rolsuper: false },
  ]);
  for (const role of DATABASE_ROLES) {
    const pool = openPool({ url: loginUrl(`tw_${role}`, role), applicationName: 'test' });
    expect([role, await excessRights(pool, role)]).toEqual([role, []]);
    await pool.end();
  }
  expect(await excessRights(owner, 'writer')).toEqual(['it owns the tables']);

  // A role that runs with the login of the owner warns once in its log. With its own login it does not.
  const warning = 'the database login of the api has more rights than it needs';
  const startApi = async (url: string): Promise<string> => {
    const api = new RoleProcess('api', {
      DATABASE_URL: url,
      API_PORT: '0',
      API_HOST: '127.0.0.1',
      API_DRAIN_MS: '1500',
    });
    await api.start();
    await api.stop();
    return api.log;
  };
  const asOwner = await startApi(ownerUrl);
  expect(asOwner.split(warning)).toHaveLength(2);
  expect(asOwner).toContain('"reasons":["it owns the tables"]');
  expect(await startApi(loginUrl('tw_api', 'api'))).not.toContain(warning);
});

test('containers have no capabilities and a read-only file system, and only MQTT over TLS is open to the network', async () => {
  const compose = await readFile(join(ROOT, 'compose.yaml'), 'utf8');
  const [, services = ''] = /^services:\n(.*?)^volumes:/ms.exec(compose) ?? [];
  const blocks = services.split(/^ {2}(?=\w+:$)/m).slice(1);
  expect(blocks.map((block) => block.split(':')[0])).toEqual([
    'postgres',
    'nats',
    'migrate',
    'logins',
    'init',
    'api',
    'gateway',
    'writer',
    'worker',
    'connector',
    'operator',
  ]);
  for (const block of blocks) expect(block).toMatch(/<<: \*(hardened|tankwatch)\n/);
  expect(compose).toMatch(/&tankwatch\n {2}<<: \*hardened\n/);
  expect(compose.match(/^ +build: /gm)).toHaveLength(1);
  for (const setting of ['init: true', 'logging: {', 'cap_drop: [ALL]', '"no-new-privileges:true"', 'read_only: true'])
    expect(compose).toContain(setting);
  for (const block of blocks.filter((text) => !text.includes('*tankwatch')))
    expect(block).toMatch(/mem_limit: \d+[mg]\n/);

  const portsOf = (text: string): string[] =>
    [...text.matchAll(/ports: \[(.*)\]/g)].flatMap(([, ports = '']) =>
      [...ports.matchAll(/"(.*?)"/g)].map(([, p = '']) => p),
    );
  expect(portsOf(compose)).toEqual(['127.0.0.1:8080:8080', '127.0.0.1:8081:8081', '127.0.0.1:1883:1883']);
  expect(portsOf(await readFile(join(ROOT, 'compose.tls.yaml'), 'utf8'))).toEqual(['8883:8883']);

  const example = await readFile(join(ROOT, '.env.example'), 'utf8');
  const required = new Set([...compose.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
  required.delete('USER'); // a variable of the shell
  for (const name of required) expect(example).toMatch(new RegExp(`^${name}=`, 'm'));
  // A service that has a secret can also have its previous value, so that the secret can be replaced.
  for (const block of blocks)
    for (const [, name = ''] of block.matchAll(/^ +((?:DEVICE_SECRET|LINK_SECRET|(?:API_)?SECRETS_KEY)): /gm))
      expect(block).toContain(` ${name}_PREVIOUS: `);
});

test('nats-server reads its configuration from a folder that an upgrade does not replace', async () => {
  const unit = await readFile(join(ROOT, 'deploy/systemd/tankwatch-nats.service'), 'utf8');
  expect(unit).toMatch(/^ExecStart=\S+nats-server --config %d\/nats\.conf /m);
  expect(unit).toMatch(/^LoadCredential=nats\.conf:\/etc\/tankwatch\/nats\.conf$/m);
  for (const guide of ['install.md', 'upgrade.md'])
    expect(await readFile(join(ROOT, 'docs/operators', guide), 'utf8')).toMatch(
      /^\$ .*cp \/opt\/tankwatch\/deploy\/nats\.conf \/etc\/tankwatch\//m,
    );
});

/** Variables of a systemd unit or of an environment file. */
const variablesIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^(?:Environment=)?([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value.replace(/^"(.*)"$/, '$1'),
    ]),
  );

test('the systemd units give each role valid settings from the files that credentials.sh creates', async () => {
  const folder = await givenFolder();
  const createCredentials = async (): Promise<Record<string, string>> => {
    await run(join(ROOT, 'deploy/credentials.sh'), [folder]);
    const files = await readdir(folder);
    return Object.fromEntries(
      await Promise.all(files.map(async (file) => [file, await readFile(join(folder, file), 'utf8')] as const)),
    );
  };
  const created = await createCredentials();
  expect(await createCredentials()).toEqual(created); // a second run changes nothing
  for (const file of Object.keys(created)) expect((await stat(join(folder, file))).mode & 0o077).toBe(0);

  const read = (file: string): Promise<string> => readFile(join(ROOT, 'deploy/systemd', file), 'utf8');
  const common = variablesIn(await read('tankwatch.env'));
  const asInstalled = (text: string): Record<string, string> =>
    variablesIn(text.replaceAll('%d', folder).replaceAll('/etc/tankwatch/credentials', folder));
  const ports = new Set<string | undefined>();
  for (const role of [...ALL_ROLES, 'migrate'] as const) {
    const unit = await read(`tankwatch-${role}.service`);
    expect(unit).toContain(`\nExecStart=/opt/tankwatch/bin/tankwatch ${role}\n`);
    const environment = { ...common, ...asInstalled(unit) };
    expect([role, findSettingProblems(environment, [role]), findUnknownSettings(environment)]).toEqual([role, [], []]);
    const loaded = [...unit.matchAll(/^LoadCredential=(\w+):/gm)].map(([, name]) => name);
    expect(loaded.map((name) => environment[`${name?.toUpperCase()}_FILE`])).toEqual(
      loaded.map((name) => join(folder, name ?? '')),
    );
    ports.add(environment['METRICS_PORT']);
  }
  expect(ports.size).toBe(ALL_ROLES.length + 1);
  const targets = (await readFile(join(ROOT, 'deploy/prometheus/prometheus.yml'), 'utf8')).match(
    /(?<=127\.0\.0\.1:)\d+/g,
  );
  expect(targets).toEqual([...ports].filter((port) => port !== undefined).toSorted());
  const operator: SettingsUser = 'operator';
  expect(findSettingProblems({ ...common, ...asInstalled(await read('operator.env')) }, [operator])).toEqual([]);
});

test('api and gateway get no SECRETS_KEY, which opens the secrets of all webhooks', async () => {
  for (const role of ['api', 'gateway']) {
    const unit = await readFile(join(ROOT, `deploy/systemd/tankwatch-${role}.service`), 'utf8');
    expect([role, /(?<!api_)secrets_key/i.test(unit)]).toEqual([role, false]);
    const [, service = ''] =
      new RegExp(`^  ${role}:\\n((?:    .*\\n|\\n)+)`, 'm').exec(await readFile(join(ROOT, 'compose.yaml'), 'utf8')) ??
      [];
    expect([role, service.includes('_DATABASE_URL'), /(?<!API_)SECRETS_KEY/.test(service)]).toEqual([
      role,
      true,
      false,
    ]);
  }
});
