import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { readRoles } from '../doctor/status.ts';
import { KEPT_BACKUPS } from '../recovery/kept_backups.ts';
import { readOperatorName } from '../settings/command_settings.ts';
import { findSettingsFile } from '../settings/settings_file.ts';
import { initialize } from '../setup/initialize.ts';
import { installPathsFor, PROGRAM_FOLDER } from '../setup/install_paths.ts';
import { hasUnit, installUnit } from '../setup/systemd.ts';
import { checkUpgrade } from '../setup/upgrade_installation.ts';
import { amount } from '../values/text_format.ts';
import { UserError } from '../values/user_error.ts';
import { createBackup, describeBackup, findBackupTarget } from './backup.ts';
import { type CommonOptions, parseCount, printResult, readCommand } from './command.ts';
import { addPgBackRestOptions, type PgBackRestOptions } from './options/pgbackrest.ts';

interface UpgradeOptions extends CommonOptions, PgBackRestOptions {
  to?: string;
  keep: number;
  backup: boolean;
  check?: boolean;
}

export function upgradeCommand(): Command {
  const command = readCommand(
    'upgrade',
    'finish an upgrade of an installation by `init`, after the files of the new release are there: check, back up, add settings, update the database, build the console, restart the unit; and say how to go back',
    'upgrade',
  )
    .option('--check', 'only check, and say how many migrations are pending; with --json, which')
    .option('--no-backup', 'make no backup first')
    .option('--to <folder>', 'where to write the backup (default: as for `tankwatch backup`)')
    .option('--keep <n>', 'how many backups to keep in the folder; older ones are deleted', parseCount, KEPT_BACKUPS);
  return addPgBackRestOptions(command).action(upgrade);
}

/** How another release is installed: as a Debian package, a checkout, or an unpacked release. */
function howToInstall(version: string | null | undefined, restart: string): string {
  if (PROGRAM_FOLDER === '/usr/lib/tankwatch')
    return `apt-get install --allow-downgrades ./tankwatch_${version ?? 'X.Y.Z'}_*.deb.`;
  const isCheckout = existsSync(join(PROGRAM_FOLDER, 'packages/console/package.json'));
  const build = isCheckout ? ', run npm ci and npm run build:console there' : '';
  return `put its files into ${PROGRAM_FOLDER} again${build}, and ${restart}.`;
}

const restartOf = (isUnit: boolean): string => (isUnit ? 'systemctl restart tankwatch' : 'start `tankwatch up` again');

/** The steps back to the release that ran before, whose version is unknown if it was stopped or is older than 0.4. */
export function describeWayBack(version: string | null | undefined, isUnit: boolean, backup?: string): string[] {
  const old = version ?? 'the previous release';
  const steps = [
    `To go back to ${old}: ${howToInstall(version, restartOf(isUnit))} The tables stay: ${old} works with them.`,
  ];
  if (isUnit && !version)
    steps.push(
      '0.3 cannot make the nightly backups; to go back to it, also: systemctl disable --now backup-tankwatch.timer',
    );
  const stop = isUnit ? 'systemctl stop tankwatch' : 'stop `tankwatch up`';
  if (backup !== undefined)
    steps.push(
      `To also restore the data as it is now, without later changes, first: ${stop}; tankwatch restore ${backup}`,
    );
  return steps;
}

async function upgrade(options: UpgradeOptions): Promise<void> {
  const say = (line: string): void => void (options.json || console.error(line));
  const file = findSettingsFile(process.env);
  if (file === undefined || !process.env['NATS_CONFIG'])
    throw new UserError(
      'there is no installation by `tankwatch init` here; for others, see docs/operators/upgrade.md.',
    );
  if (!file.isReadable) throw new UserError(`your user cannot read ${file.path}; use sudo.`);
  const paths = installPathsFor(process.env, process.getuid?.() === 0, file.path);
  const before = await readRoles(process.env).catch(() => undefined);
  const checked = await checkUpgrade(process.env, findBackupTarget(process.env, options.to).folder, say);
  if (options.check)
    return printResult(
      options,
      checked,
      `release ${checked.version} can be started; ${amount(checked.pending.length, 'migrations')} pending`,
    );
  const backup = options.backup ? await createBackup(options, say) : undefined;
  if (backup !== undefined) say(describeBackup(backup).split('\n')[0] ?? '');
  const report = await initialize({
    paths,
    environment: process.env,
    organization: undefined,
    url: undefined,
    database: undefined,
    actor: readOperatorName(process.env),
    onStatus: say,
  });
  const isUnit = hasUnit();
  if (isUnit) report.done.push(...(await installUnit(paths, report.settings)));
  const goBack = describeWayBack(before?.version, isUnit, backup?.file);
  printResult(
    options,
    {
      from: before?.version ?? null,
      to: checked.version,
      applied: checked.pending,
      backup: backup?.file ?? null,
      done: report.done,
      go_back: goBack,
    },
    [
      ...report.done,
      isUnit ? `release ${checked.version} runs` : `release ${checked.version} is ready: ${restartOf(isUnit)}`,
      ...goBack,
    ].join('\n'),
  );
}
