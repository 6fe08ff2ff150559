import { expect, test } from 'vitest';
import { killWhileSyncing } from '../../faults/erp.ts';
import { isThorough } from '../support/whole_tests.ts';

test('two programs of an ERP that are killed, and whose service is killed, double and delete nothing, and their copies are complete', {
  timeout: 300_000,
}, async () => {
  const checks = await killWhileSyncing({ kills: isThorough() ? 12 : 4, customers: 24, log: () => {} });
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
});
