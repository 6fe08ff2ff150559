import { expect, test } from 'vitest';
import { runFuzz } from '../../faults/fuzz.ts';

test('5,000 random requests over every route, method and kind of caller get no 5xx and nothing of others', async () => {
  const { checks, failed, leaked } = await runFuzz({ isQuick: true, log: () => {} });
  expect([failed, leaked]).toEqual([[], []]);
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
});
