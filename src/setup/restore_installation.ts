import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { migrate, readMigrations } from '../db/migrate.ts';
import { openPool, transaction } from '../db/pool.ts';
import { type BackupManifest, localBackup, type OpenedBackup, openBackup } from '../recovery/backup_file.ts';
import { recordBackup, recordDrill } from '../recovery/drill_record.ts';
import { loadDump } from '../recovery/dump.ts';
import { finishRestore } from '../recovery/finish_restore.ts';
import type { Removal } from '../recovery/removal.ts';
import { readRemovalFile } from '../recovery/removal_file.ts';
import { readBackupConfig } from '../settings/command_settings.ts';
import { parseSettings, settingLine } from '../settings/settings_file.ts';
import { readUpConfig } from '../settings/up_settings.ts';
import { UserError } from '../values/user_error.ts';
import { isFreePort } from './first_free_port.ts';
import type { InitOptions, InitReport } from './init_report.ts';
import { DATABASE_GROUP, initialize, NATS_GROUP, readExisting } from './initialize.ts';
import type { InstallPaths } from './install_paths.ts';
import { ensureOwnPostgres } from './own_servers.ts';
import { writeWholeFile } from './write_file.ts';

interface RestoreOptions extends Omit<InitOptions, 'organization' | 'url'> {
  file: string;
  /** Called before data is replaced, with the reason for the question. */
  confirm: (reason: string) => Promise<boolean>;
}

interface Restored {
  manifest: BackupManifest;
  report: InitReport;
  finished: Awaited<ReturnType<typeof finishRestore>>;
}

/**
 * Restores a backup: on this installation, or on a machine without one, which is set up first. Everything that can be checked
 * is checked before something is changed, and the content of the database is replaced in one transaction.
 */
export async function restoreInstallation(options: RestoreOptions): Promise<Restored> {
  const { paths, environment, onStatus } = options;
  const existing = await readExisting(paths.settingsFile);
  await assertStopped(existing.settings['API_PORT']);
  onStatus('reading the backup ...');
  await mkdir(paths.dataFolder, { recursive: true, mode: 0o755 });
  const { passphrase, s3 } = readBackupConfig({ ...existing.settings, ...environment });
  await using local = await localBackup(options.file, paths.dataFolder, s3);
  await using backup = await openBackup(local.file, passphrase, paths.dataFolder);
  const { manifest } = backup;
  await assertKnownSchema(manifest);
  const dump = backup.fileOf('database');
  if (dump === undefined)
    throw new UserError(
      'the database of this backup is in pgBackRest; restore it first (docs/operators/backup.md), then run: tankwatch restore finish',
    );
  const isNew = existing.text === '';
  if (!isNew && !(await options.confirm(`${paths.settingsFile} has an installation.`)))
    throw new UserError('nothing was changed.');

  const written = isNew ? await writeSettings(backup, paths) : [];
  const report = await initialize({ ...options, organization: undefined, url: undefined });
  report.done.unshift(...written);
  const config = readUpConfig(report.settings);
  await using running = new AsyncDisposableStack();
  if (config.postgres) running.use(await ensureOwnPostgres(config.postgres, onStatus));
  onStatus('restoring the database ...');
  await loadDump(
    {
      url: config.databaseUrl,
      binFolder: config.postgres?.binFolder ?? '',
      path: environment['PATH'] ?? '/usr/bin:/bin',
    },
    dump,
  );
  // Not before the database is loaded: if that fails, the old data needs the old secrets.
  if (!isNew) await takeSecrets(backup, paths, report);
  const owner = openPool({ url: config.databaseUrl, applicationName: 'tankwatch restore' });
  running.defer(() => owner.end());
  await migrate(owner, { cellNumber: readUpConfig(report.settings).cellNumber });
  const removals = await readRemovals(backup, readBackupConfig(report.settings).removalsFile);
  const finished = await transaction(owner, async (tx) => {
    await tx.query(`select set_config('tankwatch.actor', $1, true)`, [options.actor]);
    // The dump was made before its backup was recorded, so the record is added here. This restore also counts as a
    // drill.
    const { made_at } = manifest;
    await recordBackup(tx, { endedAt: made_at, label: options.file, bytes: null });
    await recordDrill(tx, new Date().toISOString(), { backup_label: options.file }, []);
    return finishRestore(tx, removals);
  });
  return { manifest, report, finished };
}

