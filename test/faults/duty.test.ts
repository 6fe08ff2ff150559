import { expect, test } from 'vitest';
import { notifyLosses } from '../../faults/duty.ts';
import { isWhole } from '../support/whole_tests.ts';

test('each loss is texted once while workers are killed and the provider fails, and not after it was acknowledged', async () => {
  const run = {
    losses: 20,
    organizations: 4,
    seconds: 3,
    kills: isWhole('faults/duty') ? 1 : 0,
    stepSeconds: 2,
    log: () => {},
  };
  const checks = await notifyLosses(run);
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
});
