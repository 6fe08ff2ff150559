import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { stolenMs } from '../../engines/stolen_time.ts';

/**
 * Measures guarantees such as "within a second" on a machine that also does other work. Time counts in full, except for the
 * time in which the machine could not run what the test waits for: the host took the CPU away, or this thread or a process of
 * this test (a child, or a PostgreSQL server process of its database) waited for a free CPU. The kernel counts these times.
 * Where it does not, nothing is left out.
 */
export interface Stopwatch {
  /** Includes `delayMs`, the delay of the machine. */
  passedMs: number;
  delayMs: number;
  /** `passedMs` without `delayMs`. */
  ranMs: number;
}

export function startStopwatch(): { read(): Stopwatch } {
  const startMs = performance.now();
  const waitedBefore = processesOfThisTest();
  const ownBefore = waitedMs('thread-self');
  const stolenBefore = stolenMs();
  return {
    read() {
      const passedMs = performance.now() - startMs;
      const own = waitedMs('thread-self') - ownBefore;
      const stolen = Math.max(0, ...stolenMs().map((ms, cpu) => ms - (stolenBefore[cpu] ?? 0)));
      const others = [...processesOfThisTest()].map(([pid, ms]) => ms - (waitedBefore.get(pid) ?? 0));
      // The longest wait counts, not the sum, because processes wait at the same time.
      const delayMs = Math.min(passedMs, Math.max(own, stolen, ...others));
      return { passedMs, delayMs, ranMs: passedMs - delayMs };
    },
  };
}

/** Waits, and fails if this took longer than `limitMs` without the delay of the machine, or than twice `limitMs` with it. */
export async function within(limitMs: number, wait: () => PromiseLike<unknown>, what = ''): Promise<void> {
  const stopwatch = startStopwatch();
  await wait();
  const { passedMs, delayMs } = stopwatch.read();
  const measured = `${what} took ${Math.round(passedMs)} ms, of which the machine's own delay ${Math.round(delayMs)} ms`;
  expect(passedMs - Math.min(delayMs, limitMs), measured).toBeLessThan(limitMs);
}

/** How long a process or thread was ready to run and had no CPU. */
function waitedMs(process: string): number {
  return Number(readOrNothing(`/proc/${process}/schedstat`).split(' ')[1] ?? 0) / 1e6;
}

/** How long each child, child of a child, and PostgreSQL server process of a database of this test has waited for a CPU. */
function processesOfThisTest(): Map<number, number> {
  const pids = existsSync('/proc/self') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  const parents = new Map(pids.map((pid) => [Number(pid), parentOf(pid)]));
  const isDescendant = (pid: number): boolean => {
    const parent = parents.get(pid) ?? 0;
    return parent === process.pid || (parent > 1 && isDescendant(parent));
  };
  const ofThisTest = [...parents.keys()].filter((pid) => isDescendant(pid) || isServerProcess(pid));
  return new Map(ofThisTest.map((pid) => [pid, waitedMs(String(pid))]));
}

const parentOf = (pid: string): number =>
  Number(readOrNothing(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ')[1] ?? 0);

/** A PostgreSQL process has the name of its database in its title, and that name begins with the id of the test process. */
const isServerProcess = (pid: number): boolean =>
  readOrNothing(`/proc/${pid}/cmdline`).includes(` ${databasePrefix()}`);

export const databasePrefix = (): string => `tw_test_${process.pid}_`;

/** The process may have ended, and systems other than Linux have no such file. */
function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
