import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Dumps the schema of a database and the few rows that migrations insert, such as the list of applied migrations. psql of any
 * version can load it.
 */
export async function dumpDatabase(url: string, binFolder = ''): Promise<string> {
  const options = ['--no-owner', '--inserts', '--quote-all-identifiers', url];
  const { stdout } = await run(join(binFolder, 'pg_dump'), options, { maxBuffer: 64 * 1_048_576 });
  const kept = stdout
    .split('\n')
    // Removes the versions of server and pg_dump, a random token of newer versions, and a setting that PostgreSQL 17 added.
    .filter((line) => !/^(-- Dumped (from|by) |\\(un)?restrict |SET transaction_timeout )/.test(line));
  return kept.join('\n').replaceAll(/\n{3,}/g, '\n\n');
}
