import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { recordBackup } from '../recovery/drill_record.ts';
import { KEPT_BACKUPS } from '../recovery/kept_backups.ts';
import { newestBackup } from '../recovery/pgbackrest.ts';
import { parseS3Location } from '../recovery/s3_store.ts';
import { readBackupConfig } from '../settings/command_settings.ts';
import type { Environment } from '../settings/setting_reader.ts';
import { findSettingsFile } from '../settings/settings_file.ts';
import {
  BACKUP_METHODS,
  type BackUpOptions,
  type BackupMethod,
  backUpInstallation,
  type MadeBackup,
} from '../setup/back_up_installation.ts';
import { installPathsFor } from '../setup/install_paths.ts';
import { amount } from '../values/text_format.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  parseCount,
  parseTime,
  printResult,
  readCommand,
  runChange,
  withDatabase,
} from './command.ts';
import { addPgBackRestOptions, type PgBackRestOptions, pgBackRestOf } from './options/pgbackrest.ts';

interface ReportOptions extends CommonOptions, PgBackRestOptions {
  at?: string;
}

export function backupCommand(): Command {
  return new Command('backup')
    .description('save this installation into one file (`backup`), or report a backup that another program made')
    .addCommand(createCommand(), { isDefault: true })
    .addCommand(reportCommand());
}

interface CreateOptions extends CommonOptions, PgBackRestOptions {
  to?: string;
  method?: BackupMethod;
  keep: number;
}

function createCommand(): Command {
  const command = readCommand(
    'create',
    'save database, settings with their secrets, and removals into one file, while everything runs; with BACKUP_PASSPHRASE, encrypted. `tankwatch restore FILE` brings it back, `tankwatch restore try FILE` tries it',
    'backup --to /mnt/backups',
  )
    .option(
      '--to <folder>',
      'where to write it (default: BACKUP_TO, or /var/backups/tankwatch for root), or s3://bucket/folder with BACKUP_S3_KEY_ID and BACKUP_S3_SECRET',
    )
    .addOption(
      new Option('--method <method>', 'how the database is saved (default: by its size)').choices(BACKUP_METHODS),
    )
    .option('--keep <n>', 'how many backups to keep there; older ones are deleted', parseCount, KEPT_BACKUPS);
  return addPgBackRestOptions(command).action(async (options: CreateOptions) => {
    const made = await createBackup(options, (line) => options.json || console.error(line));
    printResult(options, made, describeBackup(made));
  });
}

/** Where a backup is written. A backup for a storage is written into the default folder first. */
export function findBackupTarget(
  environment: Environment,
  given: string | undefined,
): Pick<BackUpOptions, 'settingsFile' | 'folder' | 'storage'> {
  const settingsFile = findSettingsFile(environment)?.path;
  const { backupFolder } = installPathsFor(environment, process.getuid?.() === 0, settingsFile);
  const to = (given ?? readBackupConfig(environment).to) || backupFolder;
  const storage = parseS3Location(to);
  if (storage === undefined && to.startsWith('s3:'))
    throw new UserError(`${to} is not a place in a storage; write it as s3://bucket/folder.`);
  return { settingsFile, folder: resolve(storage === undefined ? to : backupFolder), storage };
}

/** Saves the installation whose settings this command has. */
export async function createBackup(
  options: Omit<CreateOptions, 'json'>,
  onStatus: (line: string) => void,
): Promise<MadeBackup> {
  return backUpInstallation({
    environment: process.env,
    ...findBackupTarget(process.env, options.to),
    keep: options.keep,
    method: options.method,
    pgBackRest: await pgBackRestOf(options),
    onStatus,
  });
}

export function describeBackup(made: MadeBackup): string {
  const { file, bytes, method, is_encrypted, deleted, organizations, tanks, readings } = made;
  const catalog = `${amount(organizations, 'organizations')}, ${amount(tanks, 'tanks')}`;
  const counts = `${catalog} and ${amount(readings, 'readings')}`;
  const place = `${file} (${(bytes / 1e6).toFixed(1)} MB)`;
  return [
    method === 'pgbackrest'
      ? `saved ${counts} with pgBackRest, and settings and removals to ${place}`
      : `saved ${counts} to ${place}`,
    ...(deleted.length > 0 ? [`deleted ${amount(deleted.length, 'older backups')}`] : []),
    is_encrypted
      ? 'it is encrypted: keep BACKUP_PASSPHRASE somewhere else too, because nobody can read the backup without it'
      : 'it contains all secrets and is not encrypted: keep it where only you can read it, or set BACKUP_PASSPHRASE',
    ...(file.startsWith('s3:') ? [] : ['copy it to another machine']),
  ].join('\n');
}

function reportCommand(): Command {
  const command = readCommand(
    'report',
    'tell the worker when the newest backup was made, so that an alert is raised when backups stop; run it after each backup, or every hour',
    'backup report',
  ).option('--at <time>', 'when the backup was made; without it, pgBackRest is asked', parseTime);
  return addPgBackRestOptions(command).action((options: ReportOptions) =>
    withDatabase(async ({ pool }) => {
      const backup =
        options.at === undefined
          ? await newestBackup(await pgBackRestOf(options))
          : { endedAt: options.at, label: 'reported', bytes: null };
      if (backup === undefined)
        throw new UserError(
          `the stanza ${options.stanza} has no backup; make one with: pgbackrest --stanza=${options.stanza} backup`,
        );
      // The newest time counts, so later reports could not correct it.
      if (options.at !== undefined && Date.parse(options.at) > Date.now())
        throw new UserError(`${options.at} is in the future; give the time at which the backup ended.`);
      await runChange(pool, options, (tx) => recordBackup(tx, backup));
      printResult(options, { ...backup }, `the newest backup, ${backup.label}, ended at ${backup.endedAt}`);
    }),
  );
}
