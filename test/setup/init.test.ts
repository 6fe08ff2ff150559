import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { DATABASE_ROLES, databaseSettingOf, excessRights } from '../../src/db/login_rights.ts';
import { openPool } from '../../src/db/pool.ts';
import { parseSettings, settingLine } from '../../src/settings/settings_file.ts';
import { firstFreePort, isFreePort } from '../../src/setup/first_free_port.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { startPostgres } from '../../src/setup/servers/postgres.ts';
import { type Finished, tankwatch } from '../support/cli.ts';
import { callApi } from '../support/http.ts';
import { startStopwatch } from '../support/stopwatch.ts';
import { isWhole } from '../support/whole_tests.ts';
import { startUp, type Up } from './up.ts';

const whole = test.runIf(isWhole('setup/init'));

const ENVIRONMENT = { HOME: '/nonexistent', METRICS_PORT: '0' };
/** Each test installation has its own ports: until `up` starts, another test could take the ports that `init` chose. */
const PORT_NAMES = ['API_PORT', 'GATEWAY_HTTP_PORT', 'GATEWAY_MQTT_PORT', 'POSTGRES_PORT', 'NATS_PORT'] as const;
const newPorts = (): Promise<[string, string][]> =>
  Promise.all(PORT_NAMES.map(async (name) => [name, String(await freePort())]));
const SECRETS = /SECRET|PASSWORD|_URL$|SECRETS_KEY/;

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tankwatch-init-'));
  chmodSync(folder, 0o755); // PostgreSQL does not run as root
  return folder;
}

const readSettings = (file: string): Record<string, string> => parseSettings(readFileSync(file, 'utf8'), file);

interface Report {
  settings_file: string;
  organization: string;
  done: string[];
  unchanged: string[];
  not_done: string[];
}

