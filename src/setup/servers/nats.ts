import { type ChildProcess, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from './free_port.ts';
import { spawnServer, stopProcess } from './server_process.ts';

const run = promisify(execFile);

export interface PrivateNats {
  /** nats://user:password@host:port of every node, separated by commas. */
  url: string;
  /** http://host:port for monitoring of every node, separated by commas. Empty unless `isMonitored` is given. */
  monitorUrl: string;
  nodes: readonly NatsNode[];
  stop(): Promise<void>;
}

export interface NatsNode {
  /** Sends SIGKILL to the server. Its data stays. */
  kill(): Promise<void>;
  /** Starts the node again after a kill, on the same ports and data. */
  restart(): Promise<void>;
  /** The process id of the server. */
  pid(): number;
  /** Changes the password that the running server accepts. The server closes connections that used another password. */
  changePassword(password: string): Promise<void>;
}

export interface NatsOptions {
  nodes?: number;
  /** Keeps the data of a single node here when it stops. */
  kept?: { dataFolder: string; port: number };
  /** Ctrl-C in a terminal does not reach the server, as for PostgreSQL. */
  isDetached?: boolean;
  /** Serves the monitoring port too. */
  isMonitored?: boolean;
  /** When messages are written to disk. The default is before they are acknowledged. */
  syncInterval?: string;
}

export const NATS_PASSWORD = 'private';

/**
 * Starts nats-server: one node or a cluster. Unless `kept` is given, it uses free ports and a temporary folder, which
 * `stop` deletes.
 */
export async function startNats({
  nodes: count = 1,
  kept,
  isDetached = false,
  isMonitored = false,
  syncInterval = 'always',
}: NatsOptions = {}): Promise<PrivateNats> {
  const program = await findNatsServer();
  const folder = kept?.dataFolder ?? (await mkdtemp(join(tmpdir(), 'tankwatch-nats-')));
  await mkdir(folder, { recursive: true });
  // All ports are chosen together, so that no two are the same.
  const ports = await freePorts(3 * count, kept?.port);
  const clientPorts = kept ? [kept.port] : ports.slice(0, count);
  const clusterPorts = ports.slice(count, 2 * count);
  const monitorPorts = isMonitored ? ports.slice(2 * count) : [];
  const routes = clusterPorts.map((port) => `nats://127.0.0.1:${port}`).join(', ');

  const nodes = clientPorts.map((port, index) => {
    const name = `node${index}`;
    const cluster = `cluster { name: private, listen: "127.0.0.1:${clusterPorts[index]}", routes: [${routes}] }`;
    const config = `
      server_name: ${name}
      listen: "127.0.0.1:${port}"
      ${isMonitored ? `http: "127.0.0.1:${monitorPorts[index]}"` : ''}
      jetstream { store_dir: "${join(folder, name)}", sync_interval: ${syncInterval}, max_file_store: 64GB }
      authorization { user: tankwatch, password: ${NATS_PASSWORD} }
      ${count > 1 ? cluster : ''}
    `;
    return new Node(program, join(folder, `${name}.conf`), config, port, isDetached);
  });
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
  };
  const started = await Promise.allSettled(nodes.map((node) => node.restart()));
  const failed = started.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') {
    await stop();
    throw failed.reason;
  }

  return {
    url: clientPorts.map((port) => `nats://tankwatch:${NATS_PASSWORD}@127.0.0.1:${port}`).join(','),
    monitorUrl: monitorPorts.map((port) => `http://127.0.0.1:${port}`).join(','),
    nodes,
    stop,
  };
}

class Node implements NatsNode {
  readonly #program: string;
  readonly #configFile: string;
  readonly #config: string;
  readonly #port: number;
  readonly #isDetached: boolean;
  #server: ChildProcess | undefined;

  constructor(program: string, configFile: string, config: string, port: number, isDetached: boolean) {
    this.#program = program;
    this.#configFile = configFile;
    this.#config = config;
    this.#port = port;
    this.#isDetached = isDetached;
  }

