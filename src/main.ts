import { Command } from 'commander';
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
import { rejectedCommand } from './cli/rejected.ts';
import { simulateCommand } from './cli/simulate.ts';
import { streamCommand } from './cli/stream.ts';
import { tanksCommand } from './cli/tanks.ts';
import { telemetryCommand } from './cli/telemetry.ts';
import { webhooksCommand } from './cli/webhooks.ts';
import { roleCommands } from './roles.ts';
import { ConfigError } from './settings.ts';
import { StreamUnavailable } from './stream/unavailable.ts';
import { errorCode } from './values/error_code.ts';
import { UserError } from './values/user_error.ts';

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
  .addCommand(rejectedCommand())
  .addCommand(streamCommand())
  .addCommand(simulateCommand())
  .addCommand(openApiCommand());
for (const role of roleCommands()) program.addCommand(role);

/** A mistake of the operator's gets a sentence; anything else, being ours, its stack. */
function explain(error: unknown): unknown {
  const isExplained = error instanceof UserError || error instanceof ConfigError || error instanceof StreamUnavailable;
  if (isExplained) return `tankwatch: ${error.message}`;
  const code = errorCode(error) ?? '';
  if (code === 'EADDRINUSE')
    return 'tankwatch: the port is in use; choose another with API_PORT, GATEWAY_HTTP_PORT, GATEWAY_MQTT_PORT or METRICS_PORT.';
  if (code.startsWith('ERR_OSSL'))
    return `tankwatch: GATEWAY_TLS_CERT and GATEWAY_TLS_KEY do not hold a certificate and its key in PEM (${code}).`;
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
  process.exit(1); // a role that could not start may hold connections that would keep the process alive
}
