import { execFile } from 'node:child_process';
import { chmod, mkdtempDisposable, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Installation, startInstallation } from '../engines/installation.ts';
import { BackupRepository } from '../engines/pgbackrest.ts';
import { MAIN } from '../engines/process.ts';
import { createTenant, issueOneKey } from '../engines/tenant.ts';
import { DEVICES, startLoad } from '../faults/load.ts';
import type { DrillFigures } from '../src/recovery/drill_record.ts';
import { HOUR_MS } from '../src/values/time.ts';
import { createFleet } from './bulk_fleet.ts';
import { fillTelemetry } from './bulk_telemetry.ts';
import { atLeast, atMost, type BenchOptions, figure, type Report } from './report.ts';

/** 100 days of twelve readings. With these, 200,000 tanks have 21 GB. */
const READINGS_PER_TANK = 1_200;
const BYTES_PER_READING = 90;
/** Room for the database, its backup (half of its size or less) and the restored database. */
const DISK_FACTOR = 2.6;

/** Measures `tankwatch restore drill` of a large database under load: a backup, the WAL and the stream since then, the comparison. */
export async function benchDrill({
  isQuick,
  tanks: given,
  log,
}: BenchOptions & { tanks: number | null }): Promise<Report> {
  const tanks = given ?? (isQuick ? 1_000 : 200_000);
  const readingsPerTank = isQuick ? 100 : READINGS_PER_TANK;
  await requireRoom(tanks * readingsPerTank * BYTES_PER_READING * DISK_FACTOR);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tankwatch-drill-'));
  await chmod(folder.path, 0o755); // PostgreSQL and pgBackRest run as another user
  const backups = await BackupRepository.create(join(folder.path, 'backups'));
  await using empty = await startInstallation({
    devices: 0,
    postgresSettings: { archive_mode: 'on', archive_timeout: '60', maintenance_work_mem: '1GB' },
  });
  const { owner } = empty;
  // The WAL from before the backup is not needed.
  await archiveWith(empty, 'true');
  const fleet = await createFleet(owner, { tanks, tanksPerOwner: 2, latestMs: Date.now() - 2 * HOUR_MS, log });
  await fillTelemetry(owner, fleet, { tanks, readingsPerTank, log });
  await owner.query('vacuum analyze');
  const installation = await addDevices(empty);
  await installation.start('gateway');
  await installation.start('writer');
  const load = startLoad(installation, { replayShare: 0 });
  await load.started;

  log('full backup under load');
  await archiveWith(installation, backups.postgresSettings['archive_command'] ?? '');
  const startMs = performance.now();
  await backups.backUp(installation.postgres);
  const backupMinutes = (performance.now() - startMs) / 60_000;
  await sleep(isQuick ? 5_000 : 120_000);
  log('tankwatch restore drill, under load');
  const drilled = await drill(installation, folder.path, join(folder.path, 'backups/pgbackrest.conf'));
  await load.stop();
  for (const problem of drilled.problems) log(problem);
  const gigabytes = drilled.bytes / 1e9;
  return {
    name: 'drill',
    checks: [
      atLeast('GB restored', gigabytes, isQuick ? 0.02 : 20),
      atMost('problems of the restored database', drilled.problems.length, 0),
      atMost('RPO, in seconds', drilled.rpo_seconds, 120),
      figure('RTO, in seconds', drilled.rto_seconds),
      figure('seconds of pgBackRest', drilled.restore_seconds),
      figure('seconds of WAL replay', drilled.recovery_seconds),
      figure('seconds of the comparison', drilled.verify_seconds),
      figure('GB restored per minute, pgBackRest alone', drilled.gigabytes_per_minute),
      figure('GB restored per minute, whole restore', gigabytes / (drilled.rto_seconds / 60)),
      figure('GB backed up per minute', gigabytes / backupMinutes),
      figure('readings replayed from the stream', drilled.replayed_readings),
    ],
    drilled,
  };
}

async function requireRoom(bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(tmpdir());
  if (bavail * bsize < bytes)
    throw new Error(
      `${tmpdir()} has ${Math.round((bavail * bsize) / 1e9)} GB of room, and this run needs ${Math.round(bytes / 1e9)}; give fewer --tanks, or another TMPDIR`,
    );
}

async function archiveWith({ owner }: Installation, command: string): Promise<void> {
  await owner.query(`alter system set archive_command = '${command}'`);
  await owner.query('select pg_reload_conf()');
}

/** Creates the devices of the load in another organization. They come last, because the bulk statements fill whole tables. */
async function addDevices(installation: Installation): Promise<Installation> {
  const { owner, environment } = installation;
  const deviceSecret = environment['DEVICE_SECRET'] ?? '';
  const tenant = await createTenant(owner, { code: 'a0load', devices: DEVICES, deviceSecret });
  const ingestKey = await issueOneKey(owner, { organizationNo: tenant.organizationNo, scopes: ['ingest'] });
  return { ...installation, ...tenant, ingestKey };
}

async function drill({ urls, nats }: Installation, folder: string, config: string): Promise<DrillFigures> {
  const args = ['restore', 'drill', '--json', '--folder', folder, '--pgbackrest-config', config];
  const run = promisify(execFile)(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env['PATH'], OPERATOR_DATABASE_URL: urls.operator, OPERATOR_NATS_URL: nats.url },
  });
  // The exit code is 1 if the drill found problems, which are in its output.
  const { stdout } = await run.catch((error: Error & { stdout: string }) => error);
  const drilled: DrillFigures = JSON.parse(stdout);
  if (drilled.bytes === undefined) throw new Error(`the drill could not be finished: ${drilled.problems.join('; ')}`);
  return drilled;
}
