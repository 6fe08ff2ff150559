import { randomBytes } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE_ROLES, databaseSettingOf } from '../db/login_rights.ts';
import type { Environment } from '../settings/setting_reader.ts';
import { settingLine } from '../settings/settings_file.ts';
import { firstFreePort } from './first_free_port.ts';
import type { InstallPaths } from './install_paths.ts';
import { DATABASE_NAME, loginOf, OWNER_ROLE, withLogin } from './prepare_database.ts';

export type Settings = Readonly<Record<string, string>>;

/** Where the database is. */
export type DatabasePlan =
  /** `tankwatch up` starts a server with these programs. */
  | { kind: 'start'; binFolder: string }
  /** A running server, with the address of a login that may create the role and the database. */
  | { kind: 'create'; serverUrl: string }
  /** An existing database, with the address of its owner. */
  | { kind: 'given'; ownerUrl: string };

export interface InstallChoices {
  /** The address of the console. If undefined, the console is served on a free port of this machine. */
  url: string | undefined;
  /** Undefined if the file names a database. */
  database: DatabasePlan | undefined;
  natsServer: string;
  /** False if the settings file exists. Its installation may be running, so its own ports seem to be in use. */
  isNew: boolean;
  /** Variables take precedence over the file when roles start, so the file gets the ports that variables name. */
  environment: Environment;
}

/** 192 random bits in hexadecimal. The first letter is there because nats-server reads a leading digit as a number. */
export const newPassword = (): string => `p${randomBytes(24).toString('hex')}`;
export const newSecret = (): string => randomBytes(32).toString('hex');

/** The settings of a new installation, in the order of the file. */
export async function newSettings(choices: InstallChoices, paths: InstallPaths): Promise<Settings> {
  const { database } = choices;
  const limits = await diskLimits(paths.dataFolder);
  const port = await choosePorts(choices);
  const url = choices.url ?? `http://127.0.0.1:${port.api}`;
  const natsPassword = { gateway: newPassword(), writer: newPassword(), operator: newPassword() };
  const natsUrl = (user: keyof typeof natsPassword): string =>
    `nats://${user}:${natsPassword[user]}@127.0.0.1:${port.nats}`;
  const postgresFolder = join(paths.dataFolder, 'postgres');
  return {
    PUBLIC_URL: url,
    API_HOST: '127.0.0.1',
    API_PORT: String(port.api),
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_HTTP_PORT: String(port.http),
    GATEWAY_MQTT_PORT: String(port.mqtt),
    GATEWAY_URL: `http://127.0.0.1:${port.http}`,
    // A proxy on this machine terminates TLS, and may send the PROXY protocol with MQTT.
    ...(url.startsWith('https:') ? { TRUSTED_PROXIES: '127.0.0.1', GATEWAY_PROXY_PROTOCOL: 'auto' } : {}),
    ...(choices.isNew ? { METRICS_PORT: String(port.metrics) } : {}),
    // No drain time, because a load balancer has no second process to which it could send requests in the meantime.
    API_DRAIN_MS: '0',
    GATEWAY_DRAIN_MS: '0',
    ...(database === undefined ? {} : databaseUrls(database, port.postgres)),
    ...(database?.kind === 'start'
      ? {
          POSTGRES_FOLDER: postgresFolder,
          POSTGRES_BIN: database.binFolder,
          POSTGRES_PORT: String(port.postgres),
          POSTGRES_PASSWORD: newPassword(),
          POSTGRES_MAX_WAL_MIB: String(limits.walMib),
          PGDATA: join(postgresFolder, 'data'),
        }
      : {}),
    NATS_SERVER: choices.natsServer,
    NATS_CONFIG: paths.natsConfig,
    NATS_DATA: join(paths.dataFolder, 'nats'),
    NATS_PORT: String(port.nats),
    NATS_MONITOR_URL: `http://127.0.0.1:${port.monitor}`,
    NATS_GATEWAY_PASSWORD: natsPassword.gateway,
    NATS_WRITER_PASSWORD: natsPassword.writer,
    NATS_OPERATOR_PASSWORD: natsPassword.operator,
    GATEWAY_NATS_URL: natsUrl('gateway'),
    WRITER_NATS_URL: natsUrl('writer'),
    OPERATOR_NATS_URL: natsUrl('operator'),
    STREAM_MAX_MIB: String(limits.streamMib),
    DEVICE_SECRET: newSecret(),
    SECRETS_KEY: newSecret(),
    LINK_SECRET: newSecret(),
    REMOVALS_FILE: join(paths.dataFolder, 'removals.ndjson'),
  };
}

