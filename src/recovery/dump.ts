import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { UserError } from '../values/user_error.ts';

export interface DumpedDatabase {
  /** The address of the owner. */
  url: string;
  /** The folder with pg_dump, pg_restore and psql. Empty to look for them in `path`. */
  binFolder: string;
  path: string;
}

/** Other users can read the arguments of a process, so the password is in its environment. */
function programOf({ url, binFolder, path }: DumpedDatabase, name: string): [string, string, NodeJS.ProcessEnv] {
  const address = new URL(url);
  const password = decodeURIComponent(address.password);
  address.password = '';
  const env = { PATH: path, PGPASSWORD: password, PGAPPNAME: 'tankwatch backup', LC_ALL: 'C.UTF-8' };
  return [binFolder === '' ? name : join(binFolder, name), address.href, env];
}

/** Writes one snapshot of the database to a file. Readers and writers continue in the meantime. */
export async function dumpDatabase(database: DumpedDatabase, file: string): Promise<void> {
  const [program, address, env] = programOf(database, 'pg_dump');
  const args = ['--format=custom', '--compress=6', '--lock-wait-timeout=60s', `--file=${file}`, address];
  await promisify(execFile)(program, args, { env }).catch((error: unknown) => {
    const reason = reasonOf(error);
    const next = /No space left/.test(reason) ? '; free some space, or name a folder of another disk with --to' : '';
    throw new UserError(`pg_dump failed: ${reason}${next}.`, { cause: error });
  });
}

/** All objects of Tankwatch are in these schemas. */
const EMPTY_DATABASE = 'drop schema if exists public, graphile_worker, extensions cascade; create schema public;\n';

/** Replaces the whole content of the database in one transaction. If it fails, the old content stays. */
export async function loadDump(database: DumpedDatabase, file: string): Promise<void> {
  const [psql, address, env] = programOf(database, 'psql');
  const [pgRestore] = programOf(database, 'pg_restore');
  const options = ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--output=/dev/null'];
  const reader = spawn(pgRestore, ['--no-owner', '--file=-', file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const loader = spawn(psql, [...options, '--file=-', address], { env, stdio: ['pipe', 'ignore', 'pipe'] });
  const [loading, reading] = [problemOf(loader, 'psql'), problemOf(reader, 'pg_restore')];
  loader.stdin.on('error', () => {}); // a loader that fails closes its input; its own message is the reason
  loader.stdin.write(`begin;\n${EMPTY_DATABASE}`);
  await pipeline(reader.stdout, loader.stdin, { end: false }).catch(() => reader.kill());
  // The output of pg_restore also ends if it fails. Only its exit code shows that the dump was complete.
  loader.stdin.end((await reading) === '' ? 'commit;\n' : 'rollback;\n');
  const problem = (await loading) || (await reading);
  if (problem !== '') throw new UserError(`the database could not be restored, and is as it was before: ${problem}.`);
}

/** Returns why the program failed when it has ended; empty if it succeeded. */
const problemOf = (child: ChildProcessByStdio<null | Writable, null | Readable, Readable>, name: string) =>
  new Promise<string>((resolve) => {
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-2_000);
    });
    child.once('error', (error) => resolve(`${name}: ${error.message}`));
    child.once('close', (code) => resolve(code === 0 ? '' : `${name}: ${lastError(log)}`));
  });

const lastError = (log: string): string =>
  log
    .split('\n')
    .filter((line) => /error|fatal|mismatch/i.test(line))
    .slice(0, 2)
    .join('; ') || log.trim();

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'stderr' in error && String(error.stderr).trim() !== '' ? lastError(String(error.stderr)) : error.message;
}
