import { execFile } from 'node:child_process';
import { chmod, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { type Installation, startInstallation } from '../../engines/installation.ts';
import { databaseUrl } from '../../engines/logins.ts';
import { BackupRepository } from '../../engines/pgbackrest.ts';
import { until } from '../../engines/until.ts';
import { createCustomers, deleteCustomer } from '../../src/catalog/customers.ts';
import { transaction } from '../../src/db/pool.ts';
import { rpoSeconds } from '../../src/recovery/drill.ts';
import { type DrillFigures, judgeDrill } from '../../src/recovery/drill_record.ts';
import { type Finished, tankwatch } from '../support/cli.ts';
import { givenFolder } from '../support/folder.ts';
import { isWhole } from '../support/whole_tests.ts';

let atMs = Date.now() - 86_400_000;

/** Sends a reading of each device, waits until it is stored, and returns the number of stored readings. */
async function send({ ingestUrl, ingestKey, devices, owner }: Installation): Promise<number> {
  const before = await countReadings(owner);
  atMs += devices.length;
  const readings = devices.map(({ deviceId }, n) => ({
    device_id: deviceId,
    fill_percentage: 60,
    created_at: atMs + n,
  }));
  const response = await fetch(ingestUrl, {
    method: 'POST',
    headers: { 'x-api-key': ingestKey },
    body: JSON.stringify({ readings }),
  });
  expect(response.status).toBe(202);
  const expected = before + devices.length;
  await until('readings are stored', async () => (await countReadings(owner)) === expected);
  return expected;
}

const countReadings = async (owner: Installation['owner']): Promise<number> =>
  (await owner.query<{ n: number }>('select coalesce(sum(n), 0)::int as n from telemetry_month_counters')).rows[0]?.n ??
  0;

/** Waits until the WAL up to now is in the repository. */
async function archive({ owner }: Installation): Promise<void> {
  const { rows } = await owner.query<{ segment: string }>('select pg_walfile_name(pg_switch_wal()) as segment');
  await until('the WAL is archived', async () => {
    const found = await owner.query('select from pg_stat_archiver where last_archived_wal >= $1', [rows[0]?.segment]);
    return found.rowCount === 1;
  });
}

test.runIf(isWhole('recovery/drill'))(
  'a drill restores the newest backup, replays WAL and stream, applies removals and is recorded, without touching production',
  async () => {
    const folder = await givenFolder();
    await chmod(folder, 0o755);
    const repository = join(folder, 'backups');
    const backups = await BackupRepository.create(repository);
    const installation = await startInstallation({ devices: 20, postgresSettings: backups.postgresSettings });
    onTestFinished(() => installation.stop());
    const { owner, organizationNo, urls, nats } = installation;
    const removalsFile = join(folder, 'removals.ndjson');
    await installation.start('gateway');
    await installation.start('writer');
    await installation.start('worker', { REMOVALS_FILE: removalsFile });
    const leaving = await transaction(owner, (tx) =>
      createCustomers(tx, organizationNo, [{ name: 'Leaves', email: 'leaves@example.com' }]),
    );
    await send(installation);
    await backups.backUp(installation.postgres);
    await send(installation);
    await archive(installation);
    // This deletion is neither in the backup nor in the archive.
    await transaction(owner, (tx) => deleteCustomer(tx, organizationNo, leaving[0]?.no ?? 0));
    await until('the removal is in the file', async () => (await readFile(removalsFile, 'utf8')).includes('customer'));
    const stored = await send(installation);

    const drill = (...args: string[]): Promise<Finished> =>
      tankwatch(
        [
          'restore',
          'drill',
          '--folder',
          folder,
          '--pgbackrest-config',
          join(repository, 'pgbackrest.conf'),
          '--json',
          ...args,
        ],
        { OPERATOR_DATABASE_URL: urls.operator, OPERATOR_NATS_URL: nats.url, REMOVALS_FILE: removalsFile },
      );
    const failedPushes = async (): Promise<unknown> =>
      (await owner.query('select failed_count from pg_stat_archiver')).rows;
    const failedBefore = await failedPushes();
    const good = await drill();
    expect([good.code, good.stderr.match(/\d\d (.*) \.\.\./g)?.length], good.stderr + good.stdout).toEqual([0, 5]);
    const figures: DrillFigures = JSON.parse(good.stdout);
    expect(figures).toMatchObject({ problems: [], replayed_readings: 20, removals_applied: 1 });
    expect(figures.rpo_seconds).toBeLessThan(120);
    expect(figures.rto_seconds).toBeGreaterThan(0);
    expect(figures.bytes).toBeGreaterThan(10_000_000);
    expect(figures.gigabytes_per_minute).toBeGreaterThan(0);

    // The drill has not changed production, and has deleted its files.
    expect(await countReadings(owner)).toBe(stored);
    expect(await failedPushes()).toEqual(failedBefore);
    expect((await readdir(folder)).filter((name) => name.startsWith('tankwatch-drill-'))).toEqual([]);
    await send(installation);

    const unknown = await drill('--stanza', 'nothing');
    expect(unknown.code).toBe(1);
    expect(JSON.parse(unknown.stdout).problems).toHaveLength(1);
    const { rows } = await owner.query<{ problems: number }>(
      'select cardinality(problems) as problems from restore_drills order by no',
    );
    expect(rows.map(({ problems }) => problems)).toEqual([0, 1]);
    const { rows: known } = await owner.query('select label from newest_backup');
    expect(known).toEqual([{ label: figures.backup_label }]);
    const reported = await tankwatch(['backup', 'report', '--pgbackrest-config', join(repository, 'pgbackrest.conf')], {
      OPERATOR_DATABASE_URL: urls.operator,
    });
    expect(reported.stdout).toContain(`the newest backup, ${figures.backup_label}, ended at 2`);

    // The file beside a backup of pgBackRest contains everything except the database. As after `init --database start`, PostgreSQL
    // asks for a password also on its socket.
    const { postgres } = installation;
    const settings = {
      MIGRATE_DATABASE_URL: databaseUrl(postgres.url, new URL(urls.operator).pathname.slice(1)),
      POSTGRES_FOLDER: postgres.dataFolder,
      POSTGRES_PORT: String(postgres.port),
      REMOVALS_FILE: removalsFile,
    };
    const save = (password: string): Promise<Finished> =>
      tankwatch(
        ['backup', '--method', 'pgbackrest', '--to', join(folder, 'saved'), '--json'].concat(
          '--pgbackrest-config',
          join(repository, 'pgbackrest.conf'),
        ),
        { ...settings, POSTGRES_PASSWORD: new URL(postgres.url).password, PGPASSWORD: password },
      );
    const refused = await save('wrong-password');
    expect([refused.code, refused.stderr + refused.stdout]).toEqual([
      1,
      expect.stringMatching(/pg_hba\.conf.*PGPASSWORD/),
    ]);
    const saved = await save('');
    expect([saved.code, saved.code === 0 ? '' : saved.stderr]).toEqual([0, '']);
    const made = JSON.parse(saved.stdout);
    expect(made).toMatchObject({ method: 'pgbackrest', reason: 'using pgbackrest, as --method says.' });
    const { stdout: content } = await promisify(execFile)('tar', ['--list', '--file', made.file]);
    expect(content.split('\n').toSorted()).toEqual(['', 'manifest.json', 'removals.ndjson', 'tankwatch.env']);
    const second = await tankwatch(['restore', 'try', made.file], { OPERATOR_DATABASE_URL: urls.operator });
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('use: tankwatch restore drill')]);
  },
);

