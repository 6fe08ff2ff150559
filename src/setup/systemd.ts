import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { localAddress } from '../settings/local_address.ts';
import { readMetricsConfig } from '../settings/role_settings.ts';
import { parseSettings } from '../settings/settings_file.ts';
import { UserError } from '../values/user_error.ts';
import { isFreePort } from './first_free_port.ts';
import { findClosedFolder, type InstallPaths, PROGRAM_FOLDER } from './install_paths.ts';
import type { Settings } from './new_settings.ts';
import { createServiceUser, SERVICE_USER } from './service_user.ts';
import { writeWholeFile } from './write_file.ts';

const run = promisify(execFile);
const UNITS = '/etc/systemd/system';
const UNIT = 'tankwatch.service';
const [BACKUP_SERVICE, BACKUP_TIMER] = ['backup-tankwatch.service', 'backup-tankwatch.timer'];
const READY_MS = 60_000;

/** Throws if a unit cannot run this program. Call it before anything is created. */
export async function assertCanInstallUnit(paths: InstallPaths): Promise<void> {
  if (process.getuid?.() !== 0) throw new UserError('--systemd needs root; use sudo.');
  await run('systemctl', ['--version']).catch(() => {
    throw new UserError('--systemd needs systemd, and there is no systemctl; use `tankwatch up` instead.');
  });
  const closedFolder = /^\/(home|root)\//.test(`${PROGRAM_FOLDER}/`)
    ? PROGRAM_FOLDER
    : await findClosedFolder(PROGRAM_FOLDER);
  if (closedFolder !== undefined)
    throw new UserError(
      `the unit runs as the user ${SERVICE_USER}, which cannot read ${closedFolder}; move Tankwatch to a folder such as /opt/tankwatch.`,
    );
  await assertNoOtherUp(paths);
}

/** The unit takes over the files of the servers, which a running `tankwatch up` would lose. */
async function assertNoOtherUp({ settingsFile }: InstallPaths): Promise<void> {
  const text = await readFile(settingsFile, 'utf8').catch(() => '');
  const settings = parseSettings(text, settingsFile);
  const unitRuns = await run('systemctl', ['is-active', '--quiet', UNIT]).then(
    () => true,
    () => false,
  );
  if (unitRuns) return;
  for (const name of ['POSTGRES_PORT', 'NATS_PORT', 'API_PORT']) {
    const port = Number(settings[name]);
    if (port > 0 && !(await isFreePort(port)))
      throw new UserError(
        `port ${port} (${name}) is in use, and ${UNIT} does not run: stop \`tankwatch up\` first (Ctrl-C in its terminal), then run ` +
          'this command again.',
      );
  }
}

/** Whether this machine runs `tankwatch up` as a unit. */
export const hasUnit = (): boolean => existsSync(join(UNITS, UNIT));

/** Installs one unit for `tankwatch up`, and starts it. Returns what was done when everything is ready. */
export async function installUnit(paths: InstallPaths, settings: Settings): Promise<string[]> {
  const done: string[] = [];
  const user = await createServiceUser();
  if (user.isNew) done.push(`created the system user ${SERVICE_USER}, which runs the unit`);
  await run('systemctl', ['stop', UNIT]).catch(() => {}); // not installed yet
  await changeOwner(paths.dataFolder, user);
  await mkdir(join(UNITS, `${UNIT}.d`), { recursive: true });
  await writeWholeFile(join(UNITS, UNIT), await unitText(paths, settings), 0o644);
  await writeWholeFile(join(UNITS, `${UNIT}.d`, 'hardening.conf'), await hardeningText(), 0o644);
  for (const name of [BACKUP_SERVICE, BACKUP_TIMER])
    await writeWholeFile(join(UNITS, name), await backupUnitText(name, paths), 0o644);
  await run('systemctl', ['daemon-reload']);
  await run('systemctl', ['enable', UNIT]);
  await run('systemctl', ['start', UNIT]);
  await untilReady(settings);
  await run('systemctl', ['enable', '--now', BACKUP_TIMER]);
  done.push(
    `a backup is made every night in ${settings['BACKUP_TO'] || paths.backupFolder}; copy it to another machine`,
  );
  done.push(`installed and started the unit ${UNIT}; it starts with the machine`);
  return done;
}

/** deploy/systemd/tankwatch.service with the folders of this installation. */
export async function unitText({ settingsFile, dataFolder }: InstallPaths, settings: Settings): Promise<string> {
  const text = await readFile(join(PROGRAM_FOLDER, 'deploy/systemd', UNIT), 'utf8');
  const natsConfig = settings['NATS_CONFIG'];
  return (natsConfig ? text : text.replaceAll(/^.*nats\.conf.*\n/gm, ''))
    .replace(':/etc/tankwatch/nats.conf', `:${natsConfig}`)
    .replaceAll('/opt/tankwatch', PROGRAM_FOLDER)
    .replaceAll('/opt/node/bin', dirname(process.execPath))
    .replace(':/etc/tankwatch/tankwatch.env', `:${settingsFile}`)
    .replace('/var/lib/tankwatch', dataFolder);
}

/** The units of the nightly backup with the folders of this installation. */
export const backupUnitText = async (name: string, { settingsFile }: InstallPaths): Promise<string> =>
  (await readFile(join(PROGRAM_FOLDER, 'deploy/systemd', name), 'utf8'))
    .replaceAll('/opt/tankwatch', PROGRAM_FOLDER)
    .replaceAll('/opt/node/bin', dirname(process.execPath))
    .replaceAll('/etc/tankwatch/tankwatch.env', settingsFile);

/**
 * The hardening of all units, without a dynamic user: its id may change at every start, and the data needs a fixed
 * owner.
 */
async function hardeningText(): Promise<string> {
  const file = join(PROGRAM_FOLDER, 'deploy/systemd/tankwatch-.service.d/hardening.conf');
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.filter((line) => !/^DynamicUser=|^# A user of its own/.test(line)).join('\n');
}

/** Changes the owner of all files: PostgreSQL and nats-server may have run as other users before. */
async function changeOwner(folder: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  await chown(folder, uid, gid);
  for (const name of await readdir(folder, { recursive: true })) await chown(join(folder, name), uid, gid);
}

async function untilReady(settings: Settings): Promise<void> {
  const { host, port } = readMetricsConfig(settings);
  let reason = 'it does not answer';
  const deadlineMs = Date.now() + READY_MS;
  while (Date.now() < deadlineMs) {
    try {
      const response = await fetch(`http://${localAddress(host, port)}/readyz`, { signal: AbortSignal.timeout(2_000) });
      if (response.ok) return;
      reason = await response.text();
    } catch {
      // The unit does not listen yet.
    }
    await sleep(500);
  }
  throw new UserError(
    `the unit is not ready after ${READY_MS / 1_000} seconds: ${reason}. To see why: journalctl --unit=${UNIT} --lines=20`,
  );
}
