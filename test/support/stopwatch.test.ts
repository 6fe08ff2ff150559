import { execFile } from 'node:child_process';
import { pbkdf2Sync } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { test as base, expect } from 'vitest';
import { startStopwatch, within } from './stopwatch.ts';

/** Programs that are not children of this process keep every CPU busy three times over, for half a minute at most. */
const test = base.extend<{ busyMachine: void }>({
  busyMachine: [
    // oxlint-disable-next-line no-empty-pattern -- vitest reads what a fixture needs from this pattern
    async ({}, use) => {
      const start = `timeout 30 sh -c 'while :; do :; done' >/dev/null 2>&1 & echo $!;`;
      const { stdout } = await promisify(execFile)('sh', ['-c', start.repeat(3 * availableParallelism())]);
      await use();
      for (const pid of stdout.trim().split('\n')) process.kill(Number(pid));
    },
    { auto: true },
  ],
});

test('a wait that takes too long fails also on a busy machine, and the message has the delay of the machine', async () => {
  const measured = await within(300, () => sleep(600)).then(() => '', String);
  expect(measured).toMatch(/took \d+ ms, of which the machine's own delay \d+ ms/);
});

test('time in which this process waits for a CPU does not count', () => {
  const stopwatch = startStopwatch();
  pbkdf2Sync('password', 'salt', 80_000, 64, 'sha512'); // some 100 ms of CPU time
  const { passedMs, delayMs, ranMs } = stopwatch.read();
  expect(delayMs).toBeGreaterThan(50);
  expect(ranMs).toBeCloseTo(passedMs - delayMs);
});
