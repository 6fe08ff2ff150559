import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findProgram } from '../../engines/programs.ts';
import { settingsPage } from '../../scripts/settings_page.ts';
import { readApiConfig } from '../../src/settings/api_settings.ts';
import {
  readDoctorConfig,
  readMqttUrl,
  readOperatorConfig,
  readStreamConfig,
} from '../../src/settings/command_settings.ts';
import { readGatewayConfig } from '../../src/settings/gateway_settings.ts';
import { localAddress } from '../../src/settings/local_address.ts';
import { ConfigError } from '../../src/settings/setting_reader.ts';
import { readWorkerConfig } from '../../src/settings/worker_settings.ts';
import { readWriterConfig } from '../../src/settings/writer_settings.ts';
import { tankwatch } from '../support/cli.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenFolder } from '../support/folder.ts';

const URL = 'postgres://user:secret@localhost/tankwatch';

test('a role uses the database address of its own setting, or the common one', () => {
  expect(readApiConfig({ DATABASE_URL: URL }).databaseUrl).toBe(URL);
  expect(readApiConfig({ DATABASE_URL: 'postgres://other/x', API_DATABASE_URL: URL }).databaseUrl).toBe(URL);
  expect(readOperatorConfig({ DATABASE_URL: URL }).databaseUrl).toBe(URL);
});

test('commands reach a role on this machine that listens on all addresses, also on those of IPv6', () => {
  expect(localAddress('0.0.0.0', 8080)).toBe('127.0.0.1:8080');
  expect(localAddress('10.0.0.5', 8080)).toBe('10.0.0.5:8080');
  const config = readDoctorConfig({ DATABASE_URL: URL, API_HOST: '::', API_PORT: '8080', GATEWAY_HTTP_PORT: '8081' });
  expect([config.apiUrl, config.gatewayUrl]).toEqual(['http://[::1]:8080', 'http://127.0.0.1:8081']);
  expect(readMqttUrl({})).toBe('mqtt://localhost:1883');
  expect(readMqttUrl({ GATEWAY_HOST: '::' })).toBe('mqtt://[::1]:1883');
});

test('an installation has the slots a0 to az, or those of SLOT or SLOTS', () => {
  const slotsOf = (environment: Record<string, string>) =>
    readOperatorConfig({ DATABASE_URL: URL, ...environment }).slots;
  expect(slotsOf({})).toHaveLength(36);
  expect([slotsOf({})[0], slotsOf({}).at(-1)]).toEqual(['a0', 'az']);
  expect(slotsOf({ SLOT: 'k3' })).toEqual(['k3']);
  expect(slotsOf({ SLOT: 'k3', SLOTS: 'k9-kb, 00' })).toEqual(['k9', 'ka', 'kb', '00']);
});

test('all bad variables are reported at once, and no password is repeated', () => {
  const bad = { API_DATABASE_URL: 'mysql://user:secret@x', API_PORT: '0x50', LOG_LEVEL: 'loud', API_DRAIN_MS: '-1' };
  const read = (): unknown => readApiConfig(bad);
  expect(read).toThrow(ConfigError);
  for (const name of Object.keys(bad)) expect(read).toThrow(name);
  expect(read).not.toThrow('secret');
  expect(() => readOperatorConfig({ DATABASE_URL: URL, SLOT: 'A' })).toThrow(/SLOT must be two lower-case/);
});

test('DATABASE_REPLICA_URLS can be several addresses, and a wrong one is not repeated', () => {
  expect(readApiConfig({ DATABASE_URL: URL })).toMatchObject({ replicaUrls: [], replicaMaxLagMs: 5_000 });
  expect(readApiConfig({ DATABASE_URL: URL, DATABASE_REPLICA_URLS: `${URL}, ${URL}2` }).replicaUrls).toEqual([
    URL,
    `${URL}2`,
  ]);
  const read = (): unknown => readApiConfig({ DATABASE_URL: URL, DATABASE_REPLICA_URLS: `${URL},mysql://u:secret@h` });
  expect(read).toThrow(/DATABASE_REPLICA_URLS must be PostgreSQL addresses/);
  expect(read).not.toThrow('secret');
});

