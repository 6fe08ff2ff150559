import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../src/setup/servers/free_port.ts';
import { type PrivatePostgres, serverUser, startPostgres } from '../src/setup/servers/postgres.ts';

const run = promisify(execFile);

/** Copies a running server with pg_basebackup, and starts the copy as a streaming replica of it. */
export async function startReplica(primary: PrivatePostgres): Promise<PrivatePostgres> {
  const owner = await serverUser();
  const dataFolder = await mkdtemp(join(tmpdir(), 'tankwatch-replica-'));
  if (owner.uid !== undefined && owner.gid !== undefined) await chown(dataFolder, owner.uid, owner.gid);
  // -R writes the connection to the primary into the copy. A fast checkpoint begins the copy at once.
  const options = ['-D', join(dataFolder, 'data'), '-R', '-X', 'stream', '--checkpoint=fast', '--no-sync'];
  await run(join(primary.binFolder, 'pg_basebackup'), ['-d', primary.url, ...options], { ...owner, cwd: dataFolder });
  const { password } = new URL(primary.url);
  const { binFolder } = primary;
  const replica = await startPostgres({}, { binFolder, kept: { dataFolder, port: await freePort(), password } });
  return {
    ...replica,
    async stop() {
      await replica.stop();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}
