import { expect, test } from 'vitest';
import { runReconnects } from '../../faults/reconnect.ts';

test('the TLS devices of a gateway that restarts are all back within a minute, and no reading is lost', async () => {
  const { checks } = await runReconnects({ isQuick: true, log: () => {} }, 150);
  expect(checks.length).toBeGreaterThan(8);
  expect(checks.filter(({ ok, what }) => !ok && !what.startsWith('share'))).toEqual([]);
});
