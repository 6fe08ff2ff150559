import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

const MB = 1_048_576;
/** The memory groups of cgroup version 1. */
const GROUPS = '/sys/fs/cgroup/memory';

/** A limit of the memory of a process. The kernel kills a process that exceeds it, as in a container. */
export interface MemoryLimit {
  /** Runs the command that follows within the limit. */
  command: readonly string[];
  /** The peak that the kernel has measured. */
  peakMb(): number;
  /** Removes the limit. Call it after the process has ended. */
  remove(): void;
}

/** Returns undefined if this machine or this user has no such group. The memory of the process is then only measured. */
export function limitMemory(name: string, limitMb: number): MemoryLimit | undefined {
  try {
    accessSync(`${GROUPS}/memory.limit_in_bytes`, constants.W_OK);
  } catch {
    return undefined;
  }
  const folder = `${GROUPS}/tankwatch-${process.pid}-${name}`;
  mkdirSync(folder);
  writeFileSync(`${folder}/memory.limit_in_bytes`, String(limitMb * MB));
  return {
    command: ['sh', '-c', `echo $$ > ${folder}/cgroup.procs && exec "$@"`, 'sh'],
    peakMb: () => Number(readFileSync(`${folder}/memory.max_usage_in_bytes`, 'utf8')) / MB,
    remove: () => rmdirSync(folder),
  };
}
