import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPorts, type Installation, startInstallation } from '../../engines/installation.ts';
import { withPort } from '../../engines/logins.ts';
import type { RoleProcess } from '../../engines/process.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { TcpProxy } from '../tcp_proxy.ts';
import { mountSmallDisk, type SmallDisk } from './small_disk.ts';

/** A role with a proxy on each of its connections. */
export interface Part {
  name: string;
  process: RoleProcess;
  metricsPort: number;
  toNats: TcpProxy;
  toPostgres: TcpProxy;
}

export interface GatewayPart extends Part {
  fromMqtt: TcpProxy;
  fromHttp: TcpProxy;
}

export interface WriterPart extends Part {
  /** Sets the wall clock of this writer to the real time plus this offset. */
  moveClock(offsetMs: number): Promise<void>;
}

/** Two gateways and two writers, with a proxy between every pair, on PostgreSQL and nats-server with small disks. */
export interface ChaosInstallation extends Installation {
  gateways: readonly [GatewayPart, GatewayPart];
  writers: readonly [WriterPart, WriterPart];
  /** Undefined if this machine does not permit mounting. */
  postgresDisk: SmallDisk | undefined;
  natsDisk: SmallDisk | undefined;
}

const CLOCK = fileURLToPath(new URL('movable_clock.ts', import.meta.url));
/** Few segments of the write-ahead log, so that they do not fill the small disk. */
const POSTGRES_SETTINGS = { max_wal_size: '128MB', min_wal_size: '96MB', shared_buffers: '128MB' };
const DISK_MIB = { postgres: 1_024, nats: 512 };

export async function startChaosInstallation(devices: number): Promise<ChaosInstallation> {
  const postgresDisk = await mountSmallDisk(DISK_MIB.postgres);
  const natsDisk = await mountSmallDisk(DISK_MIB.nats);
  const installation = await startInstallation({
    devices,
    postgresSettings: POSTGRES_SETTINGS,
    settings: { STREAM_MAX_MIB: '256' },
    ...(postgresDisk && natsDisk ? { disks: { postgres: postgresDisk.folder, nats: natsDisk.folder } } : {}),
  });
  const clockFolder = await mkdtemp(join(tmpdir(), 'tankwatch-clock-'));
  const proxies: TcpProxy[] = [];
  const proxyTo = async (port: number): Promise<TcpProxy> => {
    const proxy = await TcpProxy.listen(() => port);
    proxies.push(proxy);
    return proxy;
  };

  async function startPart(
    role: 'gateway' | 'writer',
    name: string,
    settings: Readonly<Record<string, string>>,
  ): Promise<Part> {
    const toNats = await proxyTo(Number(new URL(installation.nats.url).port));
    const toPostgres = await proxyTo(installation.postgres.port);
    const metricsPort = await freePort();
    const process = await installation.start(role, {
      ...settings,
      NATS_URL: withPort(installation.nats.url, toNats.port),
      [`${role.toUpperCase()}_DATABASE_URL`]: withPort(installation.urls[role], toPostgres.port),
      METRICS_PORT: String(metricsPort),
    });
    return { name, process, metricsPort, toNats, toPostgres };
  }

  async function startGateway(number: number): Promise<GatewayPart> {
    const { mqtt, http, settings } = await findPorts();
    const part = await startPart('gateway', `gateway ${number}`, settings);
    return { ...part, fromMqtt: await proxyTo(mqtt), fromHttp: await proxyTo(http) };
  }

  async function startWriter(number: number): Promise<WriterPart> {
    const file = join(clockFolder, String(number));
    await writeFile(file, '0');
    const clock = { NODE_OPTIONS: `--import=${CLOCK}`, CLOCK_OFFSET_FILE: file };
    const part = await startPart('writer', `writer ${number}`, clock);
    return {
      ...part,
      async moveClock(offsetMs) {
        await writeFile(file, String(offsetMs));
        process.kill(part.process.pid ?? 0, 'SIGUSR2');
      },
    };
  }

  return {
    ...installation,
    gateways: [await startGateway(1), await startGateway(2)],
    writers: [await startWriter(1), await startWriter(2)],
    postgresDisk,
    natsDisk,
    async stop() {
      await installation.stop();
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await postgresDisk?.unmount();
      await natsDisk?.unmount();
      await rm(clockFolder, { recursive: true });
    },
  };
}
