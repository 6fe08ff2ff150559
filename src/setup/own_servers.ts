import { type ChildProcess, execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { OwnNatsConfig, OwnPostgresConfig } from '../settings/up_settings.ts';
import { errorCode } from '../values/error_code.ts';
import { UserError } from '../values/user_error.ts';
import { PROGRAM_FOLDER } from './install_paths.ts';
import { withClient } from './prepare_database.ts';
import { stopProcess } from './servers/server_process.ts';

const NPM_CACHE = join(PROGRAM_FOLDER, 'node_modules/.cache');

/** A server that runs as a child of this process. */
export interface OwnServer {
  stop(): Promise<void>;
}

/** Called with a sentence about the progress, such as when a server has ended by itself and when it runs again. */
type OnStatus = (line: string) => void;

/**
 * The pause before a restart: long enough for the system to free the resources of the server, and short enough that no
 * device notices.
 */
const RESTART_MS = 1_000;

/** Restarts a server that has ended by itself, until `end` is called. */
class ServerSupervisor {
  readonly #name: string;
  readonly #start: () => Promise<void>;
  readonly #onStatus: OnStatus;
  #isWanted = true;

  constructor(name: string, start: () => Promise<void>, onStatus: OnStatus) {
    this.#name = name;
    this.#start = start;
    this.#onStatus = onStatus;
  }

  end(): void {
    this.#isWanted = false;
  }

  async restart(): Promise<void> {
    while (this.#isWanted) {
      this.#onStatus(`${this.#name} has ended; starting it again`);
      await sleep(RESTART_MS);
      if (!this.#isWanted) return;
      try {
        await this.#start();
        return this.#onStatus(`${this.#name} runs again`);
      } catch {
        // The loop reports the end again and tries again.
      }
    }
  }
}

// These modules are loaded when they are needed, because roles start no servers.
const engine = {
  postgres: () => import('./servers/postgres.ts'),
  nats: () => import('./servers/nats.ts'),
};

/** Starts the PostgreSQL of `tankwatch init`, and creates its data at the first start. Starts it again if it ends. */
export async function startOwnPostgres(config: OwnPostgresConfig, onStatus: OnStatus = () => {}): Promise<OwnServer> {
  assertProgram(join(config.binFolder, 'postgres'), 'POSTGRES_BIN');
  const { startPostgres } = await engine.postgres();
  const { uid, gid } = await stat(config.folder).catch(() => {
    throw new UserError(`the folder ${config.folder} (POSTGRES_FOLDER) does not exist; create it with: tankwatch init`);
  });
  if (process.getuid?.() === 0 && uid === 0)
    throw new UserError(`PostgreSQL does not run as root; give ${config.folder} another owner: tankwatch init`);
  const supervisor = new ServerSupervisor('PostgreSQL', () => server.restart(), onStatus);
  const server = await startPostgres(
    { max_wal_size: `${config.maxWalMib}MB` },
    {
      kept: { dataFolder: config.folder, port: config.port, password: config.password },
      binFolder: config.binFolder,
      user: process.getuid?.() === 0 ? { uid, gid } : {},
      isDetached: true,
      onEnd: () => void supervisor.restart(),
    },
  ).catch((error: unknown) => {
    throw explainStartError('PostgreSQL', error, 'look whether another `tankwatch up` runs');
  });
  return {
    async stop() {
      supervisor.end();
      await server.stop();
    },
  };
}

/** Starts the PostgreSQL of `tankwatch init` unless it runs, for a command that needs it without `tankwatch up`. */
export async function ensureOwnPostgres(config: OwnPostgresConfig, onStatus: OnStatus): Promise<AsyncDisposable> {
  const url = `postgres://postgres:${config.password}@127.0.0.1:${config.port}/postgres`;
  const isUp = await withClient(url, async () => true).catch(() => false);
  if (!isUp) onStatus('starting PostgreSQL ...');
  const server = isUp ? undefined : await startOwnPostgres(config);
  return { [Symbol.asyncDispose]: async () => server?.stop() };
}

/** Starts the nats-server of `tankwatch init`. Starts it again if it ends. */
export async function startOwnNats(config: OwnNatsConfig, onStatus: OnStatus = () => {}): Promise<OwnServer> {
  assertProgram(config.program, 'NATS_SERVER');
  const lock = await lockFolder(config.environment['NATS_DATA'] ?? '', 'NATS_DATA');
  const { startNatsServer } = await engine.nats();
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const started = await startNatsServer(config.program, config.configFile, config.port, {
      isDetached: true,
      environment: config.environment,
      onStarting: (starting) => (child = starting),
    });
    started.once('close', () => void supervisor.restart());
  };
  const supervisor = new ServerSupervisor('nats-server', start, onStatus);
  await start().catch((error: unknown) => {
    lock.close();
    throw explainStartError('nats-server', error, `look at ${config.configFile}`);
  });
  return {
    async stop() {
      supervisor.end();
      if (child !== undefined) await stopProcess(child, 'SIGTERM');
      lock.close();
    },
  };
}

/**
 * Refuses a second `up` with the same data and other ports. PostgreSQL locks its folder by itself. Two nats-servers would destroy
 * each other's files. The lock is an abstract socket, which is free again as soon as its process ends, however it ends.
 */
export async function lockFolder(folder: string, setting: string): Promise<Server> {
  const server = createServer();
  await mkdir(folder, { recursive: true, mode: 0o750 }); // as nats-server does
  // The name of a socket has at most 107 bytes, and a folder can have several paths.
  const name = createHash('sha256')
    .update(await realpath(folder))
    .digest('hex');
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        errorCode(error) === 'EADDRINUSE'
          ? new UserError(
              `another \`tankwatch up\` uses the folder ${folder} (${setting}); stop it, or create an installation with data of its own: tankwatch init --config FILE`,
            )
          : error,
      ),
    );
    server.listen(`\0tankwatch:${name}`, resolve);
  });
  return server.unref();
}