test('the background of the map is a style or a file of tiles, and other values are refused with the reason', async () => {
  const folder = await givenFolder();
  const [good, bad] = [join(folder, 'good.pmtiles'), join(folder, 'bad.pmtiles')];
  writeFileSync(good, 'PMTiles\x03 and more', 'latin1');
  writeFileSync(bad, 'a page that says 404');
  const read = (environment: Record<string, string>) => readApiConfig({ DATABASE_URL: URL, ...environment }).map;
  const styleUrl = 'https://tiles.example.com/style.json';
  expect(read({})).toEqual({ styleUrl: '', tilesFile: '' });
  expect(read({ MAP_STYLE_URL: styleUrl })).toEqual({ styleUrl, tilesFile: '' });
  expect(read({ MAP_PMTILES: good })).toEqual({ styleUrl: '', tilesFile: good });
  expect(() => read({ MAP_PMTILES: bad })).toThrow(/not PMTiles, version 3: .*bad\.pmtiles/);
  expect(() => read({ MAP_PMTILES: join(folder, 'none.pmtiles') })).toThrow(/cannot be read: ENOENT/);
  expect(() => read({ MAP_STYLE_URL: 'tiles.example.com' })).toThrow(/MAP_STYLE_URL must be/);
  expect(() => read({ MAP_STYLE_URL: 'https://[x' })).toThrow(/MAP_STYLE_URL must be/);
  expect(() => read({ MAP_STYLE_URL: styleUrl, MAP_PMTILES: good })).toThrow(/either MAP_STYLE_URL or MAP_PMTILES/);
});

test('a role uses the nats-server address of its own setting, or the common one, and a wrong address is not repeated', () => {
  const environment = { DATABASE_URL: URL, DEVICE_SECRET: 'x'.repeat(32), NATS_URL: 'nats://common:secret@h:4222' };
  const own = {
    GATEWAY_NATS_URL: 'nats://g@h',
    WRITER_NATS_URL: 'nats://w@h,tls://w@i',
    OPERATOR_NATS_URL: 'nats://o@h',
  };
  const urls = (given: Record<string, string>): string[] =>
    [readGatewayConfig(given).stream, readWriterConfig(given).stream, readStreamConfig(given)].map(({ url }) => url);
  expect(urls(environment)).toEqual(Array.from({ length: 3 }, () => environment.NATS_URL));
  expect(urls({ ...environment, ...own })).toEqual(Object.values(own));

  for (const NATS_URL of [
    'nats://user:secret@host:port',
    'nats://user:secret@h,http://user:secret@h',
    'nats://secret@',
  ]) {
    const read = (): unknown => readStreamConfig({ NATS_URL });
    expect(read, NATS_URL).toThrow(/^invalid configuration:\n {2}OPERATOR_NATS_URL or NATS_URL must be an address/);
    expect(read).not.toThrow('secret');
  }
});

test('either all or none of the settings for mails must be set, and secrets are not repeated in errors', () => {
  const SECRETS_KEY = 'k'.repeat(32);
  expect(readWorkerConfig({ DATABASE_URL: URL, SECRETS_KEY })).toMatchObject({
    webhooks: { allowHttp: false, allowPrivate: false, dnsServers: [] },
    mail: null,
  });
  const read = (): unknown =>
    readWorkerConfig({ DATABASE_URL: URL, SMTP_URL: 'smtp://u:hidden@h', LINK_SECRET: 'short', SECRETS_KEY });
  for (const name of ['MAIL_FROM', 'PUBLIC_URL', 'LINK_SECRET']) expect(read).toThrow(name);
  expect(read).not.toThrow(/hidden|short/);
});

