import { type ChildProcess, execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findUser } from '../service_user.ts';
import { freePort } from './free_port.ts';
import { asUser, hangProcesses, spawnServer, stopProcess, type UserIds } from './server_process.ts';

const run = promisify(execFile);

export interface PrivatePostgres {
  /** The address of the database `postgres`, with the login of the superuser. */
  url: string;
  port: number;
  /** The folder with psql, pgbench and the other programs of this server's version. */
  binFolder: string;
  dataFolder: string;
  /** Whether the server process is running. */
  isRunning(): boolean;
  /** Sends SIGKILL to the server. Its data stays. */
  kill(): Promise<void>;
  /** Stops the server and its backends with SIGSTOP: connections stay open, and nothing answers. The result continues them. */
  hang(): Promise<() => void>;
  /** Starts the server again after a kill, on the same port and data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A server whose data survives `stop`: the same values start it again. */
export interface KeptPostgres {
  dataFolder: string;
  port: number;
  password: string;
}

export interface PostgresOptions {
  kept?: KeptPostgres;
  /**
   * Ctrl-C in a terminal does not reach the server, so that the roles can stop before it. The caller must handle every
   * signal and call `stop`, or the server stays.
   */
  isDetached?: boolean;
  /** Uses the default settings of PostgreSQL instead of those of deploy/postgresql.conf. */
  isUnconfigured?: boolean;
  /** The folder with the programs of PostgreSQL. The newest installed version unless given. */
  binFolder?: string;
  /** The user that runs the server. `serverUser` unless given. */
  user?: UserIds;
  /** Starts with the databases of the filled template, if the test run has one. */
  isFilled?: boolean;
  /** Called when the server ends by itself. */
  onEnd?: () => void;
}

/** The settings that are shipped for production. */
const SHIPPED_SETTINGS = join(import.meta.dirname, '../../../deploy/postgresql.conf');

/**
 * Starts a private PostgreSQL. Unless `kept` is given, it uses a free port and a temporary folder, which `stop` deletes.
 * PostgreSQL refuses to run as root, so root starts it as the user `postgres`, which Debian's package creates.
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  { kept, isDetached = false, isUnconfigured = false, isFilled = false, onEnd, ...choices }: PostgresOptions = {},
): Promise<PrivatePostgres> {
  const binFolder = choices.binFolder ?? (await findBinFolder());
  const owner = choices.user ?? (await serverUser());
  const dataFolder = kept?.dataFolder ?? (await mkdtemp(join(tmpdir(), 'tankwatch-pg-')));
  const isUsual = kept === undefined && choices.binFolder === undefined && choices.user === undefined;
  const template = isUsual ? templateFolder(isFilled) : undefined;
  const password = kept?.password ?? (await passwordOf(template));
  const port = kept?.port ?? (await freePort());
  if (!existsSync(join(dataFolder, 'data'))) {
    await mkdir(dataFolder, { recursive: true });
    if (owner.uid !== undefined && owner.gid !== undefined) await chown(dataFolder, owner.uid, owner.gid);
    if (template === undefined) await runInitdb(binFolder, dataFolder, password, { owner, isKept: kept !== undefined });
    else await run('cp', ['--archive', '--reflink=auto', join(template, 'data'), dataFolder]);
  }

  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  // A copy, because the user that runs the server may not be able to read this folder.
  const configFile = join(dataFolder, 'shipped.conf');
  await copyFile(SHIPPED_SETTINGS, configFile);
  const allSettings = {
    ...(isUnconfigured ? {} : { config_file: configFile, ...SMALLER }),
    ...COMMON,
    ...settings,
    port: String(port),
    unix_socket_directories: dataFolder,
  };
  const options = Object.entries(allSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let isWanted = true;
  const start = async (): Promise<ChildProcess> => {
    const { child, log } = spawnServer(join(binFolder, 'postgres'), ['-D', join(dataFolder, 'data'), ...options], {
      isDetached,
      user: owner,
    });
    await untilReady(url, child, log);
    isWanted = true;
    child.once('close', () => {
      if (isWanted) onEnd?.();
    });
    return child;
  };
  let server = await start();
  const stop = (signal: NodeJS.Signals): Promise<void> => {
    isWanted = false;
    return stopProcess(server, signal);
  };

  return {
    url,
    port,
    binFolder,
    dataFolder,
    isRunning: () => server.exitCode === null && server.signalCode === null,
    kill: () => stop('SIGKILL'),
    hang: () => hangProcesses(server.pid ?? 0),
    async restart() {
      server = await start();
    },
    async stop() {
      // SIGINT ends open sessions and writes everything to disk. SIGQUIT writes nothing, because the data is deleted
      // next.
      await stop(kept === undefined ? 'SIGQUIT' : 'SIGINT');
      if (kept === undefined) await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

/** This variable names a folder that private servers of a test run copy, because initdb takes a second of CPU time. */
const TEMPLATE = 'PG_TEMPLATE';

function templateFolder(isFilled: boolean): string | undefined {
  const folder = process.env[TEMPLATE];
  return folder !== undefined && isFilled ? join(folder, 'filled') : folder;
}

/**
 * Creates two templates: a server without databases, and one that `fill` has filled. New private servers of this
 * process, and of processes that inherit its environment, start with a copy of a template.
 */
export async function createPostgresTemplate(folder: string, fill: (url: string) => Promise<void>): Promise<void> {
  const owner = await serverUser();
  const password = randomBytes(12).toString('hex');
  const filled = join(folder, 'filled');
  await mkdir(filled);
  for (const templatePath of [folder, filled]) {
    if (owner.uid !== undefined && owner.gid !== undefined) await chown(templatePath, owner.uid, owner.gid);
    await writeFile(join(templatePath, 'template-password'), password, { mode: 0o600 });
  }
  await runInitdb(await findBinFolder(), folder, password, { owner, isKept: false });
  await run('cp', ['--archive', join(folder, 'data'), filled]);
  const kept = { dataFolder: filled, port: await freePort(), password };
  // These limits leave little WAL to be copied.
  const server = await startPostgres({ fsync: 'off', min_wal_size: '32MB', max_wal_size: '64MB' }, { kept });
  await fill(server.url);
  await server.stop();
  process.env[TEMPLATE] = folder;
}

const passwordOf = async (template: string | undefined): Promise<string> =>
  template === undefined ? randomBytes(12).toString('hex') : readFile(join(template, 'template-password'), 'utf8');

/** fsync stays on, so that demos, benchmarks and fault runs show the real behaviour. */
const COMMON = { listen_addresses: '127.0.0.1', log_min_messages: 'fatal' };

/** Sized for a developer's machine. */
const SMALLER = { shared_buffers: '256MB', max_wal_size: '4GB' };

/** The folder that PG_BIN names, otherwise the folder of the newest installed version. */
export async function findBinFolder(): Promise<string> {
  const found = await findInstalledBinFolder();
  if (found === undefined) {
    throw new Error(
      'no PostgreSQL server found under /usr/lib/postgresql; install it with: apt-get install postgresql',
    );
  }
  return found;
}

export async function findInstalledBinFolder(): Promise<string | undefined> {
  const chosen = process.env['PG_BIN'];
  if (chosen !== undefined) {
    if (existsSync(join(chosen, 'initdb'))) return chosen;
    throw new Error(
      `PG_BIN is ${chosen}, but there is no initdb; give the folder with the programs of a PostgreSQL server`,
    );
  }
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? await readdir(root) : [];
  const newest = versions
    .filter((version) => existsSync(join(root, version, 'bin', 'initdb')))
    .toSorted((a, b) => Number(b) - Number(a))[0];
  return newest === undefined ? undefined : join(root, newest, 'bin');
}

/** The user that runs PostgreSQL, which refuses to run as root. Empty for the user of this process. */
export const serverUser = async (): Promise<UserIds> => (process.getuid?.() === 0 ? userIds('postgres') : {});

export async function userIds(name: string): Promise<UserIds> {
  const user = await findUser(name);
  if (user !== undefined) return user;
  throw new Error(`PostgreSQL does not run as root, and there is no user "${name}"; start this as another user`);
}

interface NewData {
  owner: UserIds;
  isKept: boolean;
}

async function runInitdb(
  binFolder: string,
  folder: string,
  password: string,
  { owner, isKept }: NewData,
): Promise<void> {
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (owner.uid !== undefined && owner.gid !== undefined) await chown(passwordFile, owner.uid, owner.gid);
  const options = ['-U', 'postgres', '--auth=scram-sha-256', '-E', 'UTF8', '--locale=C.UTF-8'];
  if (!isKept) options.push('--no-sync');
  await run(
    join(binFolder, 'initdb'),
    ['-D', join(folder, 'data'), `--pwfile=${passwordFile}`, ...options],
    asUser(owner),
  );
  await rm(passwordFile);
}

async function untilReady(url: string, server: ChildProcess, log: () => string): Promise<void> {
  const deadlineMs = Date.now() + 30_000;
  for (;;) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      return;
    } catch (error) {
      if (server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${log()}`, { cause: error });
      // After a crash it first replays its write-ahead log, which can take minutes.
      const code = error instanceof Error && 'code' in error ? error.code : '';
      if (code === '28P01') throw error; // a kept server has another password
      if (Date.now() > deadlineMs && code !== '57P03')
        throw new Error('PostgreSQL accepted no connection within 30 s', { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      await client.end().catch(() => {});
    }
  }
}
