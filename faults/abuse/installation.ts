import { type Pipeline, startPipeline } from '../../engines/pipeline.ts';
import { freePort } from '../../engines/postgres.ts';
import type { RoleProcess } from '../../engines/process.ts';
import { createCustomers } from '../../src/catalog/customers.ts';
import { createOrganization } from '../../src/catalog/organizations.ts';
import { createTanks } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import { devicePassword } from '../../src/keys/device_password.ts';
import { issueKey } from '../../src/keys/issue_key.ts';
import { organizationSecret } from '../../src/keys/organization_secret.ts';
import type { DeviceLogin } from '../../src/simulation/device_login.ts';
import { limitMemory, type MemoryLimit } from './memory_limit.ts';

export type RoleName = 'api' | 'gateway' | 'writer' | 'worker';

/** An organization with devices and with the keys and limits that every new organization gets. */
export interface Tenant {
  organizationNo: number;
  tankNo: number;
  devices: DeviceLogin[];
  ingestKey: string;
  /** Known to the gateway since its start and not used before the database goes away. */
  quietIngestKey: string;
  readKey: string;
  /** Narrowed to one customer. */
  narrowedKey: string;
}

/** PostgreSQL and nats-server for all attacks, with an honest tenant and an attacker in it. */
export interface Installation {
  pipeline: Pipeline;
  honest: Tenant;
  attacker: Tenant;
  /** Fresh processes with default limits, so that each attack shows its own memory. */
  startRoles(names: readonly RoleName[], settings: Readonly<Record<string, string>>): Promise<Roles>;
  stop(): Promise<void>;
}

export interface Roles {
  processes: ReadonlyMap<RoleName, RoleProcess>;
  /** Empty where this machine allows none. */
  memoryLimits: ReadonlyMap<RoleName, MemoryLimit>;
  mqttPort: number;
  /** Without a path. */
  gatewayUrl: string;
  apiUrl: string;
  stop(): Promise<void>;
}

const DEVICES_PER_TENANT = 140;
/** Of each process, as in compose.yaml. */
export const MAX_MEMORY_MB = 512;

export async function startInstallation(): Promise<Installation> {
  const pipeline = await startPipeline({ devices: 1 });
  await pipeline.gateway.stop();
  const honest = await createTenant(pipeline, 'a0honest');
  const attacker = await createTenant(pipeline, 'a0rogue');
  return {
    pipeline,
    honest,
    attacker,
    startRoles: (names, settings) => startRoles(pipeline, names, settings),
    stop: () => pipeline.stop(),
  };
}

async function startRoles(
  pipeline: Pipeline,
  names: readonly RoleName[],
  settings: Readonly<Record<string, string>>,
): Promise<Roles> {
  const [apiPort, httpPort, mqttPort] = [await freePort(), await freePort(), await freePort()];
  const environment = {
    API_HOST: '127.0.0.1',
    API_PORT: String(apiPort),
    API_DRAIN_MS: '0',
    TRUSTED_PROXIES: '127.0.0.1',
    GATEWAY_HTTP_PORT: String(httpPort),
    GATEWAY_MQTT_PORT: String(mqttPort),
    GATEWAY_DEVICE_PUBLISHES_PER_SECOND: '', // empty: the default
    GATEWAY_DEVICE_READINGS_PER_SECOND: '',
    GATEWAY_ORGANIZATION_READINGS_PER_SECOND: '',
    ...settings,
  };
  const processes = new Map(names.map((name) => [name, pipeline.role(name, environment)] as const));
  const memoryLimits = new Map<RoleName, MemoryLimit>();
  for (const [name, process] of processes) {
    const limit = limitMemory(name, MAX_MEMORY_MB);
    if (limit === undefined) continue;
    memoryLimits.set(name, limit);
    process.startedBy = limit.command;
  }
  await Promise.all([...processes.values()].map((process) => process.start()));
  return {
    processes,
    memoryLimits,
    mqttPort,
    gatewayUrl: `http://127.0.0.1:${httpPort}`,
    apiUrl: `http://127.0.0.1:${apiPort}`,
    async stop() {
      // A process that an attack has blocked may take minutes to stop by itself.
      await Promise.all([...processes.values()].map((process) => process.kill()));
      for (const limit of memoryLimits.values()) limit.remove();
    },
  };
}

function createTenant({ owner, environment }: Pipeline, code: string): Promise<Tenant> {
  return transaction(owner, async (tx) => {
    const organizationNo = await createOrganization(tx, { code, name: code });
    const [customer] = await createCustomers(tx, organizationNo, [{ name: 'Owner', email: `${code}@example.com` }]);
    const deviceIds = Array.from({ length: DEVICES_PER_TENANT }, (_, n) => `DEV${n}`);
    const tanks = await createTanks(
      tx,
      organizationNo,
      deviceIds.map((deviceId) => ({
        owner_no: customer?.no ?? 0,
        name: `Tank of ${deviceId}`,
        assigned_device_id: deviceId,
        capacity: 500,
        capacity_unit: 'liters' as const,
        min_fill_alert_percentage: 20,
      })),
    );
    const key = async (scope: 'read' | 'ingest', customerNo: number | null): Promise<string> =>
      (await issueKey(tx, { organizationNo, customerNo, name: code, scopes: [scope] })).text;
    return {
      organizationNo,
      tankNo: tanks[0]?.no ?? 0,
      devices: deviceIds.map((deviceId) => ({
        organizationCode: code,
        deviceId,
        password: devicePassword(organizationSecret(environment['DEVICE_SECRET'] ?? '', code), deviceId, 1),
      })),
      ingestKey: await key('ingest', null),
      quietIngestKey: await key('ingest', null),
      readKey: await key('read', null),
      narrowedKey: await key('read', customer?.no ?? null),
    };
  });
}
