import { Command } from 'commander';
import { type Logger, pino } from 'pino';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import packageJson from '../package.json' with { type: 'json' };
import type { DatabaseRole } from './db/login_rights.ts';
import { EventLoopWatch } from './health/event_loop_watch.ts';
import { createLogger } from './health/logger.ts';
import { serveMetrics } from './health/metrics_server.ts';
import { openProblems, reportTogether } from './health/outage.ts';
import type { NotReadyReasons } from './health/readiness.ts';
import { sharedMetrics } from './health/shared_metrics.ts';
import { readApiConfig } from './settings/api_settings.ts';
import { readConnectorConfig } from './settings/connector_settings.ts';
import { readGatewayConfig } from './settings/gateway_settings.ts';
import { findSharedPorts } from './settings/listeners.ts';
import { type LogLevel, readLogLevel, readMetricsConfig } from './settings/role_settings.ts';
import { findSettingProblems, findUnknownSettings } from './settings/setting_list.ts';
import { ConfigError } from './settings/setting_reader.ts';
import { readWorkerConfig } from './settings/worker_settings.ts';
import { readWriterConfig } from './settings/writer_settings.ts';
import { errorCode } from './values/error_code.ts';

interface RunningRole {
  notReadyReasons: NotReadyReasons;
  /** Present only for roles behind a load balancer. */
  drain?: () => Promise<void>;
  close(): Promise<void>;
}

/** Roles are imported when they start, so that other commands do not load a web server. */
const START = {
  async api(logger: Logger, registry: Registry): Promise<RunningRole> {
    const config = readApiConfig(process.env);
    const { serveApi } = await import('./api/serve.ts');
    void warnOfExcessRights('api', config.databaseUrl, logger);
    if (config.manage !== null) void warnOfExcessRights('manager', config.manage.databaseUrl, logger);
    return serveApi(config, logger, registry);
  },
  async gateway(logger: Logger, registry: Registry): Promise<RunningRole> {
    const config = readGatewayConfig(process.env);
    const { serveGateway } = await import('./gateway/serve.ts');
    void warnOfExcessRights('gateway', config.databaseUrl, logger);
    return serveGateway(config, logger, registry);
  },
  async writer(logger: Logger, registry: Registry): Promise<RunningRole> {
    const config = readWriterConfig(process.env);
    const { serveWriter } = await import('./writer/serve.ts');
    void warnOfExcessRights('writer', config.databaseUrl, logger);
    return serveWriter(config, logger, registry);
  },
  async worker(logger: Logger, registry: Registry): Promise<RunningRole> {
    const config = readWorkerConfig(process.env);
    const { serveWorker } = await import('./worker/serve.ts');
    void warnOfExcessRights('worker', config.databaseUrl, logger);
    return serveWorker(config, logger, registry);
  },
  async connector(logger: Logger, registry: Registry): Promise<RunningRole> {
    const config = readConnectorConfig(process.env);
    const { serveConnector } = await import('./connector/serve.ts');
    void warnOfExcessRights('worker', config.databaseUrl, logger);
    return serveConnector(config, logger, registry);
  },
};
type Role = keyof typeof START;

/** The roles of each command, and its help. */
const ROLE_COMMANDS = {
  api: {
    roles: ['api'],
    description: 'serve the HTTP API and the console (/v1, /fleet/v1, /manage/v1, /console)',
    settings: 'API_DATABASE_URL=... API_PORT=8080',
  },
  gateway: {
    roles: ['gateway'],
    description: 'receive readings over MQTT and HTTP',
    settings: 'GATEWAY_DATABASE_URL=... NATS_URL=...',
  },
  writer: {
    roles: ['writer'],
    description: 'store readings from the stream in the database and evaluate them',
    settings: 'WRITER_DATABASE_URL=...',
  },
  worker: {
    roles: ['worker'],
    description: 'send webhooks, mails and texts about events, and do maintenance',
    settings: 'WORKER_DATABASE_URL=...',
  },
  connector: {
    roles: ['connector'],
    description: 'request readings from clouds, receive those of brokers, and publish them to the stream',
    settings: 'CONNECTOR_DATABASE_URL=... NATS_URL=...',
  },
  all: {
    roles: ['api', 'writer', 'gateway', 'worker', 'connector'],
    description: 'run all roles in one process',
    settings: 'DATABASE_URL=... NATS_URL=...',
  },
} as const satisfies Record<string, { roles: readonly Role[]; description: string; settings: string }>;

/** The roles in the order in which they start. */
export const ROLES_IN_ORDER = ROLE_COMMANDS.all.roles;

export function roleCommand(name: keyof typeof ROLE_COMMANDS): Command {
  const { roles, description, settings } = ROLE_COMMANDS[name];
  return new Command(name)
    .description(description)
    .addHelpText('after', `\nExample:\n  ${settings} tankwatch ${name}`)
    .action(async () => {
      const stopping = new Promise<void>((resolve) => {
        for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
      });
      await runRoles(roles, stopping);
      // A role that waits for its database or nats-server, or a connection that hangs, would keep the process running.
      process.exit(0);
    });
}

