import { type ChildProcess, spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { migrate } from '../src/db/migrate.ts';
import { openPool } from '../src/db/pool.ts';
import { startNats } from '../src/setup/servers/nats.ts';
import { startPostgres } from '../src/setup/servers/postgres.ts';
import { stopProcess } from '../src/setup/servers/server_process.ts';
import { type DevEnvironment, fillDatabase, openDevFolder } from './dev_environment.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));

/** The roles in the order of their start: consumers before producers. Each role has its own metrics port. */
const ROLES = { api: 9464, writer: 9465, worker: 9466, gateway: 9467 };

const USAGE = `usage: npm run dev [-- --without ROLE] ...

Starts PostgreSQL, nats-server and every role but the connector. Data is kept in .dev (or in the folder that DEV_FOLDER names);
delete that folder to start again. A role restarts when a file that it imports changes. Ctrl-C stops everything.

  --without ROLE   do not start this role (${Object.keys(ROLES).join(', ')}), so that you can start it in a debugger`;

async function runDev(without: readonly string[]): Promise<void> {
  const stopped = new Promise((resolve) => {
    // `on`, not `once`: npm passes Ctrl-C on a second time, which must not end this before the servers have stopped.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, resolve);
  });
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const folder = await openDevFolder();
    const { postgres: keptPostgres, nats: keptNats } = folder;
    console.log(`starting PostgreSQL on port ${keptPostgres.port} and nats-server on port ${keptNats.port} ...`);
    const postgres = await startPostgres({ log_min_messages: 'warning' }, { kept: keptPostgres, isDetached: true });
    stops.push(() => postgres.stop());
    const nats = await startNats({ kept: keptNats, isDetached: true });
    stops.push(() => nats.stop());
    const environment = folder.environment ?? (await fillDatabase(folder, postgres.url, nats.url));
    await applyMigrations(environment);
    const migrations = watch(MIGRATIONS, () => void applyMigrations(environment));
    stops.push(async () => migrations.close());
    for (const [role, metricsPort] of Object.entries(ROLES)) {
      if (without.includes(role)) continue;
      const child = startRole(role, { ...environment, METRICS_PORT: String(metricsPort) });
      stops.push(() => stopProcess(child, 'SIGTERM'));
    }
    console.log(welcome(environment, folder.file));
    await stopped;
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

/** Applies new migrations. One that fails, because it is still being written, must not end the session. */
async function applyMigrations({ MIGRATE_DATABASE_URL }: DevEnvironment): Promise<void> {
  const owner = openPool({ url: MIGRATE_DATABASE_URL, applicationName: 'tankwatch dev' });
  try {
    await migrate(owner, { onApplied: (name) => console.log(`applied ${name}`) });
  } catch (error) {
    console.error(`migrate: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await owner.end();
  }
}

/** Starts a role. Node watches the files that the role has imported, so that a change restarts only the roles that it affects. */
function startRole(role: string, environment: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn(process.execPath, ['--watch', '--watch-preserve-output', MAIN, role], {
    env: { ...process.env, ...environment },
    detached: true, // Ctrl-C stops the roles one after the other, and not all at once
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const output of [child.stdout, child.stderr])
    createInterface({ input: output }).on('line', (line) => console.log(`${role.padEnd(7)} | ${line}`));
  return child;
}

const welcome = (environment: DevEnvironment, file: string): string => `
API:     ${environment.TANKWATCH_URL}, reference at ${environment.TANKWATCH_URL}/docs
Ingest:  http://127.0.0.1:${environment.GATEWAY_HTTP_PORT}/ingest/readings, MQTT on port ${environment.GATEWAY_MQTT_PORT}
Keys and addresses are in ${file}. To use them in another terminal:

  set -a; . ${file}; set +a
  curl -H "X-API-Key: $TANKWATCH_KEY" "$TANKWATCH_URL/v1/tanks?size=3"
  bin/tankwatch organizations list
`;

const { values } = parseArgs({
  options: { without: { type: 'string', multiple: true, default: [] }, help: { type: 'boolean', short: 'h' } },
});
const unknown = values.without.find((role) => !Object.hasOwn(ROLES, role));
if (values.help) {
  console.log(USAGE);
} else if (unknown !== undefined) {
  console.error(`there is no role ${unknown}\n\n${USAGE}`);
  process.exitCode = 2;
} else {
  await runDev(values.without);
}
