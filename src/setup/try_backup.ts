import type { Pool } from 'pg';
import { migrate } from '../db/migrate.ts';
import { onlyRow } from '../db/only_row.ts';
import { openPool, transaction } from '../db/pool.ts';
import { type BackupManifest, localBackup, openBackup } from '../recovery/backup_file.ts';
import type { DrillFigures } from '../recovery/drill_record.ts';
import { loadDump } from '../recovery/dump.ts';
import { finishRestore } from '../recovery/finish_restore.ts';
import { readRemovalFile } from '../recovery/removal_file.ts';
import type { S3Config } from '../recovery/s3_store.ts';
import { UserError } from '../values/user_error.ts';
import { DATABASE_NAME } from './prepare_database.ts';
import { startPostgres } from './servers/postgres.ts';
import { findServerUser } from './service_user.ts';

export interface TryOptions {
  file: string;
  /** Where the backup is unpacked: a disk with room for it. */
  folder: string;
  passphrase: string;
  s3: S3Config;
  /** The folder with the programs of PostgreSQL. The newest installed ones unless given. */
  binFolder: string | undefined;
  /** Checks counters, states and rows. Returns a sentence for each problem. */
  findProblems: (pool: Pool) => Promise<string[]>;
  onStatus: (line: string) => void;
}

/** Restores a file of `tankwatch backup` on a server of its own, which is deleted afterwards, and looks for what is missing or wrong. */
export async function tryBackup(options: TryOptions): Promise<Partial<DrillFigures> & { problems: string[] }> {
  const { file, onStatus, binFolder } = options;
  const startMs = performance.now();
  onStatus('reading the backup ...');
  await using local = await localBackup(file, options.folder, options.s3);
  await using backup = await openBackup(local.file, options.passphrase, options.folder);
  const dump = backup.fileOf('database');
  if (dump === undefined)
    throw new UserError('the database of this backup is in pgBackRest; use: tankwatch restore drill');
  const { isNew: _, ...user } = await findServerUser();
  await using running = new AsyncDisposableStack();
  const server = await startPostgres({ fsync: 'off' }, { user, ...(binFolder === undefined ? {} : { binFolder }) });
  running.defer(() => server.stop());
  const url = new URL(server.url);
  const admin = openPool({ url: url.href, applicationName: 'tankwatch restore try' });
  await admin.query(`create database ${DATABASE_NAME}`);
  await admin.end();
  url.pathname = `/${DATABASE_NAME}`;
  const pool = openPool({ url: url.href, applicationName: 'tankwatch restore try' });
  running.defer(() => pool.end());
  onStatus('restoring the database ...');
  await migrate(pool); // creates the roles, which are not in a dump
  await loadDump({ url: url.href, binFolder: server.binFolder, path: '' }, dump);
  await migrate(pool);
  const removals = backup.fileOf('removals');
  const { applied } = await transaction(pool, async (tx) =>
    finishRestore(tx, removals === undefined ? [] : await readRemovalFile(removals)),
  );
  const seconds = (performance.now() - startMs) / 1_000;
  onStatus('checking it ...');
  const { made_at } = backup.manifest;
  return {
    backup_label: file,
    backup_ended_at: made_at,
    rpo_seconds: (Date.now() - Date.parse(made_at)) / 1_000,
    rto_seconds: seconds,
    removals_applied: applied,
    problems: [...(await compareWithManifest(pool, backup.manifest)), ...(await options.findProblems(pool))],
  };
}

async function compareWithManifest(pool: Pool, manifest: BackupManifest): Promise<string[]> {
  const { rows } = await pool.query<{ readings: number }>(
    'select coalesce(sum(n), 0)::float8 as readings from telemetry_month_counters',
  );
  const { readings } = onlyRow(rows);
  // The readings of the manifest were counted before the dump, and removals may delete some.
  return readings < manifest.readings * 0.99
    ? [`${manifest.readings.toLocaleString('en')} readings were saved, and ${readings.toLocaleString('en')} are there`]
    : [];
}
