import { tmpdir } from 'node:os';
import { Command } from 'commander';
import { transaction } from '../db/pool.ts';
import { recordDrill } from '../recovery/drill_record.ts';
import { finishRestore } from '../recovery/finish_restore.ts';
import { readRemovalFile } from '../recovery/removal_file.ts';
import { readBackupConfig, readOperatorName } from '../settings/command_settings.ts';
import { installPathsFor } from '../setup/install_paths.ts';
import { restoreInstallation } from '../setup/restore_installation.ts';
import { hasUnit } from '../setup/systemd.ts';
import { tryBackup } from '../setup/try_backup.ts';
import { amount } from '../values/text_format.ts';
import { askYesOrNo } from './ask.ts';
import {
  type CommonOptions,
  printResult,
  readCommand,
  runChange,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';
import { checkDatabase } from './init.ts';
import { describeDrill, drillCommand, findProblems } from './restore_drill.ts';

export function restoreCommand(): Command {
  return new Command('restore')
    .description('restore a backup (`restore FILE`), finish a restore by hand, or try one (drill)')
    .addCommand(fromCommand(), { isDefault: true })
    .addCommand(tryCommand())
    .addCommand(finishCommand())
    .addCommand(drillCommand());
}

function finishCommand(): Command {
  return writeCommand(
    'finish',
    'delete and revoke again what was deleted and revoked after the backup was made; run it before any role starts',
    'restore finish --removals removals.ndjson',
  )
    .requiredOption(
      '--removals <file>',
      'the file that REMOVALS_FILE names, or one written by: tankwatch removals export',
    )
    .action((options: WriteOptions & { removals: string }) =>
      withDatabase(async ({ pool }) => {
        const removals = await readRemovalFile(options.removals);
        const finished = await runChange(pool, options, (tx) => finishRestore(tx, removals));
        const { applied, unchanged, ownersOfTanks, sessions, linkedRounds } = finished;
        printResult(
          options,
          {
            applied,
            unchanged,
            owners_of_tanks: ownersOfTanks,
            sessions_ended: sessions,
            rounds_without_link: linkedRounds,
          },
          describeFinished(finished).join('\n'),
        );
        if (ownersOfTanks.length > 0) process.exitCode = 1;
      }),
    );
}

interface TryOptions extends CommonOptions {
  folder: string;
  bin?: string;
}

function tryCommand(): Command {
  return readCommand(
    'try',
    'restore a file of `tankwatch backup` on a PostgreSQL of its own, check it, delete it, and record the result for `doctor`; the exit code is 1 if something is missing or wrong',
    'restore try /var/backups/tankwatch/tankwatch-20261118T031500Z.tar',
  )
    .argument('<file>', 'the backup, also s3://bucket/folder/file')
    .option('--folder <folder>', 'where it is unpacked', tmpdir())
    .option(
      '--bin <folder>',
      'the folder with the programs of PostgreSQL (default: POSTGRES_BIN, or the newest installed)',
    )
    .action((file: string, options: TryOptions) =>
      withDatabase(async ({ pool }) => {
        const startedAt = new Date().toISOString();
        const { passphrase, s3 } = readBackupConfig(process.env);
        const tried = await tryBackup({
          file,
          folder: options.folder,
          passphrase,
          s3,
          binFolder: options.bin ?? process.env['POSTGRES_BIN'],
          findProblems: (restored) => findProblems(restored, false),
          onStatus: (line) => console.error(line),
        });
        await transaction(pool, (tx) => recordDrill(tx, startedAt, tried, tried.problems));
        printResult(options, tried, describeDrill(tried));
        if (tried.problems.length > 0) process.exitCode = 1;
      }),
    );
}

type FinishedRestore = Awaited<ReturnType<typeof finishRestore>>;

const describeFinished = ({ applied, unchanged, ownersOfTanks, sessions, linkedRounds }: FinishedRestore): string[] => [
  `${applied} removals applied again, ${unchanged} unchanged`,
  ...(sessions > 0 ? [`${sessions} sessions of the console ended: everybody has to sign in again`] : []),
  ...(linkedRounds > 0
    ? [`the links of ${amount(linkedRounds, 'rounds')} ended: drivers on their way need new ones`]
    : []),
  ...ownersOfTanks.map(
    (id) =>
      `NOT deleted: the customer ${id} owns tanks in this backup; transfer or delete them, then run: tankwatch restore finish`,
  ),
];

interface FromOptions extends CommonOptions {
  config?: string;
  database?: string;
  yes?: boolean;
}

function fromCommand(): Command {
  return readCommand(
    'from',
    'restore a file of `tankwatch backup`, also on a new machine: settings with their secrets, database, removals since then. It replaces the database of this installation',
    'restore /var/backups/tankwatch/tankwatch-20261118T031500Z.tar',
  )
    .argument(
      '<file>',
      'the backup, also s3://bucket/folder/file; for an encrypted one, set BACKUP_PASSPHRASE or BACKUP_PASSPHRASE_FILE',
    )
    .option('--database <where>', 'on a new machine: local, start or an address, as for `tankwatch init`')
    .option('--config <file>', 'the settings file, as for `tankwatch init`')
    .option('--yes', 'replace the data of this installation without asking')
    .action(restoreFile);
}

async function restoreFile(file: string, options: FromOptions): Promise<void> {
  const paths = installPathsFor(process.env, process.getuid?.() === 0, options.config);
  const say = (line: string): void => console.error(line);
  const { manifest, report, finished } = await restoreInstallation({
    file,
    paths,
    environment: process.env,
    database: options.database === undefined ? undefined : checkDatabase(options.database),
    actor: readOperatorName(process.env),
    onStatus: options.json ? () => {} : say,
    confirm: async (reason) =>
      options.yes || askYesOrNo(`${reason} Replace it?`, `${reason} Nobody can answer here; add --yes to replace it.`),
  });
  const config = options.config === undefined ? '' : ` --config ${paths.settingsFile}`;
  const { made_at, organizations, tanks, readings } = manifest;
  const { ownersOfTanks, linkedRounds, ...counts } = finished;
  const left = { owners_of_tanks: ownersOfTanks, rounds_without_link: linkedRounds };
  printResult(
    options,
    { made_at, organizations, tanks, readings, done: report.done, ...left, ...counts },
    [
      ...report.done,
      `restored the backup of ${made_at}: ${amount(organizations, 'organizations')}, ${amount(tanks, 'tanks')}, ${amount(readings, 'readings')}`,
      ...describeFinished(finished),
      `\nNext: ${hasUnit() ? 'systemctl start tankwatch' : `tankwatch up${config}`}, then: tankwatch doctor${config}`,
    ].join('\n'),
  );
  if (ownersOfTanks.length > 0) process.exitCode = 1;
}
