import { expect, test } from 'vitest';
import { briefFaults, runChosenFaults } from '../../faults/chaos.ts';
import { isWhole } from '../support/whole_tests.ts';

test('under hung, dropped and refused connections and unreadable states, nothing is lost, doubled or altered', async () => {
  const { checks } = await runChosenFaults(
    (installation) => briefFaults(installation).slice(0, isWhole('faults/chaos') ? undefined : 1),
    () => {},
  );
  // How soon roles notice a fault and how fast they drain can be judged only on a machine that does nothing else.
  const asserted = checks.filter(({ what }) => !/^(seconds|false answers)/.test(what));
  expect(asserted.length).toBeGreaterThan(8);
  expect(asserted.filter(({ ok }) => !ok)).toEqual([]);
});
