import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chown, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { UserError } from '../values/user_error.ts';
import type { SystemUser } from './system_user.ts';

/** A restored PostgreSQL that only this command can reach. */
export interface DrillServer {
  /** The address of a database of the server, as its superuser. */
  urlOf(database: string): string;
  /** The commit time of the last transaction in the archived WAL. Null if the log does not contain it. */
  lastTransactionAt: string | null;
  stop(): Promise<void>;
}

/** The folders of a drill. Only the user of the server can enter them. */
export interface DrillFolders {
  root: string;
  data: string;
  tablespaces: string;
}

export async function createDrillFolders(root: string, user: SystemUser): Promise<DrillFolders> {
  const folders = { root, data: join(root, 'data'), tablespaces: join(root, 'tablespaces') };
  for (const folder of Object.values(folders)) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (user.ids.uid !== undefined && user.ids.gid !== undefined) await chown(folder, user.ids.uid, user.ids.gid);
  }
  return folders;
}

/** The folder with the programs of the version that made the backup, as Debian installs them. */
export async function findServerPrograms(dataFolder: string, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const version = (await readFile(join(dataFolder, 'PG_VERSION'), 'utf8')).trim();
  const folder = `/usr/lib/postgresql/${version}/bin`;
  if ((await readdir(folder).catch((): string[] => [])).includes('postgres')) return folder;
  throw new UserError(
    `the backup is of PostgreSQL ${version}, and ${folder} has no postgres; install it, or give the folder with --bin.`,
  );
}

const SOCKET_PORT = 5432; // part of the name of the socket
/**
 * The settings are small, because the server runs beside production. With hot_standby off, it does not need the limits
 * of the backup's server. It listens on no address: its socket is in a folder of the server's user, who is trusted.
 */
const SETTINGS = {
  listen_addresses: '',
  port: String(SOCKET_PORT),
  archive_mode: 'off',
  hot_standby: 'off',
  shared_buffers: '256MB',
  max_connections: '40',
  max_locks_per_transaction: '256',
  max_wal_size: '4GB',
  checkpoint_timeout: '30min',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  logging_collector: 'off',
  lc_messages: 'C',
  timezone: 'UTC',
  log_timezone: 'UTC',
  ssl: 'off',
  primary_conninfo: '',
};

export interface DrillServerOptions {
  folders: DrillFolders;
  binFolder: string;
  user: SystemUser;
  superuser: string;
  /** How long the recovery may take. */
  timeoutMs: number;
}

/** Starts the restored server and waits until it has replayed the WAL. */
export async function startDrillServer(options: DrillServerOptions): Promise<DrillServer> {
  const { folders, binFolder, user, superuser, timeoutMs } = options;
  const files = { config_file: join(folders.root, 'drill.conf'), hba_file: join(folders.root, 'drill_hba.conf') };
  const settings = { ...SETTINGS, hba_file: files.hba_file, unix_socket_directories: folders.root };
  await writeFile(files.hba_file, 'local all all trust\n');
  await writeFile(
    files.config_file,
    Object.entries(settings)
      .map(([name, value]) => `${name} = '${value}'\n`)
      .join(''),
  );
  for (const file of Object.values(files))
    if (user.ids.uid !== undefined && user.ids.gid !== undefined) await chown(file, user.ids.uid, user.ids.gid);
  // The settings are on the command line too, because postgresql.auto.conf of the backup takes precedence over a file.
  const words = Object.entries({ ...settings, config_file: files.config_file }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const child = spawn(join(binFolder, 'postgres'), ['-D', folders.data, ...words], {
    ...user.ids,
    cwd: '/',
    env: user.environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-200_000);
  });
  // Without a listener, a missing or forbidden program would end this process before the restored files are removed.
  child.on('error', (error) => {
    log += error.message;
  });
  const urlOf = (database: string): string =>
    `postgres://${encodeURIComponent(superuser)}@localhost:${SOCKET_PORT}/${encodeURIComponent(database)}?host=${encodeURIComponent(folders.root)}`;
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGINT'); // fast shutdown
    await closed;
  };
  try {
    await untilRecovered(urlOf('postgres'), child, () => log, timeoutMs);
  } catch (error) {
    await stop();
    throw error;
  }
  const lastTransaction = /last completed transaction was at log time (\S+ \S+)/.exec(log)?.[1];
  return {
    urlOf,
    lastTransactionAt: lastTransaction === undefined ? null : parseLogTime(lastTransaction),
    stop,
  };
}

/** Parses a time such as `2026-11-16 12:00:00.123456+00`. */
function parseLogTime(text: string): string {
  return new Date(
    text
      .replace(' ', 'T')
      .replace(/(\.\d{3})\d*/, '$1')
      .replace(/([+-]\d\d)$/, '$1:00'),
  ).toISOString();
}

async function untilRecovered(url: string, child: ChildProcess, log: () => string, timeoutMs: number): Promise<void> {
  for (const deadlineMs = performance.now() + timeoutMs; performance.now() < deadlineMs; await sleep(200)) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new UserError(`the restored PostgreSQL did not start: ${lastReasons(log())}.`);
    const client = new Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ is_recovering: boolean }>('select pg_is_in_recovery() as is_recovering');
      if (rows[0]?.is_recovering === false) return;
    } catch {
      // The server still replays its WAL and accepts no connections.
    } finally {
      await client.end().catch(() => {});
    }
  }
  throw new UserError(`the restored PostgreSQL has not recovered within ${Math.round(timeoutMs / 60_000)} minutes.`);
}

const lastReasons = (log: string): string =>
  log
    .split('\n')
    .filter((line) => /FATAL|PANIC|ERROR/.test(line))
    .slice(-3)
    .join('; ') || log.slice(-500);

/** The size of the restored files. */
export async function bytesOf(folder: string): Promise<number> {
  const { stdout } = await promisify(execFile)('du', ['--summarize', '--bytes', folder]);
  return Number(stdout.split('\t')[0]);
}
