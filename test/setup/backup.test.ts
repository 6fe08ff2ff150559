import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { readMigrations } from '../../src/db/migrate.ts';
import { openPool } from '../../src/db/pool.ts';
import { BACKUP_FILES, writeBackup } from '../../src/recovery/backup_file.ts';
import { parseSettings } from '../../src/settings/settings_file.ts';
import { readUpConfig } from '../../src/settings/up_settings.ts';
import { ensureOwnPostgres } from '../../src/setup/own_servers.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { type Finished, tankwatch } from '../support/cli.ts';
import { S3_KEY, type S3Server, startS3Server } from '../support/s3_server.ts';
import { isWhole } from '../support/whole_tests.ts';
import { startUp } from './up.ts';

const { version } = packageJson;
const ENVIRONMENT = { HOME: '/nonexistent' };
const PORTS = ['API_PORT', 'GATEWAY_HTTP_PORT', 'GATEWAY_MQTT_PORT', 'POSTGRES_PORT', 'NATS_PORT', 'METRICS_PORT'];
/** Tables that a restore changes on purpose: it ends sessions and links to sign in, and marks for readers of feeds that it happened. */
const CHANGED_BY_RESTORE = /^(sessions|sign_ins|change_epochs?|restore_drills|newest_backup)$/;

const settingsOf = (file: string): Record<string, string> => parseSettings(readFileSync(file, 'utf8'), file);

