import { readdir, readFile } from 'node:fs/promises';

const KB = 1_024;

/**
 * Memory of a process in bytes: its own pages, and its part of the pages that it shares with others (PSS). The backends
 * of PostgreSQL share their buffers, which would count once for each of them otherwise.
 */
export async function memoryBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * KB;
}

/** Of a process and its children. */
export async function familyMemoryBytes(pid: number): Promise<number> {
  const pids = [pid];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid) pids.push(Number(name));
  }
  const each = await Promise.all(pids.map(memoryBytes));
  return each.reduce((sum, bytes) => sum + bytes, 0);
}

/** CPU seconds of one process so far. Linux counts hundredths. */
export async function processCpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
