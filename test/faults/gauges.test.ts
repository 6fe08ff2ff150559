import { expect, test } from 'vitest';
import { killWhileRecomputing } from '../../faults/gauges.ts';
import { isThorough } from '../support/whole_tests.ts';

test.runIf(isThorough())(
  'after kill -9 of PostgreSQL and of the process that computes levels again, all levels are those of the corrected gauges',
  async () => {
    const checks = await killWhileRecomputing({ kills: 4, tanks: 10, log: () => {} });
    // How many kills hit a running transaction depends on the machine.
    expect(checks.filter(({ ok, what }) => !ok && !what.startsWith('kills'))).toEqual([]);
  },
);