/** The checksum of the rows of each table, including those of the job queue. */
async function readChecksums(file: string): Promise<Record<string, string>> {
  const config = readUpConfig(settingsOf(file));
  if (config.postgres === undefined) throw new Error('the installation has no PostgreSQL of its own');
  await using running = new AsyncDisposableStack();
  running.use(await ensureOwnPostgres(config.postgres, () => {}));
  const owner = openPool({ url: config.databaseUrl, applicationName: 'test' });
  try {
    const { rows: tables } = await owner.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class
       where relkind in ('r', 'p') and not relispartition
         and relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace) order by 1`,
    );
    const sums: Record<string, string> = {};
    for (const { name } of tables) {
      const { rows } = await owner.query<{ sum: string }>(
        `select count(*) || ' ' || coalesce(md5(string_agg(t::text, chr(10) order by t::text)), '') as sum from ${name} t`,
      );
      sums[name] = rows[0]?.sum ?? '';
    }
    return sums;
  } finally {
    await owner.end();
  }
}

describe.runIf(isWhole('setup/backup'))('backup and restore of an installation:', () => {
  let folder: string;
  let file: string;
  let before: Record<string, string>;
  let made: { file: string; reason: string; readings: number; tanks: number };
  let storage: S3Server;
  const PASSPHRASE = { BACKUP_PASSPHRASE: 'correct horse battery staple' };
  const storageSettings = (): Record<string, string> => ({
    ...PASSPHRASE,
    BACKUP_S3_ENDPOINT: storage.endpoint,
    BACKUP_S3_KEY_ID: S3_KEY.keyId,
    BACKUP_S3_SECRET: S3_KEY.secret,
  });
  const storedFile = (): string => `s3://${[...storage.objects.keys()].join(' ')}`;
  const run = (args: string[], environment: Record<string, string> = {}): Promise<Finished> =>
    tankwatch([...args, '--config', file], { ...ENVIRONMENT, ...environment });
  const json = async (args: string[], environment: Record<string, string> = {}): Promise<Record<string, unknown>> => {
    const { code, stdout, stderr } = await run([...args, '--json'], environment);
    expect([args[0], code, code === 0 ? '' : stderr]).toEqual([args[0], 0, '']);
    return JSON.parse(stdout);
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankwatch-backup-'));
    chmodSync(folder, 0o755); // PostgreSQL does not run as root
    file = join(folder, 'old/tankwatch.env');
    const ports = await Promise.all(PORTS.map(async (name) => [name, String(await freePort())] as const));
    const monitor = { NATS_MONITOR_URL: `http://127.0.0.1:${await freePort()}` };
    await json(['init', '--yes', '--database', 'start', '--code', 'a0gas'], {
      ...Object.fromEntries(ports),
      ...monitor,
    });
    const up = await startUp(file, ENVIRONMENT);
    const inOrganization = ['--organization', 'a0gas'];
    const example = join(import.meta.dirname, '../../examples');
    await run(['import', example, ...inOrganization, '--shift-to-now', '--yes']);
    await up.stop();
    before = await readChecksums(file);
    storage = await startS3Server('backups', await freePort());
  }, 240_000);
  afterAll(async () => {
    await storage[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test('a backup while up does not run is one encrypted file that only its owner can read', async () => {
    const to = join(folder, 'saved');
    const left = join(to, '.making-killed'); // by a backup that was killed
    mkdirSync(left, { recursive: true });
    utimesSync(left, 0, 0);
    made = (await json(['backup', '--to', to, '--keep', '2'], PASSPHRASE)) as typeof made;
    expect(readdirSync(to)).toEqual([basename(made.file)]);
    expect(made).toMatchObject({ method: 'pg_dump', is_encrypted: true, organizations: 1, tanks: 3, readings: 540 });
    expect(made.reason).toMatch(/^using pg_dump: the database has 0\.\d GB, less than 20 GB\.$/);
    expect(statSync(made.file).mode & 0o777).toBe(0o600);
    const bytes = readFileSync(made.file);
    expect(bytes.includes(settingsOf(file)['DEVICE_SECRET'] ?? '')).toBe(false);
    expect(bytes.includes('María')).toBe(false);
    for (const _ of [1, 2]) await json(['backup', '--to', to, '--keep', '2']);
    expect(readdirSync(to)).toHaveLength(2);
    writeFileSync(made.file, bytes, { mode: 0o600 });
  });

  test('a backup into an S3-compatible storage keeps the newest file there, and no file on this machine', async () => {
    const nowhere = await run(['backup', '--to', 's3://backups/gas'], PASSPHRASE);
    expect([nowhere.code, nowhere.stderr]).toEqual([
      1,
      expect.stringContaining('set BACKUP_S3_KEY_ID and BACKUP_S3_SECRET'),
    ]);
    storage.isWriteOnly = true;
    const written = await run(['backup', '--to', 's3://backups/gas'], storageSettings());
    expect([written.code, written.stderr]).toEqual([
      0,
      expect.stringMatching(/older ones are not deleted: .*AccessDenied/),
    ]);
    expect(storage.objects.size).toBe(1);
    storage.isWriteOnly = false;
    for (const _ of [1, 2]) {
      const stored = await json(['backup', '--to', 's3://backups/gas', '--keep', '1'], storageSettings());
      expect(stored).toMatchObject({ file: storedFile(), is_encrypted: true, readings: 540 });
    }
    expect(storedFile()).toMatch(/^s3:\/\/backups\/gas\/tankwatch-\d{8}T\d{6}Z\.tar\.sealed$/);
    const left = readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.tar.sealed'));
    expect(left.filter((name) => !name.startsWith('saved/'))).toEqual([]);
  });

  test('a wrong passphrase, a damaged file and a missing file are refused before anything is changed', async () => {
    const tryToRestore = async (path: string, secret: Record<string, string>): Promise<string> => {
      const { code, stderr } = await run(['restore', path, '--yes'], secret);
      expect(code).toBe(1);
      return stderr.trim().split('\n').at(-1) ?? '';
    };
    expect(await tryToRestore(made.file, {})).toMatch(/is encrypted; set BACKUP_PASSPHRASE/);
    expect(await tryToRestore(made.file, { BACKUP_PASSPHRASE: 'another passphrase' })).toMatch(
      /BACKUP_PASSPHRASE is not the one/,
    );
    const damaged = join(folder, 'damaged.tar.sealed');
    const bytes = readFileSync(made.file);
    bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1;
    writeFileSync(damaged, bytes);
    expect(await tryToRestore(damaged, PASSPHRASE)).toMatch(/damaged/);
    writeFileSync(damaged, readFileSync(made.file).subarray(0, -1_000));
    expect(await tryToRestore(damaged, PASSPHRASE)).toMatch(/damaged/);
    expect(await tryToRestore(join(folder, 'nothing.tar'), {})).toMatch(/cannot read .*nothing\.tar/);
    expect(await readChecksums(file)).toEqual({ ...before, newest_backup: expect.any(String) });
  });

  test('a restore whose database cannot be loaded changes neither the data nor the secrets', async () => {
    const content = mkdtempSync(join(folder, 'content-'));
    writeFileSync(join(content, BACKUP_FILES.database), 'this is no dump');
    writeFileSync(join(content, BACKUP_FILES.settings), `DEVICE_SECRET=${'x'.repeat(32)}\n`);
    const migration = (await readMigrations()).at(-1)?.name ?? '';
    const facts = { format: 1, version, made_at: '2026-11-16T03:15:00Z', method: 'pg_dump', migration } as const;
    const broken = join(folder, 'broken.tar');
    await writeBackup(content, { ...facts, organizations: 1, tanks: 3, readings: 540 }, broken, '');
    const settings = settingsOf(file);
    const { code, stderr } = await run(['restore', broken, '--yes']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('could not be restored, and is as it was before')]);
    expect(settingsOf(file)).toEqual(settings);
    expect(await readChecksums(file)).toEqual({ ...before, newest_backup: expect.any(String) });
  });

  test('restore try restores the backup on a server of its own, and records the result', async () => {
    const config = readUpConfig(settingsOf(file));
    if (config.postgres === undefined) throw new Error('the installation has no PostgreSQL of its own');
    await using running = new AsyncDisposableStack();
    running.use(await ensureOwnPostgres(config.postgres, () => {}));
    expect(await json(['restore', 'try', made.file], PASSPHRASE)).toMatchObject({ problems: [] });
    expect(await json(['status']).catch(() => undefined)).toBeUndefined(); // status fails, because only PostgreSQL runs
    const { stdout } = await run(['status', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      running: { problem: expect.any(String) },
      database: { pending_migrations: 0, last_backup_at: expect.any(String), last_good_drill_at: expect.any(String) },
    });
  });

  test('a restore from the storage into an empty folder brings back every row, the secrets and the ports', async () => {
    const old = settingsOf(file);
    rmSync(join(folder, 'old'), { recursive: true });
    file = join(folder, 'new/tankwatch.env');
    const restored = await json(['restore', storedFile(), '--database', 'start'], storageSettings());
    expect(restored).toMatchObject({ organizations: 1, tanks: 3, readings: 540, owners_of_tanks: [] });
    const after = await readChecksums(file);
    const differing = Object.keys(before).filter((name) => after[name] !== before[name]);
    expect(differing.filter((name) => !CHANGED_BY_RESTORE.test(name))).toEqual([]);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    const now = settingsOf(file);
    for (const name of ['DEVICE_SECRET', 'SECRETS_KEY', 'LINK_SECRET', 'API_PORT', 'PUBLIC_URL'])
      expect([name, now[name]]).toEqual([name, old[name]]);
    expect(Object.values(now).join('\n')).not.toContain(join(folder, 'old'));
    expect(existsSync(join(folder, 'new/data/postgres'))).toBe(true);
  });

  test('the restored installation runs, stores new readings and can be upgraded, and status has nine lines', async () => {
    const up = await startUp(file, ENVIRONMENT);
    try {
      const inOrganization = ['--organization', 'a0gas'];
      const [tank] = JSON.parse((await run(['tanks', 'list', ...inOrganization, '--json'])).stdout);
      const sent = await run(['devices', 'test', tank.assigned_device_id, ...inOrganization, '--fill', '45.5']);
      expect([sent.code, sent.stderr]).toEqual([0, '']);
      const readLastReadingAgeMs = async (): Promise<number> => {
        const { database } = JSON.parse((await run(['status', '--json'])).stdout);
        return Date.now() - Date.parse(database.last_reading_at);
      };
      await expect.poll(readLastReadingAgeMs, { timeout: 60_000 }).toBeLessThan(120_000);
      const { code, stdout } = await run(['status']);
      expect([code, stdout.split('\n').length]).toEqual([0, 9]);
      expect(stdout).toMatch(/^roles +api ready, writer ready, gateway ready, worker ready, connector ready$/m);
      expect(stdout).toMatch(/^last backup .* ago$/m);
      // With a storage, the disk of the default folder is checked.
      const checked = await run(['upgrade', '--check', '--to', 's3:backups']);
      expect([checked.code, checked.stderr]).toEqual([1, expect.stringContaining('is not a place in a storage')]);
      expect(await json(['upgrade', '--check', '--to', 's3://backups/gas'])).toMatchObject({ pending: [] });
      const wrong = await run(['upgrade', '--check'], { CONNECTOR_READINGS_PER_SECOND: '0' });
      expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('CONNECTOR_READINGS_PER_SECOND')]);
      const upgraded = await json(['upgrade', '--to', join(folder, 'saved')]);
      expect(upgraded).toMatchObject({ from: version, to: version, applied: [], done: [] });
      expect([upgraded['go_back'], existsSync(String(upgraded['backup']))]).toEqual([
        [
          expect.stringContaining(`To go back to ${version}: `),
          expect.stringMatching(new RegExp(`stop .tankwatch up.; tankwatch restore ${String(upgraded['backup'])}$`)),
        ],
        true,
      ]);
    } finally {
      up.child.kill('SIGTERM');
      await once(up.child, 'close');
    }
  });
});
