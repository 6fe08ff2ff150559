import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { migrate } from '../db/migrate.ts';
import { withPool } from '../db/with_pool.ts';
import type { NotReadyReasons } from '../health/readiness.ts';
import { ROLES_IN_ORDER, runRoles } from '../roles.ts';
import { readApiConfig } from '../settings/api_settings.ts';
import { readGatewayConfig } from '../settings/gateway_settings.ts';
import { readMetricsConfig } from '../settings/role_settings.ts';
import { findSettingsFile } from '../settings/settings_file.ts';
import { readUpConfig, type UpConfig } from '../settings/up_settings.ts';
import { isConsoleOutdated } from '../setup/build_console.ts';
import { isFreePort } from '../setup/first_free_port.ts';
import { startOwnNats, startOwnPostgres } from '../setup/own_servers.ts';
import { reasonOf } from '../values/error_reason.ts';
import { UserError } from '../values/user_error.ts';
import { readCommand } from './command.ts';
import { describeRunning, signInLink, welcome } from './welcome.ts';

/**
 * After this time, `up` prints what is not ready. It continues to wait, because a database may be recovering.
 */
const READY_MS = 30_000;
const POLL_MS = 200;
const FREE_PORT_MS = 5_000;

export function upCommand(): Command {
  return readCommand(
    'up',
    'run everything on one machine: the servers of `tankwatch init`, pending migrations, and all roles in one process',
    'up',
  )
    .option('--no-link', 'print no link to sign in, for a service whose output is logged')
    .action(up);
}

async function up(options: { json?: boolean; link: boolean }): Promise<void> {
  const startMs = performance.now();
  const file = findSettingsFile(process.env);
  if (file === undefined) throw new UserError('there is no settings file yet; create one with: tankwatch init');
  if (!file.isReadable) throw new UserError(`your user cannot read ${file.path}; use sudo.`);
  // In a terminal, only warnings are logged, because every request would be a line. A service logs requests.
  if (process.stdout.isTTY) process.env = { LOG_LEVEL: 'warn', ...process.env };
  const config = readUpConfig(process.env);
  const stopping = new Promise<void>((resolve) => {
    // `on`, not `once`: npm sends the signal of Ctrl-C a second time. It must not end the process before the servers stop.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
  await assertPortsAreFree(config, file.path);
  const say = (line: string): void => console.error(`tankwatch: ${line}`);
  if (await isConsoleOutdated()) say('the console is older than this release; build it again: npm run build:console');
  await using servers = new AsyncDisposableStack();
  if (config.postgres) servers.adopt(await startOwnPostgres(config.postgres, say), (server) => server.stop());
  if (config.nats) servers.adopt(await startOwnNats(config.nats, say), (server) => server.stop());
  await updateDatabase(config, say);
  await runRoles(ROLES_IN_ORDER, stopping, (reasons) => {
    const announce = async (): Promise<void> => {
      await untilReady(reasons, say);
      const seconds = (performance.now() - startMs) / 1_000;
      const link = options.link ? await signInLink(process.env) : undefined;
      const running = describeRunning(process.env, link);
      console.log(options.json ? JSON.stringify({ seconds, ...running }) : welcome(running, seconds, file.path));
    };
    void announce().catch((error: unknown) => say(`no link to sign in: ${reasonOf(error)}`));
  });
  await servers.disposeAsync();
  process.exit(0); // a connection that hangs would keep the process running
}

/**
 * Throws if a port is in use. Call it before anything starts, because a running server would answer in place of the one
 * that cannot start. Waits up to 5 seconds, so that the servers of a killed `up` can end.
 */
async function assertPortsAreFree({ nats, postgres }: UpConfig, file: string): Promise<void> {
  const [api, gateway] = [readApiConfig(process.env), readGatewayConfig(process.env)];
  const metrics = readMetricsConfig(process.env);
  const ports = {
    API_PORT: api.port,
    GATEWAY_HTTP_PORT: gateway.httpPort,
    GATEWAY_MQTT_PORT: gateway.mqttPort,
    NATS_PORT: nats?.port ?? 0,
    POSTGRES_PORT: postgres?.port ?? 0,
    METRICS_PORT: metrics.isChosen ? metrics.port : 0,
  };
  const deadlineMs = performance.now() + FREE_PORT_MS;
  for (const [name, port] of Object.entries(ports).filter(([, chosen]) => chosen > 0)) {
    while (!(await isFreePort(port))) {
      if (performance.now() > deadlineMs)
        throw new UserError(
          `port ${port} (${name}) is in use; stop the program that uses it, such as another \`tankwatch up\`, or change ${name} ` +
            `in ${file}.`,
        );
      await sleep(POLL_MS);
    }
  }
}

async function updateDatabase({ databaseUrl, cellNumber }: UpConfig, say: (line: string) => void): Promise<void> {
  const address = { url: databaseUrl, setting: 'MIGRATE_DATABASE_URL', applicationName: 'tankwatch up' };
  await withPool(address, (owner) => migrate(owner, { cellNumber, onApplied: (name) => say(`applied ${name}`) }));
}

/** Resolves when all roles are ready. After `READY_MS`, it prints once what is missing. */
async function untilReady(notReadyReasons: NotReadyReasons, say: (line: string) => void): Promise<void> {
  let sayAtMs = performance.now() + READY_MS;
  for (;;) {
    const reasons = await notReadyReasons();
    if (reasons.length === 0) return;
    if (performance.now() > sayAtMs) {
      say(`not ready after ${READY_MS / 1_000} seconds: ${reasons.join('; ')}`);
      sayAtMs = Number.POSITIVE_INFINITY;
    }
    await sleep(POLL_MS);
  }
}
