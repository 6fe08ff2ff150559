import { expect, test } from 'vitest';
import { killWhileSyncing } from '../../faults/erp.ts';
import { isThorough } from '../support/whole_tests.ts';

test('while two programs of an ERP and their service are killed, nothing is doubled or deleted, and copies are complete', {
  timeout: 300_000,
}, async () => {
  const checks = await killWhileSyncing({ kills: isThorough() ? 12 : 4, customers: 24, log: () => {} });
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
});
