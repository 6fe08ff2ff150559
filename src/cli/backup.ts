import { Command } from 'commander';
import { recordBackup } from '../recovery/drill_record.ts';
import { newestBackup } from '../recovery/pgbackrest.ts';
import { UserError } from '../values/user_error.ts';
import { type CommonOptions, parseTime, printResult, readCommand, runChange, withDatabase } from './command.ts';
import { addBackupOptions, type BackupOptions, pgBackRestOf } from './options/backup.ts';

interface ReportOptions extends CommonOptions, BackupOptions {
  at?: string;
}

export function backupCommand(): Command {
  return new Command('backup').description('report when the database was backed up').addCommand(reportCommand());
}

function reportCommand(): Command {
  const command = readCommand(
    'report',
    'tell the worker when the newest backup was made, so that an alert can say that none is made; run it after each backup, or every hour',
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
