import { expect, test } from 'vitest';
import { killWhilePacking } from '../../faults/packing.ts';

test('kill -9 of PostgreSQL and of the packing process loses no reading and leaves exact counters', async () => {
  const checks = await killWhilePacking({ kills: 2, tanks: 8, log: () => {} });
  // How many kills hit a running statement depends on the machine.
  expect(checks.filter(({ ok, what }) => !ok && !what.startsWith('kills'))).toEqual([]);
});
