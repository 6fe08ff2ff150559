import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { NewTank } from '../src/catalog/tanks.ts';
import { freePort } from '../src/setup/servers/free_port.ts';
import { type PrivateNats, startNats } from '../src/setup/servers/nats.ts';
import { type PrivatePostgres, startPostgres } from '../src/setup/servers/postgres.ts';
import { createDatabase, type Database, type PrivateDatabase } from './database.ts';
import { RoleProcess } from './process.ts';
import { createTenant, issueOneKey, type Tenant } from './tenant.ts';

/** PostgreSQL, nats-server, our roles as processes, and a fleet of devices: for benchmarks, fault runs and tests. */
export interface Installation extends PrivateDatabase, Tenant {
  nats: PrivateNats;
  environment: Readonly<Record<string, string>>;
  /** The SECRETS_KEY of the environment. */
  secretsKey: string;
  /** The ports on which the roles listen. */
  ports: Ports;
  apiUrl: string;
  mqttUrl: string;
  ingestUrl: string;
  ingestKey: string;
  /** Makes a process of a role without starting it. `main` is another program than that of this source tree. */
  role(name: RoleName, settings?: Settings, main?: string): RoleProcess;
  /** Creates a role with `role` and starts it. */
  start(name: RoleName, settings?: Settings, main?: string): Promise<RoleProcess>;
  /** Returns the last output of each role that ended by itself. */
  crashes(): string[];
}

export type RoleName = 'api' | 'gateway' | 'writer' | 'worker' | 'connector' | 'all';
export type Settings = Readonly<Record<string, string>>;

export interface InstallationOptions {
  devices: number;
  /** The values that differ from a plain tank. */
  tank?: (device: number) => Partial<NewTank>;
  /** The code begins with the slot of the cell. */
  organizationCode?: string;
  natsNodes?: number;
  postgresSettings?: Settings;
  settings?: Settings;
  /** A running database server. The caller stops it. */
  postgres?: PrivatePostgres;
  /** The folders for the data of PostgreSQL and nats-server. Default: temporary folders. */
  disks?: { postgres: string; nats: string };
  /** Creates the database and the fleet in another way than with the code of this source tree. */
  fill?: (postgres: PrivatePostgres, secrets: FillSecrets) => Promise<FilledDatabase>;
}

export interface FillSecrets {
  deviceSecret: string;
  secretsKey: string;
}

export interface FilledDatabase extends Database, Tenant {
  ingestKey: string;
}

/** Ports that are free, and the settings that make an api and a gateway listen on them. */
export interface Ports {
  api: number;
  http: number;
  mqtt: number;
  settings: Settings;
}

export async function findPorts(): Promise<Ports> {
  const [api, http, mqtt] = [await freePort(), await freePort(), await freePort()];
  return {
    api,
    http,
    mqtt,
    settings: { API_PORT: String(api), GATEWAY_HTTP_PORT: String(http), GATEWAY_MQTT_PORT: String(mqtt) },
  };
}

export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const { natsNodes = 1, disks, postgres: givenPostgres } = options;
  const kept = async (disk: string, name: string) => ({ dataFolder: join(disk, name), port: await freePort() });
  // If a step fails, everything that was started is stopped.
  await using starting = new AsyncDisposableStack();
  const startOwnPostgres = async (): Promise<PrivatePostgres> =>
    startPostgres(
      options.postgresSettings,
      disks ? { kept: { ...(await kept(disks.postgres, 'postgres')), password: 'private' } } : { isFilled: true },
    );
  const postgres = givenPostgres ?? starting.adopt(await startOwnPostgres(), (started) => started.stop());
  const nats = starting.adopt(
    await startNats({ nodes: natsNodes, ...(disks && { kept: await kept(disks.nats, 'nats') }) }),
    (started) => started.stop(),
  );
  const [deviceSecret, secretsKey] = [newSecret(), newSecret()];
  const fill = options.fill ?? ((server) => fillDatabase(server, options, deviceSecret));
  const filled = await fill(postgres, { deviceSecret, secretsKey });
  const { owner, urls } = filled;
  starting.defer(() => owner.end());
  await owner.query('vacuum analyze');
  const ports = await findPorts();
  const environment = {
    DATABASE_URL: urls.writer,
    API_DATABASE_URL: urls.api,
    GATEWAY_DATABASE_URL: urls.gateway,
    WORKER_DATABASE_URL: urls.worker,
    MANAGE_DATABASE_URL: urls.manager,
    NATS_URL: nats.url,
    NATS_REPLICAS: String(natsNodes),
    DEVICE_SECRET: deviceSecret,
    SECRETS_KEY: secretsKey,
    LINK_SECRET: newSecret(),
    API_HOST: '127.0.0.1',
    API_DRAIN_MS: '0',
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_DRAIN_MS: '0',
    ...ports.settings,
    ...UNLIMITED_GATEWAY,
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ...options.settings,
  };
  const roles: RoleProcess[] = [];
  starting.defer(async () => {
    await Promise.all(roles.map((process) => process.stop()));
  });
  const started = starting.move();
  const role: Installation['role'] = (name, settings = {}, main) => {
    const process = new RoleProcess(name, { ...environment, ...settings }, main);
    roles.push(process);
    return process;
  };
  return {
    ...filled,
    postgres,
    nats,
    environment,
    secretsKey,
    ports,
    apiUrl: `http://127.0.0.1:${ports.api}`,
    mqttUrl: `mqtt://127.0.0.1:${ports.mqtt}`,
    ingestUrl: `http://127.0.0.1:${ports.http}/ingest/readings`,
    role,
    async start(...given) {
      const process = role(...given);
      await process.start();
      return process;
    },
    crashes: () => roles.filter(({ crashes }) => crashes > 0).map(({ log }) => log.slice(-2_000)),
    stop: () => started.disposeAsync(),
    [Symbol.asyncDispose](this: Installation) {
      return this.stop();
    },
  };
}

async function fillDatabase(
  { url }: PrivatePostgres,
  { devices, organizationCode: code = 'a0fleet', tank }: InstallationOptions,
  deviceSecret: string,
): Promise<FilledDatabase> {
  const database = await createDatabase(url, 'fleet');
  const { owner } = database;
  const tenant = await createTenant(owner, { code, devices, deviceSecret, ...(tank && { tank }) });
  const ingestKey = await issueOneKey(owner, { organizationNo: tenant.organizationNo, scopes: ['ingest'] });
  return { ...database, ...tenant, ingestKey };
}

/** Settings that turn off the limits of the gateway, because one machine sends the load of a whole fleet. */
const UNLIMITED_GATEWAY = {
  GATEWAY_DEVICE_PUBLISHES_PER_SECOND: '100000',
  GATEWAY_DEVICE_READINGS_PER_SECOND: '10000000',
  GATEWAY_ORGANIZATION_READINGS_PER_SECOND: '10000000',
};
/** Settings that restore the default limits of the gateway. */
export const SHIPPED_LIMITS: Settings = Object.fromEntries(Object.keys(UNLIMITED_GATEWAY).map((name) => [name, '']));

export const newSecret = (): string => randomBytes(32).toString('hex');
