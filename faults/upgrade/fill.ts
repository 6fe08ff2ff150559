import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { firstLevelOf, LoadRecord } from '../../bench/load_client/load_record.ts';
import { type FilledDatabase, type FillSecrets, newSecret, type Settings } from '../../engines/installation.ts';
import { databaseUrl } from '../../engines/logins.ts';
import { onlyRow } from '../../src/db/only_row.ts';
import { openPool } from '../../src/db/pool.ts';
import type { PrivatePostgres } from '../../src/setup/servers/postgres.ts';
import type { DeviceLogin } from '../../src/simulation/device_login.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import type { Release } from './release.ts';

const run = promisify(execFile);

export const ORGANIZATION = 'a0fleet';
const CUSTOMERS = 5;
/** Tanks with months of readings that get no new ones, so that every answer about them stays the same. */
export const HISTORY_TANKS = 10;
const HISTORY_DAYS = 200;
const HISTORY_STEP_MS = 4 * HOUR_MS;

export interface FilledByRelease extends FilledDatabase {
  /** The settings of the commands of an operator. */
  operator: Settings;
  readKeys: string[];
  /** The readings that were imported. */
  history: LoadRecord;
}

export interface FillOptions extends FillSecrets {
  /** Tanks whose devices send readings, before those with a history. */
  loaded: number;
  readKeys: number;
  webhookUrl: string;
}

/**
 * Creates a database as an operator of the release does, by its scripts and migrations, and fills it by its commands. The owner
 * of the tables is not a superuser.
 */
export async function fillByRelease(
  release: Release,
  postgres: PrivatePostgres,
  { deviceSecret, secretsKey, loaded, readKeys, webhookUrl }: FillOptions,
): Promise<FilledByRelease> {
  const password = newSecret();
  const server = new URL(postgres.url);
  await run(join(release.folder, 'deploy', 'owner.sh'), {
    env: {
      ...process.env,
      PGHOST: server.hostname,
      PGPORT: server.port,
      PGPASSWORD: server.password,
      OWNER_PASSWORD: password,
    },
  });
  const urlOf = (user: string): string => databaseUrl(postgres.url, 'tankwatch', { user, password });
  const ownerUrl = urlOf('tankwatch_owner');
  await release.command(['migrate'], { MIGRATE_DATABASE_URL: ownerUrl });
  await release.createLogins(ownerUrl, loginPasswords(password));
  const operator = {
    OPERATOR_DATABASE_URL: urlOf('tw_operator'),
    DEVICE_SECRET: deviceSecret,
    SECRETS_KEY: secretsKey,
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  };
  const command = (...args: string[]): Promise<string> =>
    release.command([...args, '--organization', ORGANIZATION], operator);
  await release.command(['organizations', 'create', ORGANIZATION, '--name', 'Fleet'], operator);
  const serials = Array.from({ length: loaded + HISTORY_TANKS }, (_, n) => `DEV${String(n).padStart(6, '0')}`);
  await withFile(customersCsv(), (file) => command('customers', 'import', file));
  await withFile(tanksCsv(serials), (file) => command('tanks', 'import', file));
  const issued = await command('devices', 'issue', '--all-missing', '--format', 'ndjson');
  await command('contacts', 'add', 'dispatch@example.com', '--digest', '07:00', '--console');
  await command('webhooks', 'create', webhookUrl);
  const createKey = (scope: string): Promise<string> =>
    command('keys', 'create', '--name', scope, '--scope', scope, '--quiet');
  const keys: string[] = [];
  for (let n = 0; n < readKeys; n++) keys.push(await createKey('read'));
  const ingestKey = await createKey('ingest');

  const devices = readDevices(issued, serials);
  const history = new LoadRecord(devices.slice(loaded), {
    readingsPerPublish: (HISTORY_DAYS * DAY_MS) / HISTORY_STEP_MS,
    startAtMs: Math.floor(Date.now() / HISTORY_STEP_MS) * HISTORY_STEP_MS - HISTORY_DAYS * DAY_MS,
    stepMs: HISTORY_STEP_MS,
  });
  await withFile(historyCsv(history), (file) => command('telemetry', 'import', file));
  await release.command(['telemetry', 'pack'], operator);

  const owner = openPool({ url: ownerUrl, applicationName: 'fault run' });
  const { rows: tanks } = await owner.query<{ no: number; id: string; organization_no: number; owner_no: number }>(
    'select no, id, organization_no, owner_no from tanks order by assigned_device_id',
  );
  const [first] = tanks;
  return {
    owner,
    ownerUrl,
    urls: {
      api: urlOf('tw_api'),
      gateway: urlOf('tw_gateway'),
      writer: urlOf('tw_writer'),
      worker: urlOf('tw_worker'),
      operator: urlOf('tw_operator'),
      manager: urlOf('tw_manager'), // a login that the release may not have yet
    },
    organizationNo: first?.organization_no ?? 0,
    customerNo: first?.owner_no ?? 0,
    tanks,
    devices,
    ingestKey,
    operator,
    readKeys: keys,
    history,
  };
}

/** Gives each login the same password, in the variables that deploy/logins.sql of any release reads. */
export const loginPasswords = (password: string): Settings =>
  Object.fromEntries(
    ['API', 'GATEWAY', 'WRITER', 'WORKER', 'OPERATOR', 'MANAGER'].map((role) => [`${role}_PASSWORD`, password]),
  );

const customersCsv = (): string =>
  lines(
    'external_key,email,name,is_verified',
    Array.from({ length: CUSTOMERS }, (_, n) => `C-${n},owner${n}@example.com,Owner ${n},true`),
  );

/** With these thresholds, one of the tanks becomes low every few seconds during the whole run. */
const tanksCsv = (serials: readonly string[]): string =>
  lines(
    'owner,custom_id,name,assigned_device_id,capacity,capacity_unit,min_fill_alert_percentage',
    serials.map((serial, n) => {
      const threshold = Math.floor(firstLevelOf(n)) - (n % 4);
      return `C-${n % CUSTOMERS},T-${n},Tank ${n},${serial},500,liters,${threshold}`;
    }),
  );

function historyCsv(history: LoadRecord): string {
  const readings = Array.from({ length: HISTORY_TANKS }, (_, device) => {
    const { publish } = history.invoke(device);
    history.acknowledge(publish);
    return history.readingsOf(publish);
  }).flat();
  return lines(
    'device_id,created_at,fill_percentage',
    readings.map(({ deviceId, createdAt, fillPercentage }) => `${deviceId},${createdAt},${fillPercentage}`),
  );
}

const lines = (head: string, rows: readonly string[]): string => [head, ...rows, ''].join('\n');

const Issued = Type.Object({ device_id: Type.String(), password: Type.String() });

function readDevices(ndjson: string, serials: readonly string[]): DeviceLogin[] {
  const issued = ndjson.split('\n').map((line) => Value.Decode(Issued, JSON.parse(line)));
  const passwords = new Map(issued.map(({ device_id, password }) => [device_id, password]));
  return serials.map((deviceId) => ({
    organizationCode: ORGANIZATION,
    deviceId,
    password: onlyRow([passwords.get(deviceId)].filter((password) => password !== undefined)),
  }));
}

async function withFile(content: string, use: (file: string) => Promise<unknown>): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tankwatch-fill-'));
  const file = join(folder.path, 'file.csv');
  await writeFile(file, content);
  await use(file);
}
