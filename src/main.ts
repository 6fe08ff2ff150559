import { Command } from 'commander';
import { type Logger, pino } from 'pino';
import { Refusal } from './catalog/refusal.ts';
import { alertsCommand } from './cli/alerts.ts';
import { auditCommand } from './cli/audit.ts';
import { contactsCommand } from './cli/contacts.ts';
import { customersCommand } from './cli/customers.ts';
import { devicesCommand } from './cli/devices.ts';
import { doctorCommand } from './cli/doctor.ts';
import { keysCommand } from './cli/keys.ts';
import { migrateCommand } from './cli/migrate.ts';
import { openApiCommand } from './cli/openapi.ts';
import { organizationsCommand } from './cli/organizations.ts';
import { tanksCommand } from './cli/tanks.ts';
import { telemetryCommand } from './cli/telemetry.ts';
import { webhooksCommand } from './cli/webhooks.ts';
import { ConfigError, type LogLevel, readApiConfig, readWorkerConfig } from './config.ts';

/** The only reader of argv: roles and operator's commands by name. */
const program = new Command('tankwatch')
  .description('Tank monitoring: readings in without losing one, exact lists out at any depth.')
  .showHelpAfterError('(add --help for the options and an example)')
  .addCommand(migrateCommand())
  .addCommand(organizationsCommand())
  .addCommand(customersCommand())
  .addCommand(tanksCommand())
  .addCommand(telemetryCommand())
  .addCommand(keysCommand())
  .addCommand(devicesCommand())
  .addCommand(alertsCommand())
  .addCommand(webhooksCommand())
  .addCommand(contactsCommand())
  .addCommand(auditCommand())
  .addCommand(doctorCommand())
  .addCommand(apiCommand())
  .addCommand(workerCommand())
  .addCommand(openApiCommand());

/** Lines are gathered and written each second or 4 KiB, and when the process ends: a write per request costs 3 %. */
function createLogger(role: string, level: LogLevel): Logger {
  const destination = pino.destination({ sync: false, minLength: 4_096, periodicFlush: 1_000 });
  return pino({ level, base: { role } }, destination);
}

function apiCommand(): Command {
  return new Command('api')
    .description('serve the read interface until SIGTERM')
    .addHelpText(
      'after',
      '\nExample:\n  API_DATABASE_URL=postgres://api:password@localhost/tankwatch API_PORT=8080 tankwatch api',
    )
    .action(async () => {
      const config = readApiConfig(process.env);
      // Loaded here and not above: the other commands should not wait for a web server to load.
      const { serveApi } = await import('./api/serve.ts');
      const api = await serveApi(config, createLogger('api', config.logLevel));
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void api.close());
    });
}

function workerCommand(): Command {
  return new Command('worker')
    .description('tell of events by webhook and mail, and keep partitions, until SIGTERM')
    .addHelpText(
      'after',
      '\nExample:\n  WORKER_DATABASE_URL=postgres://worker:password@localhost/tankwatch tankwatch worker',
    )
    .action(async () => {
      const config = readWorkerConfig(process.env);
      const { serveWorker } = await import('./worker/serve.ts');
      const worker = await serveWorker(config, createLogger('worker', config.logLevel));
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void worker.close());
    });
}

/** A mistake of the operator's gets a sentence; anything else, being ours, its stack. */
function explain(error: unknown): unknown {
  if (error instanceof Refusal || error instanceof ConfigError) return `tankwatch: ${error.message}`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'EADDRINUSE') return 'tankwatch: the port is in use; choose another with API_PORT.';
  if (/^(28|3D000)/.test(code)) {
    return `tankwatch: the database refuses the login (${code}); check user, password and database in DATABASE_URL, or in the variable of this role.`;
  }
  if (/^(ECONN|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT|57P03)/.test(code)) {
    return `tankwatch: cannot reach the database (${code}); is it running, and is its address in DATABASE_URL right?`;
  }
  return error;
}

try {
  await program.parseAsync();
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