const reportOf = ({ code, stdout, stderr }: Finished): Report => {
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

/** The processes that a process has started, by the name of their program. */
function childrenOf(child: ChildProcess): Map<string, number> {
  const pids = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ').filter(Boolean);
  return new Map(pids.map((pid) => [readFileSync(`/proc/${pid}/comm`, 'utf8').trim(), Number(pid)]));
}

const isGone = (pid: number): boolean => statSync(`/proc/${pid}`, { throwIfNoEntry: false }) === undefined;

describe('in an installation with a PostgreSQL of its own', () => {
  let folder: string;
  let file: string;
  let ports: Record<string, string>;
  let first: Finished;
  let up: Up;
  let startSeconds: number;
  beforeAll(async () => {
    folder = newFolder();
    file = join(folder, 'tankwatch.env');
    const options = ['--yes', '--json', '--database', 'start', '--name', 'Gas del Valle', '--code', 'a0gas'];
    ports = { NATS_MONITOR_URL: `http://127.0.0.1:${await freePort()}` };
    ports = { ...ports, ...Object.fromEntries(await newPorts()) };
    first = await tankwatch(['init', ...options, '--config', file], { ...ENVIRONMENT, ...ports });
    const stopwatch = startStopwatch();
    up = await startUp(file, ENVIRONMENT);
    startSeconds = stopwatch.read().ranMs / 1_000;
  });
  afterAll(async () => {
    await up?.stop();
    rmSync(folder, { recursive: true });
  });
  const run = (...args: string[]): Promise<Finished> => tankwatch([...args, '--config', file], {});

  test('init says what it did and what it did not do, and prints no secret', () => {
    const { done, not_done } = reportOf(first);
    expect(done).toEqual([
      `wrote ${file} with new passwords and secrets; only you can read it`,
      `wrote ${join(folder, 'nats.conf')}`,
      `created a PostgreSQL server in ${join(folder, 'data/postgres')}`,
      'created the role tankwatch_owner and the database tankwatch',
      expect.stringMatching(/^created the tables \(\d+ migrations\)$/),
      'created the logins tw_api, tw_gateway, tw_writer, tw_worker, tw_operator, tw_manager',
      'created the organization a0gas (Gas del Valle)',
      ...done.filter((line) => line === 'built the console'),
    ]);
    expect(not_done).toContain('nothing was started, and nothing listens yet');
    const secrets = Object.entries(readSettings(file)).filter(([name]) => SECRETS.test(name));
    expect(secrets.length).toBeGreaterThan(15);
    const passwords = secrets.map(([, value]) => (URL.canParse(value) ? new URL(value).password : value));
    const printed = first.stdout + first.stderr + readFileSync(join(folder, 'nats.conf'), 'utf8');
    for (const password of passwords.filter((text) => text !== '')) {
      expect(password).toMatch(/^[a-z0-9]{49,}$/);
      expect(printed).not.toContain(password);
    }
  });

  test('init uses the ports of the environment, also in the addresses that it writes', () => {
    const settings = readSettings(file);
    expect(settings).toMatchObject(ports);
    expect(settings['METRICS_PORT']).toMatch(/^\d{4,5}$/);
    expect(settings).not.toHaveProperty('GATEWAY_PROXY_PROTOCOL');
    expect(settings).toMatchObject({
      PUBLIC_URL: `http://127.0.0.1:${ports['API_PORT']}`,
      GATEWAY_URL: `http://127.0.0.1:${ports['GATEWAY_HTTP_PORT']}`,
      MIGRATE_DATABASE_URL: expect.stringContaining(`@127.0.0.1:${ports['POSTGRES_PORT']}/`),
      WRITER_NATS_URL: expect.stringContaining(`@127.0.0.1:${ports['NATS_PORT']}`),
    });
  });

  test('only the owner can read the settings, and all secrets differ', () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const settings = readSettings(file);
    const names = ['DEVICE_SECRET', 'SECRETS_KEY', 'LINK_SECRET', 'POSTGRES_PASSWORD'];
    const roles = DATABASE_ROLES.map((role) => new URL(settings[databaseSettingOf(role)] ?? '').password);
    expect(new Set([...names.map((name) => settings[name]), ...roles]).size).toBe(names.length + roles.length);
  });

  test('up is ready within 30 seconds and listens on 127.0.0.1 only', () => {
    expect(startSeconds).toBeLessThan(30);
    expect(up.listening.map(({ what }) => what)).toEqual([
      'console and API',
      'readings over HTTP',
      'readings over MQTT',
      'metrics and health',
      'nats-server',
      'PostgreSQL',
    ]);
    for (const { address } of up.listening) expect(address).toMatch(/^127\.0\.0\.1:/);
  });

  test('the printed link opens the console of the organization, once', async () => {
    const press = (): Promise<Response> => fetch(up.sign_in_url, { method: 'POST', redirect: 'manual' });
    const response = await press();
    expect([response.status, response.headers.get('location')]).toEqual([303, '/console/']);
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const session = await fetch(new URL('/session', up.sign_in_url), { headers: { cookie } });
    expect(await session.json()).toMatchObject({ organization: { name: 'Gas del Valle' }, customer: null });
    expect((await press()).status).toBe(410);
  });

  test('every login has the rights of its role and no more', async () => {
    const settings = readSettings(file);
    for (const role of DATABASE_ROLES) {
      const pool = openPool({ url: settings[databaseSettingOf(role)] ?? '', applicationName: 'test' });
      expect([role, await excessRights(pool, role)]).toEqual([role, []]);
      await pool.end();
    }
  });

  whole('commands need no variable to create a tank, send a reading and read it', async () => {
    const settings = readSettings(file);
    const inOrganization = ['--organization', 'a0gas'];
    const customer = ['--external-key', 'C-1', '--name', 'María', '--email', 'maria@example.com'];
    expect((await run('customers', 'create', ...inOrganization, ...customer)).stderr).toBe('');
    const tank = ['--owner', 'C-1', '--name', 'House', '--assigned-device-id', 'ABCD1234', '--capacity', '300'];
    const created = await run('tanks', 'create', ...inOrganization, ...tank, '--capacity-unit', 'liters');
    const [id = created.stderr] = /[0-9a-f-]{36}/.exec(created.stdout) ?? [];
    const sent = await run('devices', 'test', 'ABCD1234', ...inOrganization, '--fill', '45.5');
    const url = `mqtt://127.0.0.1:${settings['GATEWAY_MQTT_PORT']}`;
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining(`the gateway at ${url} has stored {`) });
    const unknown = await run('devices', 'test', 'NOBODY', ...inOrganization, '--fill', '45.5');
    expect(unknown.stderr).toBe('tankwatch: the device NOBODY was never on a tank; assign it to a tank first.\n');
    const key = (await run('keys', 'create', ...inOrganization, '--name', 'test', '--quiet')).stdout.trim();
    const count = async (): Promise<unknown> =>
      (await callApi(settings['PUBLIC_URL'] ?? '', `/v1/tanks/${id}/telemetry`, { key })).json.total_items;
    await expect.poll(count).toBe(1);
    const { stdout } = await run('stream', 'status');
    expect(stdout).toMatch(/messages/);
  });

  whole('a second init changes nothing, also while up runs', async () => {
    const before = readFileSync(file, 'utf8');
    const { done, unchanged, not_done } = reportOf(
      await tankwatch(['init', '--yes', '--json', '--config', file], ENVIRONMENT),
    );
    expect(done).toEqual([]);
    expect(not_done[0]).toBe('tankwatch is running');
    expect(unchanged).toEqual([
      `${file} has all settings`,
      `${join(folder, 'nats.conf')} exists`,
      'the tables are up to date',
      'the logins of all roles exist',
      'the organization a0gas exists',
    ]);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  whole('init with another name, code, URL or database says what it did not change, and how to change it', async () => {
    const before = readFileSync(file, 'utf8');
    const init = async (...options: string[]): Promise<string[]> =>
      reportOf(await tankwatch(['init', '--yes', '--json', '--config', file, ...options], ENVIRONMENT)).not_done;
    expect(await init('--name', "Gas d'Oro", '--code', 'a0gas')).toContain(
      `the organization a0gas keeps its name Gas del Valle; to rename it: tankwatch organizations update a0gas --name 'Gas d'\\''Oro'`,
    );
    const others = await init('--name', 'Gas Norte', '--url', 'https://other.example.com', '--database', 'start');
    expect(others).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /^the organization a0gasnorte was not created, .*organizations create --name 'Gas Norte'/,
        ),
        expect.stringMatching(
          /^PUBLIC_URL in .* stays http:\/\/127.* not https:\/\/other.example.com; to change it, edit/,
        ),
        `--database was not used: ${file} names a database`,
      ]),
    );
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  whole('init replaces the paths of programs that do not exist, or that npm would delete', async () => {
    const before = readFileSync(file, 'utf8');
    onTestFinished(() => writeFileSync(file, before, { mode: 0o600 }));
    const { NATS_SERVER: nats, POSTGRES_BIN: bin } = readSettings(file);
    expect([nats, bin].join()).not.toContain('node_modules');
    const broken = (path: string): string =>
      before
        .replace(/^NATS_SERVER=.*$/m, `NATS_SERVER=${path}`)
        .replace(/^POSTGRES_BIN=.*$/m, 'POSTGRES_BIN=/gone/bin');
    for (const path of ['/gone/nats-server', join(import.meta.dirname, '../../node_modules/.cache/nats-server')]) {
      writeFileSync(file, broken(path));
      const { done } = reportOf(await tankwatch(['init', '--yes', '--json', '--config', file], ENVIRONMENT));
      expect(done).toHaveLength(2);
      expect(readFileSync(file, 'utf8')).toBe(before);
    }
    writeFileSync(file, broken('/gone/nats-server'));
    const other = { ...ENVIRONMENT, ...Object.fromEntries(await newPorts()) };
    const { stderr } = await tankwatch(['up', '--config', file], other);
    expect(stderr).toMatch(
      /the program \/gone\/bin\/postgres \(POSTGRES_BIN\) does not exist; .*with: tankwatch init\n$/,
    );
  });

  whole('init --systemd while up runs is refused before it changes anything', async () => {
    const programs = newFolder();
    onTestFinished(() => rmSync(programs, { recursive: true }));
    writeFileSync(join(programs, 'systemctl'), '#!/bin/sh\n[ "$1" = --version ]\n', { mode: 0o755 });
    const owner = statSync(join(folder, 'data/postgres/data')).uid;
    const { code, stderr } = await tankwatch(['init', '--yes', '--systemd', '--config', file], {
      ...ENVIRONMENT,
      PATH: `${programs}:${process.env['PATH']}`,
    });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/ is in use, .* stop `tankwatch up` first .*\n$/)]);
    expect(statSync(join(folder, 'data/postgres/data')).uid).toBe(owner);
  });

  whole('doctor ends while nats-server hangs, and reports it', async () => {
    const pid = childrenOf(up.child).get('nats-server') ?? 0;
    process.kill(pid, 'SIGSTOP');
    const { code, stdout } = await run('doctor', '--json').finally(() => process.kill(pid, 'SIGCONT'));
    expect([code, JSON.parse(stdout).findings]).toEqual([
      2,
      expect.arrayContaining([
        expect.objectContaining({
          check: 'stream',
          severity: 'broken',
          problem: expect.stringContaining('nats-server'),
        }),
      ]),
    ]);
  });

  whole('doctor ends while PostgreSQL hangs, and reports it', async () => {
    const pid = childrenOf(up.child).get('postgres') ?? 0;
    process.kill(pid, 'SIGSTOP');
    const { code, stdout } = await run('doctor', '--json').finally(() => process.kill(pid, 'SIGCONT'));
    const ofDatabase = expect.objectContaining({ check: 'database', severity: 'broken' });
    expect([code, JSON.parse(stdout).findings]).toEqual([2, expect.arrayContaining([ofDatabase])]);
  });

  test('up writes one log line for a request', async () => {
    const api = up.console_url.replace('/console/', '');
    await fetch(`${api}/v1/tanks`, { headers: { 'x-request-id': 'line-of-a-request' } });
    await expect.poll(() => up.lines.filter((line) => line.includes('"line-of-a-request"')).length).toBe(1);
  });

  whole('init adds a setting that is missing, and keeps every other line', async () => {
    const before = readFileSync(file, 'utf8');
    onTestFinished(() => writeFileSync(file, before, { mode: 0o600 }));
    const shorter = before.replace(/^LINK_SECRET=.*\n/m, '# mine\n');
    writeFileSync(file, shorter);
    reportOf(await tankwatch(['init', '--yes', '--json', '--config', file], ENVIRONMENT));
    const after = readFileSync(file, 'utf8');
    expect(after.startsWith(shorter)).toBe(true);
    expect(after.slice(shorter.length)).toMatch(/^LINK_SECRET=[0-9a-f]{64}\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  whole('a second up says in one sentence that its port is in use', async () => {
    const { code, stdout, stderr } = await tankwatch(['up', '--config', file], ENVIRONMENT);
    expect([code, stdout]).toEqual([1, '']);
    const port = readSettings(file)['API_PORT'];
    expect(stderr).toBe(
      `tankwatch: port ${port} (API_PORT) is in use; stop the program that uses it, such as another \`tankwatch up\`, or change ` +
        `API_PORT in ${file}.\n`,
    );
  });

  whole('a second up with the same data and other ports says that the data are in use', async () => {
    const other = join(folder, 'other.env');
    const write = async (...left: string[]): Promise<void> => {
      const settings = { ...readSettings(file), ...Object.fromEntries(await newPorts()) };
      const lines = Object.entries(settings).filter(([name]) => !left.includes(name));
      writeFileSync(other, lines.map(([name, value]) => settingLine(name, value)).join(''), { mode: 0o600 });
    };
    const start = (): Promise<Finished> => tankwatch(['up', '--config', other], ENVIRONMENT);
    await write();
    expect(await start()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/PostgreSQL did not start: .*look whether another `tankwatch up` runs/),
    });
    await write('POSTGRES_FOLDER');
    expect(await start()).toMatchObject({
      code: 1,
      stderr: `tankwatch: another \`tankwatch up\` uses the folder ${readSettings(file)['NATS_DATA']} (NATS_DATA); stop it, or create an installation with data of its own: tankwatch init --config FILE\n`,
    });
  });

  whole('up restarts a server that was killed', async () => {
    const api = up.console_url.replace('/console/', '');
    for (const name of ['nats-server', 'postgres']) {
      const pid = childrenOf(up.child).get(name) ?? 0;
      expect([name, pid]).toEqual([name, expect.any(Number)]);
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => childrenOf(up.child).get(name) ?? pid).not.toBe(pid);
    }
    await expect.poll(async () => (await fetch(`${api}/readyz`)).status).toBe(200);
  });

  whole('if up is killed, its servers end too, and up can be started again', async () => {
    const pids = [...childrenOf(up.child).values()];
    expect(pids.length).toBe(2);
    up.child.kill('SIGKILL');
    await once(up.child, 'close');
    await expect.poll(() => pids.map(isGone)).toEqual([true, true]);
    up = await startUp(file, ENVIRONMENT);
  });

  test('SIGTERM stops the roles and both servers', async () => {
    const pids = [...childrenOf(up.child).values()];
    up.child.kill('SIGTERM');
    const [code] = await once(up.child, 'close');
    expect([code, pids.map(isGone)]).toEqual([0, [true, true]]);
    for (const { address } of up.listening.filter(({ what }) => what !== 'metrics and health'))
      expect([address, await isFreePort(Number(address.split(':')[1]))]).toEqual([address, true]);
  });
});

