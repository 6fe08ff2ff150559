import { Command } from 'commander';
import { migrate, migrationState, readMigrations } from '../db/migrate.ts';
import { assertMayMigrate } from '../db/migrate_rights.ts';
import { withPool } from '../db/with_pool.ts';
import { readMigrateConfig } from '../settings/command_settings.ts';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('update the database to this release: tables, functions, roles and grants')
    .option('--dry-run', 'only list pending migrations')
    .option('--json', 'print one line of JSON')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://owner:password@localhost/tankwatch tankwatch migrate')
    .action(({ dryRun: isDryRun, json }: { dryRun?: boolean; json?: boolean }) => {
      const { databaseUrl: url, databaseSetting: setting, cellNumber } = readMigrateConfig(process.env);
      return withPool({ url, setting, applicationName: 'tankwatch migrate' }, async (pool) => {
        const before = await migrationState(pool, await readMigrations());
        const names = before.pending.map((migration) => migration.name);
        if (!isDryRun) {
          await assertMayMigrate(pool);
          const print = (line: string): void => {
            if (!json) console.log(line);
          };
          await migrate(pool, {
            cellNumber,
            onApplied: (name) => print(`applied ${name}`),
            onRetry: (name) => print(`${name} waits for another transaction and is repeated`),
          });
        }
        if (json) console.log(JSON.stringify({ [isDryRun ? 'pending' : 'applied']: names }));
        else if (isDryRun) console.log(names.length > 0 ? `pending:\n  ${names.join('\n  ')}` : 'nothing is pending');
        else console.log(names.length > 0 ? 'the database is up to date' : 'the database was up to date already');
      });
    });
}
