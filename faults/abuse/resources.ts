import { readFileSync } from 'node:fs';
import type { RoleName, Roles } from './installation.ts';

export interface ResourceUse {
  role: RoleName;
  beforeMb: number;
  peakMb: number;
  /** Where this machine lets a process have a limit of its own. */
  groupPeakMb: number | undefined;
  cpuSeconds: number;
}

const SAMPLE_MS = 100;

/** Samples the resident memory of each process until it is stopped, and counts its CPU time. */
export function watchResources({ processes, memoryLimits }: Roles): { stop(): ResourceUse[] } {
  const uses = [...processes].map(([role, { pid }]) => {
    const beforeMb = residentMb(pid);
    return { role, pid, beforeMb, peakMb: beforeMb, cpuBefore: cpuSeconds(pid) };
  });
  const timer = setInterval(() => {
    for (const use of uses) use.peakMb = Math.max(use.peakMb, residentMb(use.pid));
  }, SAMPLE_MS);
  return {
    stop() {
      clearInterval(timer);
      return uses.map(({ role, pid, beforeMb, peakMb, cpuBefore }) => ({
        role,
        beforeMb,
        peakMb,
        groupPeakMb: memoryLimits.get(role)?.peakMb(),
        cpuSeconds: cpuSeconds(pid) - cpuBefore,
      }));
    },
  };
}

/** 0 for a process that has ended. */
function residentMb(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

const TICKS_PER_SECOND = 100;

/** User and system time, fields 14 and 15 of proc_pid_stat(5). The name in field 2 may contain spaces. */
function cpuSeconds(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}
