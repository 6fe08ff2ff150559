import { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { alertsCommand } from './cli/alerts.ts';
import { auditCommand } from './cli/audit.ts';
import { configCommand } from './cli/config.ts';
import { contactsCommand } from './cli/contacts.ts';
import { customersCommand } from './cli/customers.ts';
import { devicesCommand } from './cli/devices.ts';
import { doctorCommand } from './cli/doctor.ts';
import { explain } from './cli/explain_error.ts';
import { importCommand } from './cli/import.ts';
import { initCommand } from './cli/init.ts';
import { issuersCommand } from './cli/issuers.ts';
import { keysCommand } from './cli/keys.ts';
import { migrateCommand } from './cli/migrate.ts';
import { openApiCommand } from './cli/openapi.ts';
import { organizationsCommand } from './cli/organizations.ts';
import { rejectedCommand } from './cli/rejected.ts';
import { removalsCommand } from './cli/removals.ts';
import { restoreCommand } from './cli/restore.ts';
import { secretsCommand } from './cli/secrets.ts';
import { readSettingsFirst } from './cli/settings_option.ts';
import { simulateCommand } from './cli/simulate.ts';
import { streamCommand } from './cli/stream.ts';
import { tanksCommand } from './cli/tanks.ts';
import { telemetryCommand } from './cli/telemetry.ts';
import { upCommand } from './cli/up.ts';
import { weatherCommand } from './cli/weather.ts';
import { webhooksCommand } from './cli/webhooks.ts';
import { roleCommands } from './roles.ts';
import { errorCode } from './values/error_code.ts';

export { explain };

/** All commands: those for operators, and one for each role. This is the only place that reads argv. */
export const program = new Command('tankwatch')
  .description('Tank monitoring for gas distributors: forecasts, alerts and an exact API on your own PostgreSQL.')
  .version(packageJson.version, '--version', 'print the version')
  .addCommand(initCommand())
  .addCommand(upCommand())
  .addCommand(configCommand())
  .addCommand(migrateCommand())
  .addCommand(organizationsCommand())
  .addCommand(customersCommand())
  .addCommand(tanksCommand())
  .addCommand(importCommand())
  .addCommand(secretsCommand())
  .addCommand(telemetryCommand())
  .addCommand(keysCommand())
  .addCommand(devicesCommand())
  .addCommand(alertsCommand())
  .addCommand(weatherCommand())
  .addCommand(webhooksCommand())
  .addCommand(contactsCommand())
  .addCommand(issuersCommand())
  .addCommand(auditCommand())
  .addCommand(doctorCommand())
  .addCommand(removalsCommand())
  .addCommand(restoreCommand())
  .addCommand(rejectedCommand())
  .addCommand(streamCommand())
  .addCommand(simulateCommand())
  .addCommand(openApiCommand());
for (const role of roleCommands()) program.addCommand(role);
readSettingsFirst(program);
showHelpHint(program);

/** Of every command: a command does not inherit it from the one that it is added to. */
function showHelpHint(command: Command): void {
  command.showHelpAfterError('(add --help for the options and an example)');
  for (const sub of command.commands) showHelpHint(sub);
}

// Not when a test imports this file to read the commands.
if (import.meta.main) {
  // The reader of a pipe may have seen enough, such as `head`. Then this process ends as if SIGPIPE had ended it.
  process.stdout.on('error', (error) => process.exit(errorCode(error) === 'EPIPE' ? 141 : 1));
  try {
    await program.parseAsync();
  } catch (error) {
    console.error(explain(error));
    process.exit(1); // a role that failed to start may hold connections that keep the process alive
  }
}
