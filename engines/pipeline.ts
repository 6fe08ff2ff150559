import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { createCustomers } from '../src/catalog/customers.ts';
import { createOrganization } from '../src/catalog/organizations.ts';
import { createTanks } from '../src/catalog/tanks.ts';
import type { DatabaseRole } from '../src/db/login_rights.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPool, transaction } from '../src/db/pool.ts';
import { devicePassword } from '../src/keys/device_password.ts';
import { issueKey } from '../src/keys/issue_key.ts';
import { organizationSecret } from '../src/keys/organization_secret.ts';
import type { DeviceLogin } from '../src/simulation/device_login.ts';
import { createLogins, databaseUrl } from './logins.ts';
import { type PrivateNats, startNats } from './nats.ts';
import { freePort, type PrivatePostgres, startPostgres } from './postgres.ts';
import { RoleProcess } from './process.ts';

/** PostgreSQL, nats-server, our roles as processes, and a fleet of devices: for benchmarks and fault runs. */
export interface Pipeline {
  postgres: PrivatePostgres;
  nats: PrivateNats;
  owner: Pool;
  environment: Record<string, string>;
  /** The SECRETS_KEY of the environment. */
  secretsKey: string;
  mqttUrl: string;
  ingestUrl: string;
  ingestKey: string;
  devices: DeviceLogin[];
  /** The tank of each device, in the same order. */
  tankNos: number[];
  /** The database address of each role. */
  urls: Readonly<Record<DatabaseRole, string>>;
  /** Started with the pipeline unless `isGatewayStarted` is false. Start other roles with `role`. */
  gateway: RoleProcess;
  /** `main` is the program to run, if it is not the one of this source tree. */
  role(name: RoleName, settings?: Readonly<Record<string, string>>, main?: string): RoleProcess;
  /** The last output of each of our processes that ended by itself. */
  crashes(): string[];
  stop(): Promise<void>;
}

export type RoleName = 'api' | 'gateway' | 'writer' | 'worker' | 'all';

export interface PipelineOptions {
  devices: number;
  /** The alert threshold of each device's tank. */
  thresholdOf?: (device: number) => number;
  /** Begins with the slot of the cell. */
  organizationCode?: string;
  natsNodes?: number;
  postgresSettings?: Readonly<Record<string, string>>;
  settings?: Readonly<Record<string, string>>;
  isGatewayStarted?: boolean;
  /** A database server that runs already. The caller stops it. */
  postgres?: PrivatePostgres;
  /** The file systems for the data of PostgreSQL and nats-server. Temporary folders unless given. */
  disks?: { postgres: string; nats: string };
}

export async function startPipeline(options: PipelineOptions): Promise<Pipeline> {
  const { natsNodes = 1, disks, postgres: givenPostgres, organizationCode = 'a0fleet' } = options;
  const [postgres, nats] = await Promise.all([
    givenPostgres ??
      startPostgres(
        options.postgresSettings,
        disks && {
          kept: { dataFolder: join(disks.postgres, 'postgres'), port: await freePort(), password: 'private' },
        },
      ),
    startNats({
      nodes: natsNodes,
      ...(disks && { kept: { dataFolder: join(disks.nats, 'nats'), port: await freePort() } }),
    }),
  ]);
  const root = openPool({ url: postgres.url, applicationName: 'pipeline' });
  await root.query('create database fleet');
  await root.end();
  const owner = openPool({ url: databaseUrl(postgres.url, 'fleet'), applicationName: 'pipeline' });
  await migrate(owner);
  const urls = await createLogins(owner, postgres.url, 'fleet');
  const secret = randomBytes(32).toString('hex');
  const secretsKey = randomBytes(32).toString('hex');
  const { tankNos, ingestKey } = await provision(owner, organizationCode, options);
  await owner.query('vacuum analyze');

  const [httpPort, mqttPort] = [await freePort(), await freePort()];
  const environment = {
    DATABASE_URL: urls.writer,
    API_DATABASE_URL: urls.api,
    GATEWAY_DATABASE_URL: urls.gateway,
    WORKER_DATABASE_URL: urls.worker,
    NATS_URL: nats.url,
    NATS_REPLICAS: String(natsNodes),
    DEVICE_SECRET: secret,
    SECRETS_KEY: secretsKey,
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_HTTP_PORT: String(httpPort),
    GATEWAY_MQTT_PORT: String(mqttPort),
    GATEWAY_DEVICE_PUBLISHES_PER_SECOND: '100000',
    GATEWAY_DEVICE_READINGS_PER_SECOND: '10000000',
    GATEWAY_ORGANIZATION_READINGS_PER_SECOND: '10000000',
    ...options.settings,
  };
  const roles: RoleProcess[] = [];
  const role: Pipeline['role'] = (name, settings = {}, main) => {
    const process = new RoleProcess(name, { ...environment, ...settings }, main);
    roles.push(process);
    return process;
  };
  const gateway = role('gateway');
  if (options.isGatewayStarted !== false) await gateway.start();
  return {
    postgres,
    nats,
    owner,
    urls,
    secretsKey,
    environment,
    mqttUrl: `mqtt://127.0.0.1:${mqttPort}`,
    ingestUrl: `http://127.0.0.1:${httpPort}/ingest/readings`,
    ingestKey,
    devices: tankNos.map((_, n) => ({
      organizationCode,
      deviceId: deviceIdOf(n),
      password: devicePassword(organizationSecret(secret, organizationCode), deviceIdOf(n), 1),
    })),
    tankNos,
    gateway,
    role,
    crashes: () => roles.filter(({ crashes }) => crashes > 0).map(({ log }) => log.slice(-2_000)),
    async stop() {
      await Promise.all(roles.map((process) => process.stop()));
      await owner.end();
      if (givenPostgres === undefined) await postgres.stop();
      await nats.stop();
    },
  };
}

const deviceIdOf = (n: number): string => `DEV${String(n).padStart(6, '0')}`;

async function provision(
  pool: Pool,
  organizationCode: string,
  { devices, thresholdOf = () => 20 }: PipelineOptions,
): Promise<{ tankNos: number[]; ingestKey: string }> {
  return transaction(pool, async (tx) => {
    const organizationNo = await createOrganization(tx, { code: organizationCode, name: 'Fleet' });
    const [customer] = await createCustomers(tx, organizationNo, [{ name: 'Owner', email: 'owner@example.com' }]);
    const tanks = await createTanks(
      tx,
      organizationNo,
      Array.from({ length: devices }, (_, n) => ({
        owner_no: customer?.no ?? 0,
        name: `Tank ${n}`,
        assigned_device_id: deviceIdOf(n),
        capacity: 500,
        capacity_unit: 'liters' as const,
        min_fill_alert_percentage: thresholdOf(n),
      })),
    );
    const key = await issueKey(tx, {
      organizationNo,
      name: 'Fleet',
      scopes: ['ingest'],
      requestsPerSecond: 100_000,
      burst: 100_000,
    });
    return { tankNos: tanks.map(({ no }) => no), ingestKey: key.text };
  });
}
