import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { type PrivatePostgres, startPostgres } from '../../src/setup/servers/postgres.ts';
import { type UserIds } from '../../src/setup/servers/server_process.ts';

const run = promisify(execFile);
const INSTALLED = '/usr/lib/postgresql';

export interface Versions {
  oldBin: string;
  newBin: string;
  oldVersion: number;
  newVersion: number;
}

/** Finds the oldest and the newest version among the installed ones and PG_NEW_BIN. Returns a sentence if there is only one. */
export async function findUpgrade(): Promise<Versions | string> {
  const folders = (await readdir(INSTALLED).catch((): string[] => [])).map((name) => join(INSTALLED, name, 'bin'));
  const newBin = process.env['PG_NEW_BIN'];
  if (newBin !== undefined) folders.push(newBin);
  const found = await Promise.all(
    folders
      .filter((folder) => existsSync(join(folder, 'pg_upgrade')))
      .map(async (folder) => ({ folder, version: await versionOf(folder) })),
  );
  const [oldest, ...others] = found.toSorted((a, b) => a.version - b.version);
  const newest = others.at(-1);
  if (oldest === undefined || newest === undefined || newest.version === oldest.version)
    return `skipped: pg_upgrade needs two versions of PostgreSQL; install a second one, or name its folder of programs in PG_NEW_BIN`;
  return {
    oldBin: oldest.folder,
    newBin: newest.folder,
    oldVersion: oldest.version,
    newVersion: newest.version,
  };
}

/** Reads the major version, such as 17 from "postgres (PostgreSQL) 17.11 (Debian 17.11-0+deb13u1)". */
async function versionOf(folder: string): Promise<number> {
  const { stdout } = await run(join(folder, 'postgres'), ['--version']);
  return Number(/\) (\d+)/.exec(stdout)?.[1]);
}

export interface UpgradeOptions extends Versions {
  folder: string;
  user: UserIds;
  password: string;
  log: (line: string) => void;
}

export interface Upgraded {
  server: PrivatePostgres;
  /** The time from the stop of the old server until the new one accepts connections. */
  outageSeconds: number;
  upgradeSeconds: number;
}

/** Upgrades as docs/operators/upgrade.md says: check while the old server runs, stop it, link the files, start, analyze. */
export async function upgradeServer(old: PrivatePostgres, options: UpgradeOptions): Promise<Upgraded> {
  const { oldBin, newBin, folder, user, password, log } = options;
  const kept = { dataFolder: join(folder, 'upgraded'), port: await freePort(), password };
  const server = await startPostgres({}, { binFolder: newBin, kept });
  await server.stop(); // it is now initialized, with the same password and encoding
  const pgUpgrade = async (more: readonly string[], oldPort: number): Promise<void> => {
    const args = [
      ['--old-bindir', oldBin, '--new-bindir', newBin, '--username', 'postgres', '--socketdir', folder],
      ['--old-datadir', join(old.dataFolder, 'data'), '--new-datadir', join(kept.dataFolder, 'data')],
      ['--old-port', String(oldPort), '--new-port', String(await freePort()), '--link', ...more],
    ].flat();
    await run(join(newBin, 'pg_upgrade'), args, {
      ...user,
      cwd: folder,
      env: { ...process.env, PGPASSWORD: password },
      maxBuffer: 64 * 1_048_576,
    }).catch((error: Error & { stdout: string }) => {
      throw new Error(`pg_upgrade failed: ${error.stdout}`, { cause: error });
    });
  };
  log('pg_upgrade --check');
  await pgUpgrade(['--check'], old.port);
  const startMs = performance.now();
  await run(join(oldBin, 'pg_ctl'), ['stop', '-m', 'fast', '-D', join(old.dataFolder, 'data')], {
    ...user,
    cwd: folder,
  });
  const stoppedMs = performance.now();
  await pgUpgrade([], await freePort());
  const upgradeSeconds = (performance.now() - stoppedMs) / 1_000;
  await server.restart();
  const outageSeconds = (performance.now() - startMs) / 1_000;
  log('vacuumdb --all --analyze-in-stages under load');
  await run(join(newBin, 'vacuumdb'), ['--all', '--analyze-in-stages', '--maintenance-db', server.url], {
    ...user,
    cwd: folder,
  });
  return { server, outageSeconds, upgradeSeconds };
}
