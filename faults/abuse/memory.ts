import { readFileSync } from 'node:fs';
import type { RoleProcess } from '../../engines/process.ts';
import type { RoleName } from './installation.ts';

export interface MemoryUse {
  role: RoleName;
  beforeMb: number;
  peakMb: number;
}

const SAMPLE_MS = 100;

/** Samples the resident memory of each process until it is stopped. */
export function watchMemory(processes: ReadonlyMap<RoleName, RoleProcess>): { stop(): MemoryUse[] } {
  const uses = [...processes].map(([role, { pid }]) => {
    const beforeMb = residentMb(pid);
    return { role, pid, beforeMb, peakMb: beforeMb };
  });
  const timer = setInterval(() => {
    for (const use of uses) use.peakMb = Math.max(use.peakMb, residentMb(use.pid));
  }, SAMPLE_MS);
  return {
    stop() {
      clearInterval(timer);
      return uses.map(({ role, beforeMb, peakMb }) => ({ role, beforeMb, peakMb }));
    },
  };
}

/** 0 for a process that has ended. */
export function residentMb(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
