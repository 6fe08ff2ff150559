import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { provisionDemo } from '../demo/provision.ts';
import { createDatabase } from '../engines/database.ts';
import { openPool } from '../src/db/pool.ts';
import { freePort } from '../src/setup/servers/free_port.ts';
import { type KeptPostgres } from '../src/setup/servers/postgres.ts';

/** The settings of the roles and the command line in the development system. They are stored as a file of shell variables. */
const DevEnvironment = Type.Record(Type.String(), Type.String());
export type DevEnvironment = Readonly<
  Record<(typeof NEEDED)[number], string> & Record<string, string> // the file may contain more variables
>;

const NEEDED = ['MIGRATE_DATABASE_URL', 'NATS_URL', 'TANKWATCH_URL', 'GATEWAY_HTTP_PORT', 'GATEWAY_MQTT_PORT'] as const;

export interface DevFolder {
  postgres: KeptPostgres;
  nats: { dataFolder: string; port: number };
  /** The file with the environment. It is written last, so an interrupted first start begins again. */
  file: string;
  /** Undefined before the first start. */
  environment: DevEnvironment | undefined;
}

/** The database is not named "tankwatch": its logins are named after it, and tankwatch_api would be the group role. */
const DATABASE = 'dev';

export async function openDevFolder(): Promise<DevFolder> {
  const folder = process.env['DEV_FOLDER'] ?? fileURLToPath(new URL('../.dev', import.meta.url));
  const file = join(folder, 'env');
  const [postgresFolder, natsFolder] = [join(folder, 'postgres'), join(folder, 'nats')];
  if (!existsSync(file)) {
    await rm(postgresFolder, { recursive: true, force: true });
    await rm(natsFolder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const password = randomBytes(12).toString('hex');
    return {
      postgres: { dataFolder: postgresFolder, port: await freePort(), password },
      nats: { dataFolder: natsFolder, port: await freePort() },
      file,
      environment: undefined,
    };
  }
  const environment = Value.Parse(DevEnvironment, parseEnv(await readFile(file, 'utf8')));
  if (!isComplete(environment)) throw new Error(`${file} is incomplete; delete ${folder} and start again`);
  const postgres = new URL(environment.MIGRATE_DATABASE_URL);
  return {
    postgres: { dataFolder: postgresFolder, port: Number(postgres.port), password: postgres.password },
    nats: { dataFolder: natsFolder, port: Number(new URL(environment.NATS_URL).port) },
    file,
    environment,
  };
}

/** Creates the schema, the logins and the organizations of the demo, and writes the environment. */
export async function fillDatabase(folder: DevFolder, postgresUrl: string, natsUrl: string): Promise<DevEnvironment> {
  console.log('creating a database with three organizations and six months of readings ...');
  const { owner, ownerUrl, urls } = await createDatabase(postgresUrl, DATABASE);
  const deviceSecret = randomBytes(32).toString('hex');
  const operator = openPool({ url: urls.operator, applicationName: 'tankwatch dev' });
  const writer = openPool({ url: urls.writer, applicationName: 'tankwatch dev' });
  const demo = await provisionDemo({ operator, writer }, Date.now(), deviceSecret);
  await owner.query('vacuum analyze');
  await Promise.all([owner, operator, writer].map((pool) => pool.end()));

  const environment = {
    MIGRATE_DATABASE_URL: ownerUrl,
    API_DATABASE_URL: urls.api,
    GATEWAY_DATABASE_URL: urls.gateway,
    WRITER_DATABASE_URL: urls.writer,
    WORKER_DATABASE_URL: urls.worker,
    OPERATOR_DATABASE_URL: urls.operator,
    MANAGE_DATABASE_URL: urls.manager,
    NATS_URL: natsUrl,
    DEVICE_SECRET: deviceSecret,
    LINK_SECRET: randomBytes(32).toString('hex'),
    SECRETS_KEY: randomBytes(32).toString('hex'),
    API_HOST: '127.0.0.1',
    API_PORT: '8080',
    API_DRAIN_MS: '0',
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_HTTP_PORT: '8081',
    GATEWAY_MQTT_PORT: '1883',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    TANKWATCH_URL: 'http://127.0.0.1:8080',
    TANKWATCH_KEY: demo.api_key,
    INGEST_KEY: demo.ingest_key,
  };
  const lines = Object.entries(environment).map(([name, value]) => `${name}='${value}'\n`);
  await writeFile(folder.file, lines.join(''), { mode: 0o600 });
  return environment;
}

const isComplete = (environment: Record<string, string>): environment is DevEnvironment =>
  NEEDED.every((name) => environment[name] !== undefined);
