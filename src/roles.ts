import { Command } from 'commander';
import { type Logger, pino } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import {
  type LogLevel,
  readApiConfig,
  readGatewayConfig,
  readMetricsConfig,
  readWorkerConfig,
  readWriterConfig,
} from './config.ts';
import { serveMetrics } from './health/metrics_server.ts';

/** Part of a process: it runs until it is closed. */
interface Running {
  notReadyReasons?: () => Promise<readonly string[]>;
  close(): Promise<void>;
}

/** The roles are loaded when they are asked for: an operator's command should not wait for a web server to load. */
const START = {
  async api(): Promise<Running> {
    const config = readApiConfig(process.env);
    const { serveApi } = await import('./api/serve.ts');
    return serveApi(config, createLogger('api', config.logLevel));
  },
  async gateway(registry: Registry): Promise<Running> {
    const config = readGatewayConfig(process.env);
    const { serveGateway } = await import('./gateway/serve.ts');
    return serveGateway(config, createLogger('gateway', config.logLevel), registry);
  },
  async writer(registry: Registry): Promise<Running> {
    const config = readWriterConfig(process.env);
    const { serveWriter } = await import('./writer/serve.ts');
    return serveWriter(config, createLogger('writer', config.logLevel), registry);
  },
  async worker(): Promise<Running> {
    const config = readWorkerConfig(process.env);
    const { serveWorker } = await import('./worker/serve.ts');
    return serveWorker(config, createLogger('worker', config.logLevel));
  },
};
type Role = keyof typeof START;

export function roleCommands(): Command[] {
  return [
    roleCommand('api', ['api'], 'serve the read interface until SIGTERM', 'API_DATABASE_URL=... API_PORT=8080'),
    roleCommand('gateway', ['gateway'], 'take readings in over MQTT and HTTP', 'GATEWAY_DATABASE_URL=... NATS_URL=...'),
    roleCommand('writer', ['writer'], 'bring readings from the stream into the database', 'WRITER_DATABASE_URL=...'),
    roleCommand(
      'worker',
      ['worker'],
      'tell of events by webhook and mail, and keep partitions',
      'WORKER_DATABASE_URL=...',
    ),
    roleCommand(
      'all',
      ['api', 'writer', 'gateway', 'worker'],
      'everything in one process',
      'DATABASE_URL=... NATS_URL=...',
    ),
  ];
}

function roleCommand(name: string, roles: readonly Role[], description: string, settings: string): Command {
  return new Command(name)
    .description(description)
    .addHelpText('after', `\nExample:\n  ${settings} tankwatch ${name}`)
    .action(() => runRoles(roles));
}

/** Starts the roles one after the other, and stops them in the opposite order: who takes in stops before who stores. */
async function runRoles(roles: readonly Role[]): Promise<void> {
  const stopping = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const running = new Map<Role, Running>();
  const metrics = await startMetrics(registry, roles, running);
  const starting = (async (): Promise<'started'> => {
    for (const role of roles) running.set(role, await START[role](registry));
    return 'started';
  })();
  const first = await Promise.race([starting, stopping]);
  if (first === 'started') await stopping;
  for (const role of [...running.values()].toReversed()) await role.close();
  await metrics?.close();
  // What waits for its database or nats-server to come would go on waiting.
  if (first !== 'started') process.exit(0);
}

/** Several processes on one machine need a port each; who did not choose one should not fail for it. */
async function startMetrics(
  registry: Registry,
  roles: readonly Role[],
  running: ReadonlyMap<Role, Running>,
): Promise<Running | undefined> {
  const { port, isChosen } = readMetricsConfig(process.env);
  const problemsOf = async (role: Role): Promise<string[]> => {
    const one = running.get(role);
    const found = one === undefined ? ['starting'] : ((await one.notReadyReasons?.()) ?? []);
    return found.map((obstacle) => `${role}: ${obstacle}`);
  };
  const notReadyReasons = async (): Promise<string[]> => (await Promise.all(roles.map(problemsOf))).flat();
  try {
    return await serveMetrics(registry, port, notReadyReasons);
  } catch (error) {
    if (isChosen) throw error;
    console.error(`tankwatch: no metrics, because port ${port} is in use; choose another with METRICS_PORT.`);
    return undefined;
  }
}

/** Lines are gathered and written each second or 4 KiB, and when the process ends: a write per request costs 3 %. */
function createLogger(role: string, level: LogLevel): Logger {
  const destination = pino.destination({ sync: false, minLength: 4_096, periodicFlush: 1_000 });
  return pino({ level, base: { role } }, destination);
}
