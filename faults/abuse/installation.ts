import {
  findPorts,
  type Installation,
  type RoleName,
  type Settings,
  SHIPPED_LIMITS,
  startInstallation,
} from '../../engines/installation.ts';
import type { RoleProcess } from '../../engines/process.ts';
import { createTenant, issueOneKey, type Tenant } from '../../engines/tenant.ts';
import { limitMemory, type MemoryLimit } from './memory_limit.ts';

/** An organization with devices and with the keys and limits that every new organization gets. */
export interface KeyedTenant extends Tenant {
  ingestKey: string;
  /** Read by the gateway at its start, and not used before the database is killed. */
  quietIngestKey: string;
  readKey: string;
  /** A key with the scope manage. */
  manageKey: string;
  /** A key narrowed to one customer. */
  narrowedKey: string;
}

/** PostgreSQL and nats-server for all attacks, with an honest tenant and an attacker. */
export interface AttackedInstallation extends Installation {
  honest: KeyedTenant;
  attacker: KeyedTenant;
  /** Starts fresh processes with default limits, so that the memory of each attack is measured alone. */
  startRoles(names: readonly RoleName[], settings: Settings): Promise<Roles>;
}

export interface Roles {
  processes: ReadonlyMap<RoleName, RoleProcess>;
  /** Empty if this machine cannot limit the memory of a process. */
  memoryLimits: ReadonlyMap<RoleName, MemoryLimit>;
  mqttPort: number;
  /** The addresses of gateway and api without a path. */
  gatewayUrl: string;
  apiUrl: string;
  stop(): Promise<void>;
}

/** The code of the attacker's organization. */
export const ATTACKER_CODE = 'a0rogue';
const DEVICES_PER_TENANT = 140;
/** The limit of each process, as in compose.yaml. */
export const MAX_MEMORY_MB = 512;

/** `main` is the program of another release, whose roles are attacked on the schema of this one. */
export async function startAttackedInstallation({ main }: { main?: string } = {}): Promise<AttackedInstallation> {
  const installation = await startInstallation({ devices: 1 });
  return {
    ...installation,
    honest: await createKeyedTenant(installation, 'a0honest'),
    attacker: await createKeyedTenant(installation, ATTACKER_CODE),
    startRoles: (names, settings) => startRoles(installation, names, settings, main),
  };
}

async function startRoles(
  installation: Installation,
  names: readonly RoleName[],
  settings: Settings,
  main: string | undefined,
): Promise<Roles> {
  const ports = await findPorts();
  const all = { ...ports.settings, ...SHIPPED_LIMITS, TRUSTED_PROXIES: '127.0.0.1', ...settings };
  const processes = new Map(names.map((name) => [name, installation.role(name, all, main)]));
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
    mqttPort: ports.mqtt,
    gatewayUrl: `http://127.0.0.1:${ports.http}`,
    apiUrl: `http://127.0.0.1:${ports.api}`,
    async stop() {
      // A process that an attack has blocked may take minutes to stop by itself.
      await Promise.all([...processes.values()].map((process) => process.kill()));
      for (const limit of memoryLimits.values()) limit.remove();
    },
  };
}

async function createKeyedTenant({ owner, environment }: Installation, code: string): Promise<KeyedTenant> {
  const deviceSecret = environment['DEVICE_SECRET'] ?? '';
  const tenant = await createTenant(owner, { code, devices: DEVICES_PER_TENANT, deviceSecret });
  const { organizationNo, customerNo } = tenant;
  const shipped = { organizationNo, requestsPerSecond: 100, burst: 1_000 };
  return {
    ...tenant,
    ingestKey: await issueOneKey(owner, { ...shipped, scopes: ['ingest'] }),
    quietIngestKey: await issueOneKey(owner, { ...shipped, scopes: ['ingest'] }),
    readKey: await issueOneKey(owner, shipped),
    manageKey: await issueOneKey(owner, { ...shipped, scopes: ['manage'] }),
    narrowedKey: await issueOneKey(owner, { ...shipped, customerNo }),
  };
}