test('a mail server on another machine must offer TLS, unless the operator decides otherwise', () => {
  const requiresTls = (SMTP_URL: string, more: Record<string, string> = {}): boolean | undefined =>
    readWorkerConfig({
      DATABASE_URL: URL,
      SECRETS_KEY: 'k'.repeat(32),
      LINK_SECRET: 'l'.repeat(32),
      MAIL_FROM: 'a@b.example',
      PUBLIC_URL: 'https://b.example',
      SMTP_URL,
      ...more,
    }).mail?.requiresTls;
  for (const url of ['smtp://localhost:25', 'smtp://127.0.0.1', 'smtp://u:p@127.0.0.1:587/', 'smtp://[::1]:25'])
    expect([url, requiresTls(url)]).toEqual([url, false]);
  for (const url of [
    'smtp://mail.example.com',
    'smtp://localhost.example.com',
    'smtp://u:p@10.0.0.2:587',
    'smtps://localhost',
  ])
    expect([url, requiresTls(url)]).toEqual([url, true]);
  expect(requiresTls('smtp://mail.example.com', { SMTP_REQUIRE_TLS: 'false' })).toBe(false);
  expect(requiresTls('smtp://localhost', { SMTP_REQUIRE_TLS: 'true' })).toBe(true);
});

test('the worker needs SECRETS_KEY, and the audit log is kept for 30 days or more', () => {
  const read = (more: Record<string, string>): unknown => readWorkerConfig({ DATABASE_URL: URL, ...more });
  expect(() => read({})).toThrow(/SECRETS_KEY must be at least 32 characters/);
  expect(() => read({ SECRETS_KEY: 'k'.repeat(32), RETENTION_AUDIT_DAYS: '29' })).toThrow(
    'RETENTION_AUDIT_DAYS must be 0 or at least 30',
  );
  expect(read({ SECRETS_KEY: 'k'.repeat(32), RETENTION_AUDIT_DAYS: '0' })).toMatchObject({
    retention: { auditDays: 0 },
  });
});

test('a setting can be in a file, but not in a variable and a file at once', async () => {
  const file = join(await givenFolder(), 'url');
  writeFileSync(file, `${URL}\n`);
  expect(readApiConfig({ DATABASE_URL_FILE: file }).databaseUrl).toBe(URL);
  expect(() => readApiConfig({ DATABASE_URL_FILE: file, DATABASE_URL: URL })).toThrow(
    /^invalid configuration:\n {2}set either DATABASE_URL or DATABASE_URL_FILE, not both$/,
  );
  expect(() => readApiConfig({ DATABASE_URL_FILE: '/gone' })).toThrow(/DATABASE_URL_FILE names a file that cannot be/);
});

test('config check reports the problems of all roles at once, and repeats no secret', async () => {
  const wrong = {
    API_PORT: 'eighty',
    LOG_LEVEL: 'loud',
    WRITER_LANES: '0',
    DEVICE_SECRET: 'hidden',
    WORKER_DATABASE_URL: 'mysql://user:hidden@h',
    API_DRIAN_MS: '5',
    CONNECTOR_ALLOW_PRIVAT: 'true',
    SMPT_URL: 'smtp://h',
    SMTP_URL: 'smtp://user:hidden@h',
  };
  const { code, stdout, stderr } = await runCommand(['config', 'check'], wrong);
  expect([code, stdout]).toEqual([1, '']);
  for (const line of [
    'WRONG API_PORT must be a whole number from 0 to 65535, not "eighty" (api)',
    'WRONG LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud" (api, gateway, writer, worker, connector)',
    'WRONG WRITER_LANES must be a whole number from 1 to 16, not "0" (writer)',
    'WRONG DEVICE_SECRET must be at least 32 characters, such as: openssl rand -base64 48 (gateway)',
    'warn  API_DRIAN_MS is not a setting of Tankwatch; did you mean API_DRAIN_MS?',
    'warn  CONNECTOR_ALLOW_PRIVAT is not a setting of Tankwatch; did you mean CONNECTOR_ALLOW_PRIVATE?',
    'warn  SMPT_URL is not a setting of Tankwatch; did you mean SMTP_URL?',
  ])
    expect(stderr.split('\n')).toContain(line);
  for (const name of ['API_DATABASE_URL', 'WORKER_DATABASE_URL', 'MAIL_FROM', 'PUBLIC_URL', 'SECRETS_KEY'])
    expect(stderr).toContain(`WRONG ${name}`);
  expect(stderr).not.toContain('hidden');

  const ofWriter = await runCommand(['config', 'check', 'writer', '--json'], { ...wrong, DATABASE_URL: URL });
  expect(JSON.parse(ofWriter.stdout)).toMatchObject({
    valid: false,
    checked: ['writer'],
    problems: [{ users: ['writer'] }, { users: ['writer'] }],
  });
});

