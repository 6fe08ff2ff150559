import { expect, test } from 'vitest';
import { notifyLosses } from '../../faults/duty.ts';

test('each loss is texted once while workers are killed and the provider fails, and not after it was acknowledged', async () => {
  const checks = await notifyLosses({
    losses: 20,
    organizations: 4,
    seconds: 3,
    kills: 1,
    stepSeconds: 2,
    log: () => {},
  });
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
});
