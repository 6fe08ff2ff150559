import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { migrationState, readMigrations } from '../db/migrate.ts';
import { onlyRow } from '../db/only_row.ts';
import { openPool } from '../db/pool.ts';
import { ALL_ROLES, findSettingProblems } from '../settings/setting_list.ts';
import type { Environment } from '../settings/setting_reader.ts';
import { readUpConfig } from '../settings/up_settings.ts';
import { UserError } from '../values/user_error.ts';
import { ensureOwnPostgres } from './own_servers.ts';

export interface UpgradeCheck {
  /** The release of this program. */
  version: string;
  /** The migrations that it will apply. */
  pending: string[];
  database_bytes: number;
  free_bytes: number;
}

/** Finds what would prevent an upgrade, before anything is changed. */
export async function checkUpgrade(
  environment: Environment,
  folder: string,
  onStatus: (line: string) => void,
): Promise<UpgradeCheck> {
  const problems = findSettingProblems(environment, ALL_ROLES);
  if (problems.length > 0)
    throw new UserError(
      `the settings are not valid: ${problems.map(({ problem }) => problem).join('; ')}. Correct them, then run this command again.`,
    );
  const config = readUpConfig(environment);
  await using running = new AsyncDisposableStack();
  if (config.postgres) running.use(await ensureOwnPostgres(config.postgres, onStatus));
  const owner = openPool({
    url: config.databaseUrl,
    setting: 'MIGRATE_DATABASE_URL',
    applicationName: 'tankwatch upgrade',
  });
  running.defer(() => owner.end());
  const migrations = await readMigrations();
  const { applied, pending } = await migrationState(owner, migrations);
  const newer = applied.filter((name) => name > (migrations.at(-1)?.name ?? ''));
  if (newer.length > 0)
    throw new UserError(
      `the database has migrations of a newer release (${newer.join(', ')}): this is release ${packageJson.version}. To go back to ` +
        'it, restart it only: the old release works with the tables of the next one.',
    );
  const { rows } = await owner.query<{ bytes: number }>('select pg_database_size(current_database())::float8 as bytes');
  const { bytes } = onlyRow(rows);
  const { bavail, bsize } = await statfs(folder).catch(() => statfs(dirname(folder)).catch(() => statfs('/')));
  if (bavail * bsize < bytes)
    throw new UserError(
      `${folder} has ${Math.floor((bavail / 1e6) * bsize)} MB free, and the database has ${Math.ceil(bytes / 1e6)}: free some, or ` +
        'name a folder of another disk with --to.',
    );
  return {
    version: packageJson.version,
    pending: pending.map(({ name }) => name),
    database_bytes: bytes,
    free_bytes: bavail * bsize,
  };
}
