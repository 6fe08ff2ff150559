import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { onlyRow } from '../db/only_row.ts';
import { type Db, openPool, transaction } from '../db/pool.ts';
import { BACKUP_FILES, writeBackup } from '../recovery/backup_file.ts';
import { recordBackup } from '../recovery/drill_record.ts';
import { dumpDatabase } from '../recovery/dump.ts';
import {
  BACKUP_NAME_START,
  backupName,
  beginBackup,
  deleteOldBackups,
  oldBackups,
  UNFINISHED_START,
} from '../recovery/kept_backups.ts';
import { hasStanza, type PgBackRest, runBackup } from '../recovery/pgbackrest.ts';
import { assertHasKey, deleteFile, listFiles, putFile, type S3Config, type S3Location } from '../recovery/s3_store.ts';
import { readBackupConfig } from '../settings/command_settings.ts';
import type { Environment } from '../settings/setting_reader.ts';
import { readUpConfig } from '../settings/up_settings.ts';
import { errorCode } from '../values/error_code.ts';
import { UserError } from '../values/user_error.ts';
import { ensureOwnPostgres } from './own_servers.ts';

export const BACKUP_METHODS = ['pg_dump', 'pgbackrest'] as const;
export type BackupMethod = (typeof BACKUP_METHODS)[number];

export interface BackUpOptions {
  environment: Environment;
  /** Undefined if the settings come from the environment. */
  settingsFile: string | undefined;
  folder: string;
  /** A storage to which the file is sent. No copy stays in the folder. */
  storage: S3Location | undefined;
  /** How many backups of the folder or storage are kept. */
  keep: number;
  /** How the database is saved. Undefined to choose by its size. */
  method: BackupMethod | undefined;
  /** Used for databases of 20 GB and more, if it has a stanza. */
  pgBackRest: PgBackRest;
  onStatus: (line: string) => void;
}

export interface MadeBackup {
  file: string;
  made_at: string;
  bytes: number;
  method: BackupMethod;
  /** Why this method was used. */
  reason: string;
  is_encrypted: boolean;
  deleted: string[];
  organizations: number;
  tanks: number;
  readings: number;
}

/** Loading a dump of this size takes about half an hour, because it builds all indexes. pgBackRest copies files. */
const DUMP_BYTES = 20e9;

interface DatabaseFacts {
  bytes: number;
  migration: string;
  organizations: number;
  tanks: number;
  readings: number;
}

/**
 * Saves database, settings and removals into one file. With pgBackRest, the database goes to its repository instead. Roles may run
 * in the meantime: a dump is one snapshot.
 */