async function assertStopped(apiPort: string | undefined): Promise<void> {
  if (Number(apiPort) > 0 && !(await isFreePort(Number(apiPort))))
    throw new UserError(
      `port ${apiPort} (API_PORT) is in use: stop Tankwatch first, with systemctl stop tankwatch, or Ctrl-C in the terminal of up.`,
    );
}

/** An older release cannot read the data of a newer one. */
async function assertKnownSchema({ migration, version }: BackupManifest): Promise<void> {
  const names = (await readMigrations()).map(({ name }) => name);
  if (!names.includes(migration))
    throw new UserError(`the backup was made by release ${version}, which is newer; install that release first.`);
}

/**
 * Settings of the data: with other values, devices and links of mails stop working, and stored secrets cannot be read.
 */
const SECRETS_OF_DATA = /^(DEVICE_SECRET|SECRETS_KEY|LINK_SECRET|API_SECRETS_KEY)(_PREVIOUS)?$|^CELL_NUMBER$/;
/** Whether a setting belongs to a machine. `init` writes these settings for this machine. */
const isOfMachine = (name: string): boolean =>
  DATABASE_GROUP.test(name) || NATS_GROUP.test(name) || name === 'REMOVALS_FILE';

/** Writes the settings of the backup, except those of its machine. Returns what was done. */
async function writeSettings(backup: OpenedBackup, { settingsFile }: InstallPaths): Promise<string[]> {
  const file = backup.fileOf('settings');
  if (file === undefined) return [];
  const saved = (await readFile(file, 'utf8')).split('\n');
  const lines = saved.filter((line) => !isOfMachine(/^(?:export\s+)?(\w+)=/.exec(line)?.[1] ?? ''));
  await writeWholeFile(settingsFile, lines.join('\n'), 0o600);
  return [`wrote ${settingsFile} with the settings and secrets of the backup`];
}

/** Replaces the settings of the data in an existing settings file with those of the backup. */
async function takeSecrets(backup: OpenedBackup, { settingsFile }: InstallPaths, report: InitReport): Promise<void> {
  const file = backup.fileOf('settings');
  if (file === undefined) return;
  const { text, settings } = await readExisting(settingsFile);
  const secrets = Object.entries(parseSettings(await readFile(file, 'utf8'), file)).filter(
    ([name, value]) => SECRETS_OF_DATA.test(name) && settings[name] !== value,
  );
  if (secrets.length === 0) return;
  let changed = text.replace(/\n*$/, '\n');
  for (const [name, value] of secrets) {
    const line = new RegExp(`^(export\\s+)?${name}=.*\\n`, 'm');
    changed = line.test(changed)
      ? changed.replace(line, () => settingLine(name, value))
      : changed + settingLine(name, value);
  }
  const before = `${settingsFile}.before-restore`;
  await copyFile(settingsFile, before);
  await writeWholeFile(settingsFile, changed, 0o600);
  report.settings = { ...report.settings, ...Object.fromEntries(secrets) };
  const names = secrets.map(([name]) => name).join(', ');
  report.done.unshift(`took ${names} from the backup; ${before} has the former ones`);
}

/** The removals of the backup, and those that this machine has recorded since. */
async function readRemovals(backup: OpenedBackup, ownFile: string): Promise<Removal[]> {
  const saved = backup.fileOf('removals');
  if (saved !== undefined && ownFile !== '' && !existsSync(ownFile)) await copyFile(saved, ownFile);
  const files = [saved, ownFile].filter((file) => file !== undefined && existsSync(file));
  return (await Promise.all(files.map((file) => readRemovalFile(file ?? '')))).flat();
}
