import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { withPort } from '../../engines/logins.ts';
import { type Pipeline, startPipeline } from '../../engines/pipeline.ts';
import { freePort, type PrivatePostgres } from '../../engines/postgres.ts';
import type { RoleProcess } from '../../engines/process.ts';
import { findProgram } from '../../engines/programs.ts';
import { PrivatePrometheus } from '../../engines/prometheus.ts';
import { startReplica } from '../../engines/replica.ts';
import { onlyRow } from '../../src/db/only_row.ts';
import { transaction } from '../../src/db/pool.ts';
import { issueKey } from '../../src/keys/issue_key.ts';

const run = promisify(execFile);
const ROLES = ['api', 'gateway', 'writer', 'worker'] as const;

/** Every role as a process, with a little load, and a Prometheus that scrapes them with our rules. */
export interface ObservedInstallation {
  pipeline: Pipeline;
  /** Serves the reads of the api. */
  replica: PrivatePostgres;
  prometheus: PrivatePrometheus;
  roles: Readonly<Record<(typeof ROLES)[number], RoleProcess>>;
  organizationNo: number;
  /** Sends readings, each with a time of its own. */
  send: (deviceIds: readonly string[]) => Promise<number>;
  /** Replaces the certificate of the gateway, as a renewal does. */
  writeCertificate: (days: number) => Promise<void>;
  stop(): Promise<void>;
}

/** The rules as they are installed, except that an alert fires at once: nobody waits minutes in this run. */
export async function rulesThatFireAtOnce(): Promise<string> {
  const text = await readFile(new URL('../../deploy/prometheus/alerts.yml', import.meta.url), 'utf8');
  return text.replaceAll(/^(\s+for:) \w+$/gm, '$1 1s');
}

export async function startObservedInstallation(): Promise<ObservedInstallation> {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-alerts-'));
  const writeCertificate = async (days: number): Promise<void> => {
    const [cert, key] = [join(folder, 'new.pem'), join(folder, 'new.key')];
    const options = ['-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', String(days)];
    await run(findProgram('openssl'), ['req', '-x509', ...options, '-keyout', key, '-out', cert]);
    await rename(key, join(folder, 'privkey.pem'));
    await rename(cert, join(folder, 'fullchain.pem'));
  };
  await writeCertificate(90);
  const apiPort = await freePort();
  const pipeline = await startPipeline({
    devices: 20,
    isGatewayStarted: false,
    settings: {
      STREAM_MAX_MIB: '4',
      GATEWAY_TLS_CERT: join(folder, 'fullchain.pem'),
      GATEWAY_TLS_KEY: join(folder, 'privkey.pem'),
      API_HOST: '127.0.0.1',
      API_PORT: String(apiPort),
      WEBHOOK_ALLOW_HTTP: 'true',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      // Nothing listens on this port: the mail server is dead.
      SMTP_URL: `smtp://127.0.0.1:${await freePort()}`,
      MAIL_FROM: 'tankwatch@example.com',
      PUBLIC_URL: 'https://tankwatch.example.com',
      LINK_SECRET: 'a secret of at least thirty-two characters',
    },
  });
  const replica = await startReplica(pipeline.postgres);
  const replicaUrl = withPort(pipeline.urls.api, replica.port);
  const ports: number[] = [];
  const startRole = async (name: (typeof ROLES)[number]): Promise<RoleProcess> => {
    const port = await freePort();
    ports.push(port);
    const role = pipeline.role(name, { METRICS_PORT: String(port), DATABASE_REPLICA_URLS: replicaUrl });
    await role.start();
    return role;
  };
  const roles = {
    writer: await startRole('writer'),
    gateway: await startRole('gateway'),
    worker: await startRole('worker'),
    api: await startRole('api'),
  };
  const { organizationNo, readKey } = await prepareOrganization(pipeline);
  let atMs = Date.now() - 3_600_000;
  const send = async (deviceIds: readonly string[]): Promise<number> => {
    const readings = deviceIds.map((device_id) => ({ device_id, fill_percentage: 60, created_at: atMs++ }));
    const headers = { 'x-api-key': pipeline.ingestKey, 'content-type': 'application/json' };
    const body = JSON.stringify({ readings });
    const response = await fetch(pipeline.ingestUrl, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  };

  const stopping = new AbortController();
  const repeat = async (pauseMs: number, work: () => Promise<unknown>): Promise<void> => {
    while (!stopping.signal.aborted) {
      await work().catch(() => {});
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const load = [
    repeat(100, () => send(pipeline.devices.slice(0, 5).map(({ deviceId }) => deviceId))),
    repeat(200, async () => {
      const headers = { 'x-api-key': readKey };
      const response = await fetch(`http://127.0.0.1:${apiPort}/v1/tanks?size=10`, { headers });
      await response.arrayBuffer();
    }),
  ];
  const prometheus = await PrivatePrometheus.start(await rulesThatFireAtOnce(), ports);
  return {
    pipeline,
    replica,
    prometheus,
    roles,
    organizationNo,
    send,
    writeCertificate,
    async stop() {
      stopping.abort();
      await Promise.all(load);
      await prometheus.stop();
      await replica.stop();
      await pipeline.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function prepareOrganization({ owner }: Pipeline): Promise<{ organizationNo: number; readKey: string }> {
  const { no: organizationNo } = onlyRow((await owner.query<{ no: number }>('select no from organizations')).rows);
  const limits = { requestsPerSecond: 1_000, burst: 1_000 };
  const key = await transaction(owner, (tx) =>
    issueKey(tx, { organizationNo, name: 'Alerts', scopes: ['read'], ...limits }),
  );
  return { organizationNo, readKey: key.text };
}