describe('init with the address of a server', () => {
  whole(
    'needs only a login that may create roles and databases, and refuses an existing owner with another password',
    async () => {
      const postgres = await startPostgres();
      onTestFinished(() => postgres.stop());
      const folder = newFolder();
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const root = openPool({ url: postgres.url, applicationName: 'test' });
      await root.query(`create role admin login createrole createdb password 'secret-of-admin'`);
      await root.end();
      const address = `postgres://admin:secret-of-admin@127.0.0.1:${postgres.port}/postgres`;
      const secure = ['--url', 'https://tanks.example.com'];
      const init = (name: string): Promise<Finished> =>
        tankwatch(
          [
            'init',
            '--yes',
            '--json',
            '--database',
            address,
            ...secure,
            '--config',
            join(folder, name, 'tankwatch.env'),
          ],
          { HOME: '/nonexistent' },
        );
      const metrics = createServer().listen(await firstFreePort(9_464), '127.0.0.1');
      onTestFinished(() => void metrics.close());
      await once(metrics, 'listening');
      const { done, organization } = reportOf(await init('one'));
      expect(organization).toBe('a0gas');
      expect(done).toContain('created the role tankwatch_owner and the database tankwatch');
      const settings = readSettings(join(folder, 'one/tankwatch.env'));
      expect(settings).not.toHaveProperty('POSTGRES_FOLDER');
      // nginx sends the PROXY protocol, and commands on this machine do not.
      expect(settings['GATEWAY_PROXY_PROTOCOL']).toBe('auto');
      expect(Number(settings['METRICS_PORT'])).toBeGreaterThan(9_464);
      expect(readFileSync(join(folder, 'one/tankwatch.env'), 'utf8')).not.toContain('secret-of-admin');

      const { code, stderr } = await init('two');
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /^\{"error":"the login tankwatch_owner of the server .* has another password than in .*"\}\n$/,
        ),
      ]);
    },
  );

  test('refuses wrong options in one sentence, without the password', async () => {
    const init = async (...options: string[]): Promise<string> => {
      const { code, stderr } = await tankwatch(['init', '--yes', '--config', '/proc/x/y', ...options], ENVIRONMENT);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^tankwatch: .*\n$/)]);
      expect(stderr).not.toContain('hidden');
      return stderr;
    };
    expect(await init('--url', 'tanks.example.com')).toContain('--url must be an address such as https://');
    expect(await init('--database', 'mysql://u:hidden@h')).toContain('--database must be local, start, or an address');
    expect(await init('--code', 'A')).toContain('--code must be 3 to 16 lower-case letters and digits');
  });
});

test('up without a settings file names the command that creates one', async () => {
  const { code, stderr } = await tankwatch(['up'], { HOME: '/nonexistent', TANKWATCH_CONFIG: '' });
  expect([code, stderr]).toEqual([1, 'tankwatch: there is no settings file yet; create one with: tankwatch init\n']);
});
