import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PrivatePostgres } from '../engines/postgres.ts';

/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** CPU seconds of this process and of the whole server so far: figures that other work on the machine changes little. */
export async function cpuSeconds({ dataFolder }: PrivatePostgres): Promise<number> {
  const { user, system } = process.cpuUsage();
  const serverPid = Number((await readFile(join(dataFolder, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);
  let ticks = 0;
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    // The fields after the name of the program, which is in brackets: 1 is the parent, 11 to 14 are CPU times.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const isServer = Number(name) === serverPid;
    if (!isServer && Number(fields[1]) !== serverPid) continue;
    // The server's own time includes that of connections that have ended.
    ticks += Number(fields[11]) + Number(fields[12]) + (isServer ? Number(fields[13]) + Number(fields[14]) : 0);
  }
  return (user + system) / 1e6 + ticks / TICKS_PER_SECOND;
}
