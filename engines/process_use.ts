import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PrivatePostgres } from '../src/setup/servers/postgres.ts';

/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100;
export const MB = 1_048_576;

/**
 * Memory of a process in bytes: its own pages, and its share of the pages that it shares with others (PSS), because otherwise the
 * buffers of PostgreSQL would count once for each backend. 0 if the process has ended.
 */
export async function memoryBytes(pid: number | undefined): Promise<number> {
  return readKilobytes(`/proc/${pid}/smaps_rollup`, /^Pss:\s+(\d+) kB$/m);
}

/** CPU seconds of one process so far. 0 if the process has ended. */
export async function cpuSeconds(pid: number | undefined): Promise<number> {
  const fields = await readStat(String(pid));
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
}

/** CPU seconds of this process and of all processes of the server so far. Other work on the machine changes them little. */
export async function cpuSecondsWith(postgres: PrivatePostgres): Promise<number> {
  const { user, system } = process.cpuUsage();
  let ticks = 0;
  for (const { isMain, fields } of await serverProcesses(postgres)) {
    // The time of the main process includes the time of connections that have ended.
    const times = isMain ? fields.slice(11, 15) : fields.slice(11, 13);
    ticks += times.reduce((sum, field) => sum + Number(field), 0);
  }
  return (user + system) / 1e6 + ticks / TICKS_PER_SECOND;
}

/** The memory of all processes of the server. `own` leaves out the buffers that they share. */
export async function serverMemoryBytes(postgres: PrivatePostgres, kind: 'all' | 'own'): Promise<number> {
  const each = (await serverProcesses(postgres)).map(({ pid }) =>
    kind === 'all' ? memoryBytes(pid) : readKilobytes(`/proc/${pid}/status`, /^RssAnon:\s+(\d+) kB/m),
  );
  return (await Promise.all(each)).reduce((sum, bytes) => sum + bytes, 0);
}

export interface ProcessUse {
  beforeMb: number;
  peakMb: number;
  cpuSeconds: number;
}

/** Samples the memory of a process until it is stopped, and counts its CPU time. */
export async function watchProcess(pid: number | undefined): Promise<{ stop(): Promise<ProcessUse> }> {
  const [bytes, cpuBefore] = [await memoryBytes(pid), await cpuSeconds(pid)];
  const use = { beforeMb: bytes / MB, peakMb: bytes / MB };
  const sample = async (): Promise<void> => {
    const mb = (await memoryBytes(pid)) / MB;
    use.peakMb = Math.max(use.peakMb, mb);
  };
  const timer = setInterval(() => void sample(), 200);
  return {
    async stop() {
      clearInterval(timer);
      await sample();
      return { ...use, cpuSeconds: (await cpuSeconds(pid)) - cpuBefore };
    },
  };
}

interface ServerProcess {
  pid: number;
  isMain: boolean;
  fields: string[];
}

async function serverProcesses({ dataFolder }: PrivatePostgres): Promise<ServerProcess[]> {
  const [serverPid = ''] = (await readFile(join(dataFolder, 'data', 'postmaster.pid'), 'utf8')).split('\n');
  const processes: ServerProcess[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const fields = await readStat(pid);
    if (pid === serverPid || fields[1] === serverPid)
      processes.push({ pid: Number(pid), isMain: pid === serverPid, fields });
  }
  return processes;
}

/**
 * The fields of proc_pid_stat(5) after the name of the program, which is in brackets and may contain spaces: 1 is the
 * parent, 11 to 14 are CPU times. Empty if the process has ended.
 */
async function readStat(pid: string): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

async function readKilobytes(file: string, pattern: RegExp): Promise<number> {
  return Number(pattern.exec(await readFile(file, 'utf8').catch(() => ''))?.[1] ?? 0) * 1_024;
}