export async function backUpInstallation(options: BackUpOptions): Promise<MadeBackup> {
  const { environment, folder, onStatus } = options;
  const config = readUpConfig(environment);
  const { passphrase, removalsFile, s3 } = readBackupConfig(environment);
  if (options.storage !== undefined) assertHasKey(s3);
  await using running = new AsyncDisposableStack();
  if (config.postgres) running.use(await ensureOwnPostgres(config.postgres, onStatus));
  const owner = openPool({
    url: config.databaseUrl,
    setting: 'MIGRATE_DATABASE_URL',
    applicationName: 'tankwatch backup',
  });
  running.defer(() => owner.end());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  running.use(await beginBackup(owner, folder));
  const staging = await mkdtemp(join(folder, UNFINISHED_START));
  running.defer(() => rm(staging, { recursive: true, force: true }));

  const made_at = new Date().toISOString();
  const facts = await readFacts(owner);
  const { method, reason } =
    options.method === undefined
      ? await chooseMethod(facts.bytes, options.pgBackRest)
      : { method: options.method, reason: `using ${options.method}, as --method says.` };
  onStatus(reason);
  if (method === 'pgbackrest') await runBackup(options.pgBackRest);
  else {
    const database = {
      url: config.databaseUrl,
      binFolder: config.postgres?.binFolder ?? '',
      path: environment['PATH'] ?? '/usr/bin:/bin',
    };
    await dumpDatabase(database, join(staging, BACKUP_FILES.database));
  }
  // Copied after the dump, so that no removal is missing. A restore applies those that the dump does not have.
  if (removalsFile !== '') await copyIfThere(removalsFile, join(staging, BACKUP_FILES.removals));
  if (options.settingsFile !== undefined) await copyFile(options.settingsFile, join(staging, BACKUP_FILES.settings));
  const name = backupName(new Date(made_at), passphrase !== '');
  const file = join(options.storage === undefined ? folder : staging, name);
  const { bytes: _, ...counts } = facts;
  const manifest = { format: 1 as const, version: packageJson.version, made_at, method, ...counts };
  await writeBackup(staging, manifest, file, passphrase);
  const { size: bytes } = await stat(file);
  const stored = options.storage;
  const label = stored === undefined ? file : storageUrl(stored, name);
  if (stored !== undefined) {
    onStatus(`sending ${(bytes / 1e6).toFixed(1)} MB to ${label} ...`);
    await putFile(s3, file, within(stored, name));
  }
  await transaction(owner, (tx) => recordBackup(tx, { endedAt: made_at, label, bytes }));
  return {
    file: label,
    made_at,
    bytes,
    method,
    reason,
    is_encrypted: passphrase !== '',
    deleted:
      stored === undefined ? await deleteOldBackups(folder, options.keep) : await deleteOldObjects(s3, stored, options),
    organizations: counts.organizations,
    tanks: counts.tanks,
    readings: counts.readings,
  };
}

const within = ({ bucket, path }: S3Location, name: string): S3Location => ({
  bucket,
  path: path === '' ? name : `${path}/${name}`,
});
const storageUrl = (location: S3Location, name: string): string =>
  `s3://${location.bucket}/${within(location, name).path}`;

/** Deletes old backups. The backup does not fail if the key of the storage may only write, as is usual for backups. */
async function deleteOldObjects(
  s3: S3Config,
  location: S3Location,
  { keep, onStatus }: Pick<BackUpOptions, 'keep' | 'onStatus'>,
): Promise<string[]> {
  const deleted: string[] = [];
  try {
    for (const name of oldBackups(await listFiles(s3, location, BACKUP_NAME_START), keep)) {
      await deleteFile(s3, within(location, name));
      deleted.push(name);
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    onStatus(`the backup is stored, but older ones are not deleted: ${error.message}`);
  }
  return deleted;
}

async function chooseMethod(bytes: number, pgBackRest: PgBackRest): Promise<Pick<MadeBackup, 'method' | 'reason'>> {
  const size = `the database has ${(bytes / 1e9).toFixed(1)} GB`;
  if (bytes < DUMP_BYTES)
    return { method: 'pg_dump', reason: `using pg_dump: ${size}, less than ${DUMP_BYTES / 1e9} GB.` };
  return (await hasStanza(pgBackRest))
    ? { method: 'pgbackrest', reason: `using pgBackRest: ${size}, at least ${DUMP_BYTES / 1e9} GB.` }
    : {
        method: 'pg_dump',
        reason: `using pg_dump, because there is no stanza ${pgBackRest.stanza}; pgBackRest would be faster: ${size}.`,
      };
}

async function readFacts(db: Db): Promise<DatabaseFacts> {
  const { rows } = await db.query<DatabaseFacts>(
    `select pg_database_size(current_database())::float8 as bytes, (select max(name) from schema_migrations) as migration,
            (select count(*) from organizations)::float8 as organizations,
            (select count(*) from tanks where deleted_at is null)::float8 as tanks,
            (select coalesce(sum(n), 0)::float8 from telemetry_month_counters) as readings`,
  );
  return onlyRow(rows);
}

/** A missing file is not an error, because the worker creates it with the first removal. */
const copyIfThere = (from: string, to: string): Promise<void> =>
  copyFile(from, to).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
