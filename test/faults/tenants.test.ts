import { expect, test } from 'vitest';
import { runTenants } from '../../faults/tenants.ts';

/** One for each thing that organizations share: the thread and the database, changes, and live streams. */
const ATTACKS = ['many-sessions', 'bulks', 'streams'];

test('an organization that uses all it may makes nobody else fail, and their alerts arrive', async () => {
  const { checks } = await runTenants({ isQuick: true, log: () => {}, only: ATTACKS.join(',') });
  expect(checks.filter(({ what }) => what.includes('failures of'))).toHaveLength(6 * ATTACKS.length);
  // How fast the others are is for a machine that does nothing else.
  const judged = checks.filter(({ what }) => !/p99|event-loop delay/.test(what));
  expect(judged.filter(({ ok }) => !ok)).toEqual([]);
});
