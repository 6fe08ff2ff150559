import type { Command } from 'commander';
import type { PgBackRest } from '../../recovery/pgbackrest.ts';
import { serverSystemUser } from '../../recovery/system_user.ts';
import { readPostgresPassword } from '../../settings/up_settings.ts';

export interface PgBackRestOptions {
  stanza: string;
  pgbackrestConfig?: string;
  user: string;
}

/** Adds the options that say how pgBackRest is called. */
export const addPgBackRestOptions = (command: Command): Command =>
  command
    .option('--stanza <name>', 'the stanza of pgBackRest', 'tankwatch')
    .option('--pgbackrest-config <file>', 'the configuration of pgBackRest (default: its own)')
    .option('--user <name>', 'if you are root: the user of PostgreSQL, who runs pgBackRest', 'postgres');

export const pgBackRestOf = async ({ stanza, pgbackrestConfig, user }: PgBackRestOptions): Promise<PgBackRest> => ({
  stanza,
  configFile: pgbackrestConfig,
  user: await serverSystemUser(user, process.env['PATH'] ?? '/usr/bin:/bin'),
  // The PostgreSQL of `init --database start` asks everybody for a password.
  password: process.env['PGPASSWORD'] || readPostgresPassword(process.env) || undefined,
});