/**
 * Starts the roles in order and stops them in reverse order, so that producers stop before consumers. `onStarting` gets
 * a function that returns why roles are not ready.
 */
export async function runRoles(
  roles: readonly Role[],
  stopping: Promise<void>,
  onStarting: (notReadyReasons: NotReadyReasons) => void = () => {},
): Promise<void> {
  // The settings of all roles are checked before the first role starts.
  const problems = findSettingProblems(process.env, roles).map(({ problem }) => problem);
  if (problems.length === 0 && roles.length > 1) problems.push(...findSharedPorts(process.env));
  if (problems.length > 0) throw new ConfigError(problems);
  for (const unknown of findUnknownSettings(process.env)) console.error(`tankwatch: ${unknown}`);
  const registry = new Registry();
  collectNodeMetrics(registry);
  const level = readLogLevel(process.env);
  const loggers = new Map(roles.map((role) => [role, bufferedLogger(role, level)]));
  reportTogether([...loggers.values()]);
  const running = new Map<Role, RunningRole>();
  const reasonsOf = async ([role, logger]: [Role, Logger]): Promise<string[]> => {
    const started = running.get(role);
    const reasons = started === undefined ? ['starting', ...openProblems(logger)] : await started.notReadyReasons();
    return reasons.map((reason) => `${role}: ${reason}`);
  };
  const { watchEventLoop, watchRole } = sharedMetrics(registry);
  for (const entry of loggers) watchRole(entry[0], async () => (await reasonsOf(entry)).length === 0);
  const notReadyReasons = async (): Promise<string[]> => (await Promise.all([...loggers].map(reasonsOf))).flat();
  const metrics = await startMetrics(registry, notReadyReasons);
  onStarting(notReadyReasons);
  const starting = (async (): Promise<'started'> => {
    for (const [role, logger] of loggers) running.set(role, await START[role](logger, registry));
    // Started after the code of the roles is loaded, which takes about 100 ms.
    const watch = new EventLoopWatch();
    for (const role of roles) watchEventLoop(role, watch);
    return 'started';
  })();
  const first = await Promise.race([starting, stopping]);
  if (first === 'started') await stopping;
  // All roles drain at the same time, so that a process with all roles does not wait for one after another.
  await Promise.all([...running.values()].map(async (role) => role.drain?.()));
  for (const role of [...running.values()].toReversed()) await role.close();
  await metrics?.close();
}

/**
 * Collects the metrics of Node without prom-client's histogram of the event loop. EventLoopWatch measures the same, and
 * each of the two would wake an idle process all the time.
 */
function collectNodeMetrics(registry: Registry): void {
  const build = new Gauge({
    name: 'tankwatch_build_info',
    help: 'Always 1; the label has the release.',
    labelNames: ['version'],
    registers: [registry],
  });
  build.set({ version: packageJson.version }, 1);
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 86_400_000 });
  for (const value of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'])
    registry.removeSingleMetric(`nodejs_eventloop_lag_${value}_seconds`);
}

/** Serves metrics. If METRICS_PORT is not set, the role also starts without them while another process has the default port. */
async function startMetrics(
  registry: Registry,
  notReadyReasons: NotReadyReasons,
): Promise<Pick<RunningRole, 'close'> | undefined> {
  const { host, port, isChosen } = readMetricsConfig(process.env);
  try {
    return await serveMetrics(registry, { host, port }, notReadyReasons);
  } catch (error) {
    if (isChosen || errorCode(error) !== 'EADDRINUSE') throw error;
    console.error(
      `tankwatch: metrics are not served because port ${port} is in use; set METRICS_PORT to another port.`,
    );
    return undefined;
  }
}

/** Log lines are buffered and written every second, every 4 KiB and at exit: a write per request costs 3 % CPU. */
function bufferedLogger(role: string, level: LogLevel): Logger {
  return createLogger(role, level, pino.destination({ sync: false, minLength: 4_096, periodicFlush: 1_000 }));
}

const RIGHTS_RETRY_MS = 10_000;

/** Logs once if the login of a role has more rights than the role needs. Waits until the database can be reached. */
async function warnOfExcessRights(role: DatabaseRole, databaseUrl: string, logger: Logger): Promise<void> {
  const [{ excessRights, loginRemedy }, { openPool }] = await Promise.all([
    import('./db/login_rights.ts'),
    import('./db/pool.ts'),
  ]);
  const pool = openPool({
    url: databaseUrl,
    applicationName: `tankwatch ${role} start`,
    maxConnections: 1,
    statementTimeoutMs: 10_000,
  });
  try {
    const reasons = await excessRights(pool, role);
    if (reasons.length > 0) {
      const remedy = loginRemedy(role);
      logger.warn({ reasons, remedy }, `the database login of the ${role} has more rights than it needs`);
    }
  } catch (error) {
    logger.debug({ err: error }, 'the rights of the database login could not be read; trying again');
    setTimeout(() => void warnOfExcessRights(role, databaseUrl, logger), RIGHTS_RETRY_MS).unref();
  } finally {
    await pool.end();
  }
}
