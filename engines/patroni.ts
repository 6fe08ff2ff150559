import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from '../src/setup/servers/free_port.ts';
import { findBinFolder, type PrivatePostgres, serverUser } from '../src/setup/servers/postgres.ts';
import { hangProcesses, stopProcess, type UserIds } from '../src/setup/servers/server_process.ts';
import { findProgram } from './programs.ts';
import { until } from './until.ts';

const run = promisify(execFile);

/** Three PostgreSQL servers under Patroni and etcd, with HAProxy in front of the primary, all on loopback. */
export interface PatroniCluster extends PrivatePostgres {
  nodes: readonly PatroniNode[];
  primary(): Promise<PatroniNode>;
  /** Waits until one primary accepts writes and all others stream from it. */
  untilComplete(): Promise<void>;
}

export interface ClusterOptions {
  /** Whether a commit waits for a standby. */
  isSynchronous: boolean;
}

/** Seconds after which an unavailable primary is replaced. 20 is the minimum of Patroni. */
const TTL_S = 20;
/** The time in which all nodes must stream. A killed node is rewound or copied before it streams. */
const COMPLETE_WITHIN_MS = 300_000;

export async function startPatroni({ isSynchronous }: ClusterOptions): Promise<PatroniCluster> {
  for (const program of ['etcd', 'patroni', 'haproxy'] as const) findProgram(program); // before anything is started
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-patroni-'));
  const owner = await serverUser();
  if (owner.uid !== undefined && owner.gid !== undefined) await chown(folder, owner.uid, owner.gid);
  const password = randomBytes(12).toString('hex');
  const [etcdPort, etcdPeerPort, port] = [await freePort(), await freePort(), await freePort()];
  const etcd = startEtcd(folder, etcdPort, etcdPeerPort);
  const shared = { folder, owner, password, etcdPort, isSynchronous, binFolder: await findBinFolder() };
  const nodes: PatroniNode[] = [];
  for (const name of ['node0', 'node1', 'node2']) nodes.push(await PatroniNode.create(name, shared));
  await nodes[0]?.start();
  const cluster: Omit<PatroniCluster, 'stop'> = {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    port,
    binFolder: shared.binFolder,
    dataFolder: folder,
    nodes,
    isRunning: () => true,
    kill: async () => (await cluster.primary()).killPostgres(),
    hang: async () => (await cluster.primary()).hang(),
    restart: () => cluster.untilComplete(),
    async primary() {
      return until('a node is the primary', async () => {
        for (const node of nodes) if (await node.has('/primary')) return node;
        return undefined;
      });
    },
    async untilComplete() {
      await cluster.primary();
      for (const node of nodes)
        await until(
          `${node.name} streams`,
          async () => (await node.has('/primary')) || (await node.has('/replica?lag=1MB')),
          COMPLETE_WITHIN_MS,
        );
    },
  };
  await cluster.primary();
  await Promise.all(nodes.slice(1).map((node) => node.start()));
  await cluster.untilComplete();
  const haproxy = await startHaproxy(folder, port, nodes);
  await until('HAProxy knows the primary', () => isPrimary(cluster.url));
  return {
    ...cluster,
    async stop() {
      await stopProcess(haproxy, 'SIGTERM');
      await Promise.all(nodes.map((node) => node.stop()));
      await stopProcess(etcd, 'SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Shared extends ClusterOptions {
  folder: string;
  owner: UserIds;
  password: string;
  etcdPort: number;
  binFolder: string;
}

export class PatroniNode {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  readonly #shared: Shared;
  #patroni: ChildProcess | undefined;

  private constructor(name: string, port: number, restPort: number, shared: Shared) {
    this.name = name;
    this.port = port;
    this.restPort = restPort;
    this.#shared = shared;
  }

  static async create(name: string, shared: Shared): Promise<PatroniNode> {
    return new PatroniNode(name, await freePort(), await freePort(), shared);
  }

  get #dataFolder(): string {
    return join(this.#shared.folder, this.name, 'data');
  }

  async start(): Promise<void> {
    const { folder, owner } = this.#shared;
    const own = join(folder, this.name);
    await mkdir(own, { recursive: true });
    if (owner.uid !== undefined && owner.gid !== undefined) await chown(own, owner.uid, owner.gid);
    const file = join(own, 'patroni.yml');
    await writeFile(file, JSON.stringify(this.#settings(own))); // JSON is YAML
    this.#patroni = spawn(findProgram('patroni'), [file], {
      ...owner,
      stdio: 'ignore',
      env: { PATH: process.env['PATH'] },
    });
  }

  /** Whether the health check of Patroni answers 200 for this path. */
  async has(path: string): Promise<boolean> {
    try {
      const response = await fetch(`http://127.0.0.1:${this.restPort}${path}`, { signal: AbortSignal.timeout(2_000) });
      await response.arrayBuffer();
      return response.status === 200;
    } catch {
      return false;
    }
  }

  async #postmaster(): Promise<number> {
    const [pid] = (await readFile(join(this.#dataFolder, 'postmaster.pid'), 'utf8')).split('\n');
    return Number(pid);
  }

  /** Kills PostgreSQL with kill -9. Patroni notices it and promotes another node. */
  async killPostgres(): Promise<void> {
    process.kill(await this.#postmaster(), 'SIGKILL');
  }

  /** Stops PostgreSQL with SIGSTOP: connections stay open without answers. Returns a function that continues it. */
  async hang(): Promise<() => void> {
    return hangProcesses(await this.#postmaster());
  }

  /** Kills PostgreSQL and Patroni with kill -9, as if the machine had lost its power. */
  async killNode(): Promise<void> {
    if (this.#patroni) await stopProcess(this.#patroni, 'SIGKILL');
    await this.killPostgres();
  }

  /** Returns the process that receives WAL from the primary. Undefined on the primary. */
  async walReceiver(): Promise<number | undefined> {
    const { stdout } = await run(findProgram('ps'), ['-o', 'pid=,args=', '--ppid', String(await this.#postmaster())]);
    const line = stdout.split('\n').find((entry) => entry.includes('walreceiver'));
    return line === undefined ? undefined : Number.parseInt(line, 10);
  }

  async stop(): Promise<void> {
    if (this.#patroni) await stopProcess(this.#patroni, 'SIGTERM'); // it stops PostgreSQL too
    await this.killPostgres().catch(() => {}); // if Patroni was killed before
  }

  #settings(own: string) {
    const { binFolder, password, etcdPort, isSynchronous } = this.#shared;
    return {
      scope: 'tankwatch',
      name: this.name,
      restapi: { listen: `127.0.0.1:${this.restPort}`, connect_address: `127.0.0.1:${this.restPort}` },
      etcd3: { hosts: [`127.0.0.1:${etcdPort}`] },
      bootstrap: {
        dcs: {
          ttl: TTL_S,
          loop_wait: 2,
          retry_timeout: 5,
          maximum_lag_on_failover: 1_000_000_000,
          master_start_timeout: 0, // a dead primary is replaced at once and not restarted
          synchronous_mode: isSynchronous,
          postgresql: {
            use_pg_rewind: true,
            parameters: { max_connections: 200, shared_buffers: '128MB', wal_keep_size: '1GB', wal_log_hints: true },
          },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }],
      },
      postgresql: {
        listen: `127.0.0.1:${this.port}`,
        connect_address: `127.0.0.1:${this.port}`,
        data_dir: this.#dataFolder,
        bin_dir: binFolder,
        pgpass: join(own, 'pgpass'),
        remove_data_directory_on_rewind_failure: true,
        remove_data_directory_on_diverged_timelines: true,
        authentication: {
          superuser: { username: 'postgres', password },
          replication: { username: 'replicator', password },
        },
        pg_hba: [
          'local all all trust',
          'host replication replicator 127.0.0.1/32 scram-sha-256',
          'host all all 127.0.0.1/32 scram-sha-256',
        ],
        parameters: { unix_socket_directories: own, log_min_messages: 'fatal' },
      },
    };
  }
}

function startEtcd(folder: string, port: number, peerPort: number): ChildProcess {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  return spawn(
    findProgram('etcd'),
    [
      ['--name', 'etcd', '--data-dir', join(folder, 'etcd')],
      ['--listen-client-urls', client, '--advertise-client-urls', client],
      ['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `etcd=${peer}`],
    ].flat(),
    { stdio: 'ignore' },
  );
}

/** Starts HAProxy, which sends connections to the primary of Patroni, and closes those to a node that is no longer the primary. */
async function startHaproxy(folder: string, port: number, nodes: readonly PatroniNode[]): Promise<ChildProcess> {
  const servers = nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.port} check port ${node.restPort}`);
  const file = join(folder, 'haproxy.cfg');
  await writeFile(
    file,
    `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen primary
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`,
  );
  return spawn(findProgram('haproxy'), ['-db', '-f', file], { stdio: 'ignore' });
}

/** Whether HAProxy connects to the primary. Opens four connections, because HAProxy uses every node until its first health checks. */
async function isPrimary(url: string): Promise<boolean> {
  const answers = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const client = new Client({ connectionString: url });
      client.on('error', () => {}); // HAProxy closes connections to a node that is not the primary
      try {
        await client.connect();
        const { rows } = await client.query<{ is_standby: boolean }>('select pg_is_in_recovery() as is_standby');
        return rows[0]?.is_standby === false;
      } catch {
        return false;
      } finally {
        await client.end().catch(() => {});
      }
    }),
  );
  return answers.every(Boolean);
}