  async restart(): Promise<void> {
    await writeFile(this.#configFile, this.#config);
    this.#server = await startNatsServer(this.#program, this.#configFile, this.#port, {
      isDetached: this.#isDetached,
      onStarting: (child) => (this.#server = child), // so that it can be stopped if it does not start
    });
  }

  pid(): number {
    return this.#server?.pid ?? 0;
  }

  async changePassword(password: string): Promise<void> {
    await writeFile(this.#configFile, this.#config.replace(`password: ${NATS_PASSWORD}`, `password: ${password}`));
    this.#server?.kill('SIGHUP');
  }

  async kill(): Promise<void> {
    if (this.#server) await stopProcess(this.#server, 'SIGKILL');
  }

  async stop(): Promise<void> {
    if (this.#server) await stopProcess(this.#server, 'SIGTERM');
  }
}

export interface NatsServerOptions {
  isDetached: boolean;
  /** The variables that its configuration reads. Undefined for the environment of this process. */
  environment?: Readonly<Record<string, string>>;
  onStarting?: (child: ChildProcess) => void;
}

/** Starts nats-server with a configuration file. Resolves when it listens on the port. */
export async function startNatsServer(
  program: string,
  configFile: string,
  port: number,
  { onStarting = () => {}, ...options }: NatsServerOptions,
): Promise<ChildProcess> {
  const { child, log } = spawnServer(program, ['-c', configFile], options);
  onStarting(child);
  await untilListening(child, port, log);
  return child;
}

export async function untilListening(
  server: ChildProcess,
  port: number,
  log: () => string,
  name = 'nats-server',
): Promise<void> {
  const deadlineMs = Date.now() + 30_000;
  for (;;) {
    const isOpen = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return;
    if (server.exitCode !== null || server.signalCode !== null) throw new Error(`${name} did not start: ${log()}`);
    if (Date.now() > deadlineMs) throw new Error(`${name} accepted no connection within 30 s`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

/** Different free ports, none of which is `except`. */
async function freePorts(count: number, except?: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = await freePort();
    if (port !== except) ports.add(port);
  }
  return [...ports];
}

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url));

/** The installed nats-server if it is 2.10.23 or newer. Otherwise one unpacked from Debian's packages, once, into a folder. */
export async function findNatsServer(folder = CACHE): Promise<string> {
  const installed = await versionOf('nats-server');
  if (installed !== undefined && installed >= 2_010_023) return 'nats-server';
  const program = join(folder, 'nats-server', 'usr/sbin/nats-server');
  if (existsSync(program)) return program;
  await unpackOnce('nats-server.sh', folder, 'nats-server').catch((error: unknown) => {
    throw new Error(
      'no nats-server of version 2.10.23 or newer is installed, and engines/nats-server.sh could not unpack one; install it ' +
        'with: apt-get install nats-server (of Debian 13 or newer)',
      { cause: error },
    );
  });
  return program;
}

/** Runs one of the scripts that unpack a program into a folder, unless it is there. */
export async function unpackOnce(script: string, folder: string, name: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const fresh = await mkdtemp(join(folder, 'unpacking-'));
  try {
    await chmod(fresh, 0o755); // another user may have to run the program
    await run(fileURLToPath(new URL(`../../../engines/${script}`, import.meta.url)), [fresh]);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
  // Another process may have been faster. Then its copy is used.
  await rename(fresh, join(folder, name)).catch(() => rm(fresh, { recursive: true, force: true }));
}

/** 2.10.27 as 2010027. Undefined if the program is not installed. */
async function versionOf(program: string): Promise<number | undefined> {
  try {
    const { stdout } = await run(program, ['--version']);
    const [, major, minor, patch] = /v(\d+)\.(\d+)\.(\d+)/.exec(stdout) ?? [];
    return (Number(major) * 1_000 + Number(minor)) * 1_000 + Number(patch);
  } catch {
    return undefined;
  }
}
