import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpClient } from '../../bench/load_client/http_client.ts';
import { startReads } from '../../bench/load_client/read_load.ts';
import { writeCertificate } from '../../engines/certificate.ts';
import { type Installation, startInstallation } from '../../engines/installation.ts';
import { withPort } from '../../engines/logins.ts';
import type { RoleProcess } from '../../engines/process.ts';
import { PrivatePrometheus } from '../../engines/prometheus.ts';
import { repeat } from '../../engines/repeat.ts';
import { startReplica } from '../../engines/replica.ts';
import { issueKeys } from '../../engines/tenant.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { type PrivatePostgres } from '../../src/setup/servers/postgres.ts';
import { mountSmallDisk, type SmallDisk } from '../chaos/small_disk.ts';

const DISK_MIB = 32;
export const ROLES = ['api', 'gateway', 'writer', 'worker', 'connector'] as const;

/** Every role as a process, with a little load, and a Prometheus that scrapes them with our rules. */
export interface ObservedInstallation extends Installation {
  /** Serves the reads of the api. */
  replica: PrivatePostgres;
  prometheus: PrivatePrometheus;
  roles: Readonly<Record<(typeof ROLES)[number], RoleProcess>>;
  /** Sends readings that all have different times. */
  send: (deviceIds: readonly string[]) => Promise<number>;
  /** Replaces the certificate of the gateway, as a renewal does. */
  renewCertificate: (days: number) => Promise<unknown>;
  /** The disk to which the worker writes removals. */
  disk: SmallDisk;
  /** Archiving fails while this file exists. */
  archiveRefusal: string;
}

/** Limits that this run reaches in seconds. The shipped ones need up to an hour or 8 GB, and SQL cannot change these values. */
const SMALLER_LIMITS = [
  ['tankwatch_postgres_archive_lag_seconds) > 600', 'tankwatch_postgres_archive_lag_seconds) > 10'],
  ['tankwatch_postgres_slot_wal_bytes) > 8e9', 'tankwatch_postgres_slot_wal_bytes) > 6e7'],
  ['tankwatch_postgres_oldest_snapshot_seconds) > 3600', 'tankwatch_postgres_oldest_snapshot_seconds) > 20'],
  ['tankwatch_pool_waiting[2m]', 'tankwatch_pool_waiting[10s]'],
] as const;

/** This alert needs 860 million transactions. promtool tests the rule, and test/worker/database_watch.test.ts the value. */
export const UNTESTED_ALERTS: readonly string[] = ['TankwatchTransactionIdsUsed'];

/** Reads the shipped rules, with `for: 1s` and the smaller limits, so that they fire in seconds. */
export async function readRulesThatFireAtOnce(): Promise<string> {
  const text = await readFile(new URL('../../deploy/prometheus/alerts.yml', import.meta.url), 'utf8');
  return SMALLER_LIMITS.reduce((rules, [shipped, smaller]) => {
    if (!rules.includes(shipped)) throw new Error(`no rule has ${shipped}`);
    return rules.replace(shipped, smaller);
  }, text).replaceAll(/^(\s+for:) \w+$/gm, '$1 1s');
}

export async function startObservedInstallation(): Promise<ObservedInstallation> {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-alerts-'));
  const { cert, key } = await writeCertificate(folder, { days: 90 });
  await chmod(folder, 0o755); // PostgreSQL runs as another user and looks for the file
  const archiveRefusal = join(folder, 'archive-refuses');
  const disk = await mountSmallDisk(DISK_MIB);
  if (disk === undefined) throw new Error('this run fills a disk of its own, and needs root to mount it');
  const installation = await startInstallation({
    devices: 20,
    natsNodes: 3,
    postgresSettings: { archive_mode: 'on', archive_command: `test ! -e ${archiveRefusal}` },
    settings: {
      REMOVALS_FILE: join(disk.folder, 'removals.ndjson'),
      STREAM_MAX_MIB: '4',
      GATEWAY_TLS_CERT: cert,
      GATEWAY_TLS_KEY: key,
      // Nothing listens on this port: the mail server is dead.
      SMTP_URL: `smtp://127.0.0.1:${await freePort()}`,
      MAIL_FROM: 'tankwatch@example.com',
      PUBLIC_URL: 'https://tankwatch.example.com',
    },
  });
  const { owner, organizationNo, ingestUrl, ingestKey, apiUrl, devices } = installation;
  const replica = await startReplica(installation.postgres);
  const replicaUrl = withPort(installation.urls.api, replica.port);
  const ports: number[] = [];
  const startRole = async (name: (typeof ROLES)[number]): Promise<RoleProcess> => {
    const port = await freePort();
    ports.push(port);
    return installation.start(name, { METRICS_PORT: String(port), DATABASE_REPLICA_URLS: replicaUrl });
  };
  const roles = {
    writer: await startRole('writer'),
    gateway: await startRole('gateway'),
    worker: await startRole('worker'),
    api: await startRole('api'),
    connector: await startRole('connector'),
  };
  let atMs = Date.now() - 3_600_000;
  const http = new HttpClient();
  const send = async (deviceIds: readonly string[]): Promise<number> => {
    const readings = deviceIds.map((device_id) => ({ device_id, fill_percentage: 60, created_at: atMs++ }));
    return (await http.send(ingestUrl, { key: ingestKey, json: { readings } })).status;
  };
  const sending = repeat(100, () => send(devices.slice(0, 5).map(({ deviceId }) => deviceId)));
  const keys = await issueKeys(owner, 1, { organizationNo });
  const reads = startReads({ url: apiUrl, keys, paths: ['/v1/tanks?size=10'], clients: 1, pauseMs: 200 });
  const prometheus = await PrivatePrometheus.start(await readRulesThatFireAtOnce(), ports);
  return {
    ...installation,
    replica,
    prometheus,
    roles,
    send,
    renewCertificate: (days) => writeCertificate(folder, { days }),
    disk,
    archiveRefusal,
    async stop() {
      await Promise.all([sending.stop(), reads.stop()]);
      http.close();
      await prometheus.stop();
      await replica.stop();
      await installation.stop();
      await disk.unmount();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