function databaseUrls(plan: DatabasePlan, port: number): Settings {
  const server =
    plan.kind === 'given' ? plan.ownerUrl : plan.kind === 'create' ? plan.serverUrl : `postgres://127.0.0.1:${port}/`;
  const database = plan.kind === 'given' ? new URL(plan.ownerUrl).pathname.slice(1) : DATABASE_NAME;
  const owner = plan.kind === 'given' ? plan.ownerUrl : withLogin(server, database, OWNER_ROLE, newPassword());
  return {
    MIGRATE_DATABASE_URL: owner,
    ...Object.fromEntries(
      DATABASE_ROLES.map((role) => [
        databaseSettingOf(role),
        withLogin(server, database, loginOf(role), newPassword()),
      ]),
    ),
  };
}

type Ports = Readonly<Record<'api' | 'http' | 'mqtt' | 'postgres' | 'nats' | 'monitor' | 'metrics', number>>;

/**
 * Chooses the ports: those of the environment, otherwise the default ones, otherwise the next free ones. Only an
 * address on this machine determines the port of the api.
 */
async function choosePorts({ url, environment }: Pick<InstallChoices, 'url' | 'environment'>): Promise<Ports> {
  const local = url === undefined ? undefined : /^http:\/\/(?:localhost|127\.0\.0\.1)(?::(\d+))?(?:\/|$)/.exec(url);
  const taken: number[] = [];
  const choose = async (variable: string | undefined, usual: number): Promise<number> => {
    const port = Number(variable) > 0 ? Number(variable) : await firstFreePort(usual, taken);
    taken.push(port);
    return port;
  };
  const monitorUrl = URL.parse(environment['NATS_MONITOR_URL'] ?? '');
  const api = await choose(local ? (local[1] ?? '80') : environment['API_PORT'], 8_080);
  return {
    api,
    http: await choose(environment['GATEWAY_HTTP_PORT'], 8_081),
    mqtt: await choose(environment['GATEWAY_MQTT_PORT'], 1_883),
    postgres: await choose(environment['POSTGRES_PORT'], 5_433), // 5432 belongs to Debian's server, even while it is stopped
    nats: await choose(environment['NATS_PORT'], 4_222),
    monitor: await choose(monitorUrl?.port, 8_222),
    metrics: await choose(environment['METRICS_PORT'], 9_464),
  };
}

const MIB = 1_048_576;

/** The stream and the write-ahead log each get a twentieth of the free space, so that neither fills a small disk. */
async function diskLimits(folder: string): Promise<{ streamMib: number; walMib: number }> {
  const { bavail, bsize } = await statfs(folder);
  const part = Math.floor((bavail * bsize) / MIB / 20);
  return { streamMib: Math.min(4_096, Math.max(256, part)), walMib: Math.min(4_096, Math.max(512, part)) };
}

const HEADING = `# The settings of this installation, written by \`tankwatch init\`. Every command and every role reads them; environment
# variables take precedence. docs/operators/settings.md explains each setting. After a change, start \`tankwatch up\` again.
# Keep a copy in a safe place. Without DEVICE_SECRET, every device needs a new password. Without SECRETS_KEY, every webhook needs
# a new secret.
`;
/** The first setting of each group, and its title. */
const TITLES: Readonly<Record<string, string>> = {
  PUBLIC_URL: 'Addresses. Only this machine can connect; for others, put a proxy with TLS in front.',
  MIGRATE_DATABASE_URL: 'PostgreSQL: the owner of the tables, and a login for each role.',
  POSTGRES_FOLDER: 'The PostgreSQL that `tankwatch up` starts.',
  NATS_SERVER: 'nats-server, which `tankwatch up` starts, and the limit of the stream.',
  DEVICE_SECRET: 'Secrets, and the file that lists what was deleted, for a restore from an older backup.',
};

/** The text of the settings file with the missing settings added. Existing lines do not change. */
export function settingsText(existing: string, missing: Settings): string {
  const lines = Object.entries(missing).map(([name, value]) => {
    const title = TITLES[name];
    return `${title === undefined ? '' : `\n# ${title}\n`}${settingLine(name, value)}`;
  });
  const before = existing === '' ? HEADING : existing.replace(/\n*$/, '\n');
  return before + lines.join('');
}
