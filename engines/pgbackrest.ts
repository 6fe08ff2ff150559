import { execFile } from 'node:child_process';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type PrivatePostgres, serverUser } from '../src/setup/servers/postgres.ts';
import type { UserIds } from '../src/setup/servers/server_process.ts';
import { findProgram } from './programs.ts';

const run = promisify(execFile);

/** The backups of one PostgreSQL server, which pgBackRest makes in a folder. */
export class BackupRepository {
  readonly #configFile: string;
  readonly #owner: UserIds;

  private constructor(configFile: string, owner: UserIds) {
    this.#configFile = configFile;
    this.#owner = owner;
  }

  static async create(folder: string): Promise<BackupRepository> {
    findProgram('pgbackrest'); // before a server archives with it
    const owner = await serverUser();
    const repository = new BackupRepository(join(folder, 'pgbackrest.conf'), owner);
    for (const path of [folder, join(folder, 'repository'), join(folder, 'log'), join(folder, 'lock')]) {
      await mkdir(path, { recursive: true });
      if (owner.uid !== undefined && owner.gid !== undefined) await chown(path, owner.uid, owner.gid);
    }
    return repository;
  }

  /** The settings with which PostgreSQL archives its WAL in this repository. */
  get postgresSettings(): Record<string, string> {
    return {
      archive_mode: 'on',
      archive_command: `pgbackrest --config=${this.#configFile} --stanza=tankwatch archive-push %p`,
    };
  }

  /** Makes the first backup of a server. */
  async backUp(postgres: PrivatePostgres): Promise<void> {
    const folder = dirname(this.#configFile);
    await writeFile(
      this.#configFile,
      `[global]
repo1-path=${join(folder, 'repository')}
repo1-retention-full=2
compress-type=lz4
process-max=2
log-path=${join(folder, 'log')}
lock-path=${join(folder, 'lock')}
log-level-console=error
start-fast=y

[tankwatch]
pg1-path=${join(postgres.dataFolder, 'data')}
pg1-port=${postgres.port}
pg1-socket-path=${postgres.dataFolder}
pg1-user=postgres
`,
    );
    const password = decodeURIComponent(new URL(postgres.url).password);
    await this.#pgbackrest(['stanza-create'], password);
    await this.#pgbackrest(['--type=full', 'backup'], password);
  }

  /** Restores the data of a stopped server to this time. Recovery runs when the server starts. */
  async restore(at: Date): Promise<void> {
    const target = at.toISOString().replace('T', ' ').replace('Z', '+00');
    await this.#pgbackrest(['--type=time', `--target=${target}`, '--target-action=promote', 'restore']);
  }

  async #pgbackrest(args: string[], password = ''): Promise<void> {
    await run(findProgram('pgbackrest'), [`--config=${this.#configFile}`, '--stanza=tankwatch', ...args], {
      ...this.#owner,
      env: { PATH: process.env['PATH'], PGPASSWORD: password },
    });
  }
}
