/**
 * Writes the schema of this release to migrations/released/VERSION.sql: `npm run release` calls it. From then on, tests
 * check that no released migration changes, that later migrations upgrade this schema, and that this release still works
 * with the upgraded schema.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { databaseUrl } from '../engines/logins.ts';
import packageJson from '../package.json' with { type: 'json' };
import { migrate } from '../src/db/migrate.ts';
import { openPool } from '../src/db/pool.ts';
import { startPostgres } from '../src/setup/servers/postgres.ts';
import { dumpDatabase } from './schema_dump.ts';

const folder = new URL('../migrations/released/', import.meta.url);
const postgres = await startPostgres();
try {
  const root = openPool({ url: postgres.url, applicationName: 'released schema' });
  await root.query('create database released');
  await root.end();
  const url = databaseUrl(postgres.url, 'released');
  const pool = openPool({ url, applicationName: 'released schema' });
  await migrate(pool);
  await pool.end();
  await mkdir(folder, { recursive: true });
  const file = new URL(`${packageJson.version}.sql`, folder);
  const header = `-- The schema of release ${packageJson.version}, written by \`npm run schema\`. Do not edit it.\n`;
  await writeFile(file, header + (await dumpDatabase(url, postgres.binFolder)));
  console.log(`wrote migrations/released/${packageJson.version}.sql`);
} finally {
  await postgres.stop();
}
