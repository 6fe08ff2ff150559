import { execFile } from 'node:child_process';
import { chown, mkdir, mkdtempDisposable, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { atLeast, atMost, type BenchOptions, figure, type Report } from '../bench/report.ts';
import { type Installation, startInstallation } from '../engines/installation.ts';
import { BackupRepository } from '../engines/pgbackrest.ts';
import { MAIN } from '../engines/process.ts';
import { readNumber } from '../engines/read_number.ts';
import { until } from '../engines/until.ts';
import { createCustomers, deleteCustomer } from '../src/catalog/customers.ts';
import { revokeDevice } from '../src/catalog/devices.ts';
import { transaction } from '../src/db/pool.ts';
import { issueKey, revokeKey } from '../src/keys/issue_key.ts';
import { DEVICES, startLoad } from './load.ts';
import { untilDrained, verify } from './verify.ts';

const run = promisify(execFile);
/**
 * Deletes the database, restores it with pgBackRest to a point in time, and finishes as the documentation says. After the point in
 * time, readings had arrived, a customer had been deleted, and a key and a device had been revoked.
 */
export async function runRestore({ isQuick, log }: BenchOptions): Promise<Report> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tankwatch-restore-'));
  await run('chmod', ['755', folder.path]);
  const backups = await BackupRepository.create(join(folder.path, 'backups'));
  await using installation = await startInstallation({
    devices: DEVICES + 1,
    postgresSettings: backups.postgresSettings,
  });
  const removalsFile = join(folder.path, 'removals.ndjson');
  await installation.start('gateway');
  const writer = await installation.start('writer');
  const worker = await installation.start('worker', { REMOVALS_FILE: removalsFile });
  const removal = await provisionRemoval(installation);

  const load = startLoad(installation, { replayShare: 0.05, devices: installation.devices.slice(0, DEVICES) });
  await sleep(isQuick ? 3_000 : 30_000);
  log('full backup under load');
  await backups.backUp(installation.postgres);
  await sleep(isQuick ? 2_000 : 20_000);
  const pointInTime = new Date();
  log(`point in time: ${pointInTime.toISOString()}`);
  await sleep(1_000);
  await remove(installation, removal);
  await sleep(isQuick ? 3_000 : 30_000);
  const { mqtt, http } = await load.stop();
  await untilDrained(installation);
  await untilOnRecord(removalsFile);
  await untilArchived(installation);
  await Promise.all([writer.stop(), worker.stop()]);

  log('deleting the database and restoring it');
  await installation.postgres.kill();
  const dataFolder = join(installation.postgres.dataFolder, 'data');
  const { uid, gid } = await stat(dataFolder);
  await rm(dataFolder, { recursive: true });
  await mkdir(dataFolder, { mode: 0o700 });
  await chown(dataFolder, uid, gid);
  const startMs = performance.now();
  await backups.restore(pointInTime);
  await installation.postgres.restart();
  await untilRecovered(installation);
  const seconds = (performance.now() - startMs) / 1_000;
  const countStored = (): Promise<number> =>
    readNumber(installation.owner, 'select sum(n)::float8 as n from telemetry_month_counters');
  const bytes = await readNumber(installation.owner, 'select pg_database_size(current_database()) as n');
  const restoredReadings = await countStored();
  const returned = await countReturned(installation, removal);

  log('tankwatch restore finish');
  await run(process.execPath, [MAIN, 'restore', 'finish', '--removals', removalsFile], {
    env: { PATH: process.env['PATH'], OPERATOR_DATABASE_URL: installation.urls.operator },
  });
  await writer.start(); // replays the stream by itself
  await untilReplayed(installation);
  await untilDrained(installation);
  const checks = await verify(installation, [mqtt.record, http.record]);
  return {
    name: 'restore',
    checks: [
      ...checks,
      atLeast(
        'acknowledged readings that the restored database did not have',
        (await countStored()) - restoredReadings,
        1,
      ),
      atLeast('removals that the restored database did not have', returned, 3),
      atMost(
        'deleted customers, revoked keys and revoked devices that are back',
        await countReturned(installation, removal),
        0,
      ),
      figure('GB restored', bytes / 1e9),
      figure('GB restored per minute', bytes / 1e9 / (seconds / 60)),
    ],
    seconds,
  };
}

/** The objects that are deleted or revoked after the point in time. */
interface Removal {
  organizationNo: number;
  customerNo: number;
  keyPrefix: string;
  /** The last device, which the load does not use. */
  deviceId: string;
}

async function provisionRemoval({ owner, devices, organizationNo }: Installation): Promise<Removal> {
  return transaction(owner, async (tx) => {
    const [customer] = await createCustomers(tx, organizationNo, [{ name: 'Leaves', email: 'leaves@example.com' }]);
    const key = await issueKey(tx, { organizationNo, name: 'Leaves', scopes: ['read'] });
    return {
      organizationNo,
      customerNo: customer?.no ?? 0,
      keyPrefix: key.prefix,
      deviceId: devices.at(-1)?.deviceId ?? '',
    };
  });
}

async function remove({ owner }: Installation, removal: Removal): Promise<void> {
  const { organizationNo, customerNo, keyPrefix, deviceId } = removal;
  await transaction(owner, async (tx) => {
    await deleteCustomer(tx, organizationNo, customerNo);
    await revokeKey(tx, keyPrefix);
    await revokeDevice(tx, organizationNo, deviceId);
  });
}

const countReturned = ({ owner }: Installation, { customerNo, keyPrefix, deviceId }: Removal): Promise<number> =>
  readNumber(
    owner,
    `select (select count(*) from customers where no = $1 and deleted_at is null)
          + (select count(*) from api_keys where prefix = $2 and revoked_at is null)
          + (1 - (select count(*) from device_credentials where device_id = $3 and revoked_at is not null)) as n`,
    [customerNo, keyPrefix, deviceId],
  );

/** Waits until the worker has written the three removals to the file. */
async function untilOnRecord(file: string): Promise<void> {
  await untilTrue('the removals are in the file', async () => {
    const { stdout } = await run('grep', ['-c', '', file]).catch(() => ({ stdout: '0' }));
    return Number(stdout) >= 3;
  });
}

/** Waits until the WAL up to now is in the repository. Later WAL is lost with the server. */
async function untilArchived({ owner }: Installation): Promise<void> {
  const { rows } = await owner.query<{ segment: string }>('select pg_walfile_name(pg_switch_wal()) as segment');
  await untilTrue('the WAL is archived', async () => {
    const { rowCount } = await owner.query('select from pg_stat_archiver where last_archived_wal >= $1', [
      rows[0]?.segment,
    ]);
    return rowCount === 1;
  });
}

const untilRecovered = ({ owner }: Installation): Promise<void> =>
  untilTrue('the recovery ends', async () => {
    const { rows } = await owner.query<{ is_recovering: boolean }>('select pg_is_in_recovery() as is_recovering');
    return rows[0]?.is_recovering === false;
  });

/** A writer confirms its position on the restored server only after it has begun the replay. */
const untilReplayed = ({ owner }: Installation): Promise<void> =>
  untilTrue('the writer replays the stream', async () => {
    const { rowCount } = await owner.query(
      'select from stream_positions where server_started_at = pg_postmaster_start_time()',
    );
    return rowCount === 1;
  });

/** Waits for a condition. It counts as false if a query fails, for example while PostgreSQL starts. */
async function untilTrue(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  await until(what, () => isTrue().catch(() => false), 300_000);
}
