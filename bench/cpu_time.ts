import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PrivatePostgres } from '../engines/postgres.ts';

/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** CPU seconds of this process and of the whole server so far: figures that other work on the machine changes little. */
export async function cpuSeconds(postgres: PrivatePostgres): Promise<number> {
  const { user, system } = process.cpuUsage();
  let ticks = 0;
  for (const { isMain, fields } of await serverProcesses(postgres)) {
    // 11 to 14 are CPU times. The server's own time includes that of connections that have ended.
    ticks += Number(fields[11]) + Number(fields[12]) + (isMain ? Number(fields[13]) + Number(fields[14]) : 0);
  }
  return (user + system) / 1e6 + ticks / TICKS_PER_SECOND;
}

/** The memory of all processes of the server, without the buffers that they share. */
export async function serverMemoryBytes(postgres: PrivatePostgres): Promise<number> {
  let kilobytes = 0;
  for (const { pid } of await serverProcesses(postgres)) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    kilobytes += Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
  }
  return kilobytes * 1_024;
}

interface ServerProcess {
  pid: string;
  isMain: boolean;
  /** The fields of /proc/PID/stat after the name of the program, which is in brackets; 1 is the parent. */
  fields: string[];
}

async function serverProcesses({ dataFolder }: PrivatePostgres): Promise<ServerProcess[]> {
  const serverPid = (await readFile(join(dataFolder, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0] ?? '';
  const processes: ServerProcess[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (pid === serverPid || fields[1] === serverPid) processes.push({ pid, isMain: pid === serverPid, fields });
  }
  return processes;
}