test('variables of other programs cause no warning, but a misspelled name in the settings file does', async () => {
  const names = ['APP_PORT', 'APP_HOST', 'NATS_HOST', 'POSTGRES_HOST', 'DATABASE_URI', 'LOGLEVEL'];
  const warningsOf = async (args: string[], environment: Record<string, string>): Promise<unknown> =>
    JSON.parse((await runCommand(['config', 'check', 'api', '--json', ...args], environment)).stdout).warnings;
  expect(await warningsOf([], Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([]);
  const file = join(await givenFolder(), 'tankwatch.env');
  writeFileSync(file, 'DATABASE_URI=x\nLOGLEVEL=info\nSMPT_URL=x\nHTTP_PROXY=x\n');
  expect(await warningsOf(['--config', file], { APP_PORT: '1' })).toEqual([
    'DATABASE_URI is not a setting of Tankwatch; did you mean DATABASE_URL?',
    'LOGLEVEL is not a setting of Tankwatch; did you mean LOG_LEVEL?',
    'SMPT_URL is not a setting of Tankwatch; did you mean SMTP_URL?',
  ]);
});

test('config check accepts valid settings, and finds ports that two listeners share', async () => {
  const secret = 's'.repeat(32);
  const valid = { DATABASE_URL: URL, DEVICE_SECRET: secret, SECRETS_KEY: secret };
  expect(await runCommand(['config', 'check'], valid)).toEqual({
    code: 0,
    stdout: 'the settings are valid: api, gateway, writer, worker, connector\n',
    stderr: '',
  });
  expect((await runCommand(['config', 'check', 'operator', 'migrate'], valid)).code).toBe(0);
  const shared = await runCommand(['config', 'check'], { ...valid, GATEWAY_HTTP_PORT: '8080' });
  expect([shared.code, shared.stderr]).toEqual([1, expect.stringContaining('API_PORT and GATEWAY_HTTP_PORT must be')]);
});

test('a certificate that does not belong to its key is reported before the gateway starts', async () => {
  const folder = await givenFolder();
  for (const name of ['one', 'other']) {
    const out = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.pem`)];
    execFileSync(findProgram('openssl'), ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-subj', '/CN=x', ...out], {
      stdio: 'pipe',
    });
  }
  const read = (key: string): unknown =>
    readGatewayConfig({
      DATABASE_URL: URL,
      DEVICE_SECRET: 'x'.repeat(32),
      GATEWAY_TLS_CERT: join(folder, 'one.pem'),
      GATEWAY_TLS_KEY: join(folder, key),
    });
  expect(read('one.key')).toMatchObject({ mqttPort: 8883 });
  expect(() => read('other.key')).toThrow(/GATEWAY_TLS_CERT and GATEWAY_TLS_KEY must be files with a certificate and/);
});

test('tankwatch all lists the problems of all roles before it starts the first', async () => {
  const { code, stdout, stderr } = await tankwatch(['all'], { DATABASE_URL: URL, API_PORT: 'x', WRITER_LANES: 'x' });
  expect([code, stdout]).toEqual([1, '']);
  for (const name of ['API_PORT', 'WRITER_LANES', 'DEVICE_SECRET', 'SECRETS_KEY']) expect(stderr).toContain(name);
});

test('docs/operators/settings.md lists every setting that the code reads', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operators/settings.md'), 'utf8');
  expect(page, 'run: npm run settings').toBe(settingsPage());
  // A mail server on this machine has another default, which the page does not list.
  expect(page).toContain('| `SMTP_REQUIRE_TLS` | `true` (true, false) |');
});