test('a drill is judged as good only within the limits of RPO and RTO and without a problem', () => {
  const figures: DrillFigures = {
    backup_label: 'x',
    backup_ended_at: '2026-01-01T00:00:00.000Z',
    rpo_seconds: 60,
    rto_seconds: 600,
    restore_seconds: 500,
    recovery_seconds: 50,
    verify_seconds: 10,
    bytes: 1,
    gigabytes_per_minute: 1,
    replayed_messages: 0,
    replayed_readings: 0,
    removals_applied: 0,
    problems: [],
  };
  const limits = { maxRpoSeconds: 60, maxRtoSeconds: 600 };
  expect(judgeDrill(figures, limits)).toEqual([]);
  expect(judgeDrill({ ...figures, rpo_seconds: 61 }, limits)).toHaveLength(1);
  expect(judgeDrill({ ...figures, rto_seconds: 601 }, limits)).toHaveLength(1);
  expect(judgeDrill({ ...figures, problems: ['3 readings of production are missing'] }, limits)).toEqual([
    '3 readings of production are missing',
  ]);
});

test('WAL that is archived while a drill restores does not improve its RPO', () => {
  const at = '2026-01-01T12:00:00.000Z';
  const production = { at, archived_at: '2026-01-01T11:59:15.000Z' };
  expect(rpoSeconds(production, '2026-01-01T12:03:00.000Z')).toBe(45);
  // The archive is far behind, although the last file arrived just now.
  expect(rpoSeconds(production, '2026-01-01T11:00:00.000Z')).toBe(3_600);
  // The time is unknown if a standby archives, or if nothing was archived since the statistics were reset.
  expect(rpoSeconds({ at, archived_at: null }, '2026-01-01T11:59:00.000Z')).toBe(60);
});
