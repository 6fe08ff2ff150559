import { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { errorCode } from './values/error_code.ts';

type Load = () => Promise<Command>;

/** All commands, grouped by their purpose: those for operators, and one for each role. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'Daily work:': {
    customers: async () => (await import('./cli/customers.ts')).customersCommand(),
    tanks: async () => (await import('./cli/tanks/tanks.ts')).tanksCommand(),
    alerts: async () => (await import('./cli/alerts/alerts.ts')).alertsCommand(),
    notes: async () => (await import('./cli/notes.ts')).notesCommand(),
    rounds: async () => (await import('./cli/rounds.ts')).roundsCommand(),
    depots: async () => (await import('./cli/trucks.ts')).depotsCommand(),
    trucks: async () => (await import('./cli/trucks.ts')).trucksCommand(),
    drivers: async () => (await import('./cli/trucks.ts')).driversCommand(),
  },
  'People and access:': {
    organizations: async () => (await import('./cli/organizations/organizations.ts')).organizationsCommand(),
    contacts: async () => (await import('./cli/contacts.ts')).contactsCommand(),
    duty: async () => (await import('./cli/duty/duty.ts')).dutyCommand(),
    keys: async () => (await import('./cli/keys.ts')).keysCommand(),
    issuers: async () => (await import('./cli/issuers.ts')).issuersCommand(),
    webhooks: async () => (await import('./cli/webhooks.ts')).webhooksCommand(),
    notifications: async () => (await import('./cli/notifications.ts')).notificationsCommand(),
    audit: async () => (await import('./cli/audit.ts')).auditCommand(),
  },
  'Devices:': {
    devices: async () => (await import('./cli/devices/devices.ts')).devicesCommand(),
    connectors: async () => (await import('./cli/connectors/connectors.ts')).connectorsCommand(),
    gauges: async () => (await import('./cli/gauges/gauges.ts')).gaugesCommand(),
    rejected: async () => (await import('./cli/rejected.ts')).rejectedCommand(),
    simulate: async () => (await import('./cli/simulate.ts')).simulateCommand(),
  },
  'Data:': {
    import: async () => (await import('./cli/import/import.ts')).importCommand(),
    imports: async () => (await import('./cli/imports.ts')).importsCommand(),
    telemetry: async () => (await import('./cli/telemetry/telemetry.ts')).telemetryCommand(),
    weather: async () => (await import('./cli/weather.ts')).weatherCommand(),
    evaluation: async () => (await import('./cli/evaluation.ts')).evaluationCommand(),
    openapi: async () => (await import('./cli/openapi.ts')).openApiCommand(),
  },
  'Set up and run:': {
    init: async () => (await import('./cli/init.ts')).initCommand(),
    up: async () => (await import('./cli/up.ts')).upCommand(),
    config: async () => (await import('./cli/config.ts')).configCommand(),
    upgrade: async () => (await import('./cli/upgrade.ts')).upgradeCommand(),
    migrate: async () => (await import('./cli/migrate.ts')).migrateCommand(),
    status: async () => (await import('./cli/status.ts')).statusCommand(),
    doctor: async () => (await import('./cli/doctor.ts')).doctorCommand(),
    stream: async () => (await import('./cli/stream.ts')).streamCommand(),
    secrets: async () => (await import('./cli/secrets.ts')).secretsCommand(),
    api: async () => (await import('./roles.ts')).roleCommand('api'),
    gateway: async () => (await import('./roles.ts')).roleCommand('gateway'),
    writer: async () => (await import('./roles.ts')).roleCommand('writer'),
    worker: async () => (await import('./roles.ts')).roleCommand('worker'),
    connector: async () => (await import('./roles.ts')).roleCommand('connector'),
    all: async () => (await import('./roles.ts')).roleCommand('all'),
    completion: async () => (await import('./cli/completion.ts')).completionCommand(),
  },
  'Recover:': {
    backup: async () => (await import('./cli/backup.ts')).backupCommand(),
    restore: async () => (await import('./cli/restore.ts')).restoreCommand(),
    removals: async () => (await import('./cli/removals.ts')).removalsCommand(),
  },
};

/**
 * Loads the command that the arguments name. Loads all commands for completion, for the help and for the message about an
 * unknown command, and none for the version.
 */
async function loadProgram(args: readonly string[]): Promise<Command> {
  const [name = ''] = args;
  const program = new Command('tankwatch')
    .description('Tank monitoring for gas distributors: forecasts, alerts and an exact API on your own PostgreSQL.')
    .version(packageJson.version, '--version', 'print the version');
  if (name === '--version') return program;
  const loadsOne = name !== 'completion' && Object.values(GROUPS).some((group) => Object.hasOwn(group, name));
  for (const [heading, group] of Object.entries(GROUPS)) {
    const wanted = Object.entries(group).filter(([candidate]) => !loadsOne || candidate === name);
    program.commandsGroup(heading);
    for (const command of await Promise.all(wanted.map(([, load]) => load()))) program.addCommand(command);
  }
  const { readSettingsFirst } = await import('./cli/options/settings.ts');
  readSettingsFirst(program);
  explainMistakes(program, args.includes('--json'));
  return program;
}

/** Sets how mistakes are explained, for every command, because a command does not inherit it from its parent. */
function explainMistakes(command: Command, asJson: boolean): void {
  if (asJson) command.configureOutput({ outputError: (text, write) => write(`${jsonOf(text)}\n`) });
  else command.showHelpAfterError('(add --help for the options and an example)');
  for (const sub of command.commands) explainMistakes(sub, asJson);
}

const jsonOf = (text: string): string => JSON.stringify({ error: text.replace(/^(tankwatch|error): /, '').trim() });

/**
 * This is the only place that reads argv. All commands take 0.6 s of CPU to load, and one takes 0.1 to 0.4 s, so only the
 * command that was typed is loaded. A test that imports this file gets all commands.
 */
const args = import.meta.main ? process.argv.slice(2) : [];
export const program = await loadProgram(args);

if (import.meta.main) {
  // The reader of a pipe may close it early, as `head` does. This process then ends as if by SIGPIPE.
  process.stdout.on('error', (error) => process.exit(errorCode(error) === 'EPIPE' ? 141 : 1));
  try {
    await program.parseAsync();
    // A server that hangs leaves connections behind that would keep the process running. Waiting output is written first.
    setInterval(() => process.stdout.writableLength === 0 && process.exit(), 1_000).unref();
  } catch (error) {
    const explained = (await import('./cli/explain_error.ts')).explain(error);
    console.error(args.includes('--json') ? jsonOf(String(explained)) : explained);
    process.exit(1); // a role that failed to start may hold connections that keep the process alive
  }
}
