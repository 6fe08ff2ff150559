import { expect, test } from 'vitest';
import { pathsOf } from '../../bench/read_cost.ts';

test('the cost of every read of /fleet/v1 is measured', () => {
  expect(() => pathsOf({ ownerId: 'owner', tankId: 'tank' })).not.toThrow();
});
