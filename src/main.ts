import { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { explain } from './cli/explain_error.ts';
import { readSettingsFirst } from './cli/options/settings.ts';
import { errorCode } from './values/error_code.ts';

export { explain };

/** All commands: those for operators, and one for each role. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  init: async () => (await import('./cli/init.ts')).initCommand(),
  up: async () => (await import('./cli/up.ts')).upCommand(),
  config: async () => (await import('./cli/config.ts')).configCommand(),
  migrate: async () => (await import('./cli/migrate.ts')).migrateCommand(),
  organizations: async () => (await import('./cli/organizations.ts')).organizationsCommand(),
  customers: async () => (await import('./cli/customers.ts')).customersCommand(),
  tanks: async () => (await import('./cli/tanks/tanks.ts')).tanksCommand(),
  notes: async () => (await import('./cli/notes.ts')).notesCommand(),
  import: async () => (await import('./cli/import/import.ts')).importCommand(),
  imports: async () => (await import('./cli/imports.ts')).importsCommand(),
  secrets: async () => (await import('./cli/secrets.ts')).secretsCommand(),
  telemetry: async () => (await import('./cli/telemetry/telemetry.ts')).telemetryCommand(),
  keys: async () => (await import('./cli/keys.ts')).keysCommand(),
  devices: async () => (await import('./cli/devices/devices.ts')).devicesCommand(),
  gauges: async () => (await import('./cli/gauges.ts')).gaugesCommand(),
  alerts: async () => (await import('./cli/alerts/alerts.ts')).alertsCommand(),
  evaluation: async () => (await import('./cli/evaluation.ts')).evaluationCommand(),
  weather: async () => (await import('./cli/weather.ts')).weatherCommand(),
  notifications: async () => (await import('./cli/notifications.ts')).notificationsCommand(),
  webhooks: async () => (await import('./cli/webhooks.ts')).webhooksCommand(),
  contacts: async () => (await import('./cli/contacts.ts')).contactsCommand(),
  depots: async () => (await import('./cli/transport.ts')).depotsCommand(),
  trucks: async () => (await import('./cli/transport.ts')).trucksCommand(),
  drivers: async () => (await import('./cli/transport.ts')).driversCommand(),
  rounds: async () => (await import('./cli/rounds.ts')).roundsCommand(),
  issuers: async () => (await import('./cli/issuers.ts')).issuersCommand(),
  audit: async () => (await import('./cli/audit.ts')).auditCommand(),
  doctor: async () => (await import('./cli/doctor.ts')).doctorCommand(),
  removals: async () => (await import('./cli/removals.ts')).removalsCommand(),
  backup: async () => (await import('./cli/backup.ts')).backupCommand(),
  restore: async () => (await import('./cli/restore.ts')).restoreCommand(),
  rejected: async () => (await import('./cli/rejected.ts')).rejectedCommand(),
  stream: async () => (await import('./cli/stream.ts')).streamCommand(),
  simulate: async () => (await import('./cli/simulate.ts')).simulateCommand(),
  openapi: async () => (await import('./cli/openapi.ts')).openApiCommand(),
  api: async () => (await import('./roles.ts')).roleCommand('api'),
  gateway: async () => (await import('./roles.ts')).roleCommand('gateway'),
  writer: async () => (await import('./roles.ts')).roleCommand('writer'),
  worker: async () => (await import('./roles.ts')).roleCommand('worker'),
  all: async () => (await import('./roles.ts')).roleCommand('all'),
};

/**
 * Loads the command with this name. Without a known name all commands are loaded, for the help and for the message
 * about an unknown command.
 */
async function loadProgram(name = ''): Promise<Command> {
  const program = new Command('tankwatch')
    .description('Tank monitoring for gas distributors: forecasts, alerts and an exact API on your own PostgreSQL.')
    .version(packageJson.version, '--version', 'print the version');
  const only = COMMANDS[name];
  const loaded = await Promise.all((only === undefined ? Object.values(COMMANDS) : [only]).map((load) => load()));
  for (const command of loaded) program.addCommand(command);
  readSettingsFirst(program);
  showHelpHint(program);
  return program;
}

/** Sets the hint for every command, because a command does not inherit it from its parent. */
function showHelpHint(command: Command): void {
  command.showHelpAfterError('(add --help for the options and an example)');
  for (const sub of command.commands) showHelpHint(sub);
}

/**
 * This is the only place that reads argv. All commands take 0.6 s of CPU to load and one takes 0.1 to 0.4, so only the one that
 * was typed is loaded. A test that imports this file gets all.
 */
export const program = await loadProgram(import.meta.main ? process.argv[2] : undefined);

// Tests import this file to read the commands.
if (import.meta.main) {
  // The reader of a pipe may close it early, as `head` does. This process then ends as if by SIGPIPE.
  process.stdout.on('error', (error) => process.exit(errorCode(error) === 'EPIPE' ? 141 : 1));
  try {
    await program.parseAsync();
  } catch (error) {
    console.error(explain(error));
    process.exit(1); // a role that failed to start may hold connections that keep the process alive
  }
}
