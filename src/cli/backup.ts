import { resolve } from 'node:path';
import { Command } from 'commander';
import { recordBackup } from '../recovery/drill_record.ts';
import { newestBackup } from '../recovery/pgbackrest.ts';
import { findSettingsFile } from '../settings/settings_file.ts';
import { backUpInstallation, type MadeBackup } from '../setup/back_up_installation.ts';
import { installPathsFor } from '../setup/install_paths.ts';
import { amount } from '../values/text_format.ts';
import { UserError } from '../values/user_error.ts';
import { type CommonOptions, parseTime, printResult, readCommand, runChange, withDatabase } from './command.ts';
import { addBackupOptions, type BackupOptions, parseCount, pgBackRestOf } from './options/backup.ts';

interface ReportOptions extends CommonOptions, BackupOptions {
  at?: string;
}

export function backupCommand(): Command {
  return new Command('backup')
    .description('save this installation into one file (`backup`), or report a backup that another program made')
    .addCommand(createCommand(), { isDefault: true })
    .addCommand(reportCommand());
}

interface CreateOptions extends CommonOptions, BackupOptions {
  to?: string;
  keep: number;
}

function createCommand(): Command {
  const command = readCommand(
    'create',
    'save database, settings with their secrets, and removals into one file, while everything runs; with BACKUP_PASSPHRASE, encrypted. `tankwatch restore FILE` brings it back, `tankwatch restore try FILE` tries it',
    'backup --to /mnt/backups',
  )
    .option('--to <folder>', 'where to write it (default: /var/backups/tankwatch for root)')
    .option('--keep <n>', 'how many backups to keep in the folder; older ones are deleted', parseCount, 14);
  return addBackupOptions(command).action(async (options: CreateOptions) => {
    const made = await createBackup(options, (line) => options.json || console.error(line));
    printResult(options, made, describeBackup(made));
  });
}

/** Saves the installation whose settings this command has. */
export async function createBackup(
  options: Omit<CreateOptions, 'json'>,
  onStatus: (line: string) => void,
): Promise<MadeBackup> {
  const settingsFile = findSettingsFile(process.env)?.path;
  const { backupFolder } = installPathsFor(process.env, process.getuid?.() === 0, settingsFile);
  return backUpInstallation({
    environment: process.env,
    settingsFile,
    folder: resolve(options.to ?? backupFolder),
    keep: options.keep,
    pgBackRest: await pgBackRestOf(options),
    onStatus,
  });
}

export function describeBackup(made: MadeBackup): string {
  const { file, bytes, is_encrypted, deleted, organizations, tanks, readings } = made;
  return [
    `saved ${amount(organizations, 'organizations')}, ${amount(tanks, 'tanks')} and ${amount(readings, 'readings')} to ${file} (${(bytes / 1e6).toFixed(1)} MB)`,
    ...(deleted.length > 0 ? [`deleted ${amount(deleted.length, 'older backups')}`] : []),
    is_encrypted
      ? 'it is encrypted: keep BACKUP_PASSPHRASE somewhere else too, because nobody can read the backup without it'
      : 'it contains all secrets and is not encrypted: keep it where only you can read it, or set BACKUP_PASSPHRASE',
    'copy it to another machine',
  ].join('\n');
}

function reportCommand(): Command {
  const command = readCommand(
    'report',
    'tell the worker when the newest backup was made, so that an alert is raised when backups stop; run it after each backup, or every hour',
    'backup report',
  ).option('--at <time>', 'when the backup was made; without it, pgBackRest is asked', parseTime);
  return addBackupOptions(command).action((options: ReportOptions) =>
    withDatabase(async ({ pool }) => {
      const backup =
        options.at === undefined
          ? await newestBackup(await pgBackRestOf(options))
          : { endedAt: options.at, label: 'reported', bytes: null };
      if (backup === undefined) throw new UserError(`the stanza ${options.stanza} has no backup; make one.`);
      await runChange(pool, options, (tx) => recordBackup(tx, backup));
      printResult(options, { ...backup }, `the newest backup, ${backup.label}, ended at ${backup.endedAt}`);
    }),
  );
}