/** A name without a folder is found in PATH, and never counts as missing. */
export const isMissingProgram = (program: string): boolean => program.includes('/') && !existsSync(program);

function assertProgram(program: string, setting: string): void {
  if (isMissingProgram(program))
    throw new UserError(
      `the program ${program} (${setting}) does not exist; find or unpack it again with: tankwatch init`,
    );
}

/** The error of a server that did not start, with the lines of its log that give the reason. */
function explainStartError(name: string, error: unknown, advice: string): Error {
  const text = error instanceof Error ? error.message : String(error);
  const reasons = text
    .split('\n')
    .map((line) => /(?:FATAL|ERROR|HINT|\[FTL\]|\[ERR\]):?\s*(.*)$/.exec(line)?.[1]?.trim())
    .filter((line) => line !== undefined);
  return new UserError(`${name} did not start: ${reasons.join(' ') || text.trim()}; ${advice}.`);
}

/** Creates a folder for the data of PostgreSQL. As root, its owner is the user that runs the server. */
export async function createPostgresFolder(folder: string, user: { uid?: number; gid?: number }): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
}

/** The folder with the programs of the installed PostgreSQL, or of one unpacked from Debian's packages. */
export async function findPostgres(programsFolder: string, onStatus: OnStatus): Promise<string> {
  const installed = await (await engine.postgres()).findInstalledBinFolder();
  if (installed !== undefined) return installed;
  const folder = join(programsFolder, 'postgresql-17');
  const [binFolder, complete] = [join(folder, 'usr/lib/postgresql/17/bin'), join(folder, 'complete')];
  if (existsSync(complete)) return binFolder;
  onStatus(`unpacking PostgreSQL 17 from Debian's packages into ${folder} ...`);
  await rm(folder, { recursive: true, force: true });
  try {
    await promisify(execFile)(join(PROGRAM_FOLDER, 'engines/postgres.sh'), [folder, '17']);
  } catch (error) {
    throw new UserError(
      `no PostgreSQL server is installed, and engines/postgres.sh could not unpack one: ${lastLine(error)}; ` +
        'install it with: apt-get install postgresql, or give the address of one with --database.',
    );
  }
  await writeFile(complete, '');
  return binFolder;
}

/** The installed nats-server, or one unpacked from Debian's packages. */
export async function findNats(programsFolder: string, onStatus: OnStatus): Promise<string> {
  const { findNatsServer } = await engine.nats();
  onStatus('looking for nats-server 2.10.23 or newer ...');
  const [own, unpacked] = [join(programsFolder, 'nats-server'), join(NPM_CACHE, 'nats-server')];
  // The demo may have unpacked one. It is copied, because `npm ci` deletes that folder.
  if (!existsSync(own) && existsSync(unpacked)) await cp(unpacked, own, { recursive: true });
  return findNatsServer(programsFolder).catch((error: unknown) => {
    throw new UserError(error instanceof Error ? `${error.message}.` : String(error));
  });
}

function lastLine(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error && String(error.stderr).trim();
  return (text || String(error)).split('\n').at(-1) ?? '';
}
