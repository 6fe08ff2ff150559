import { expect, test } from 'vitest';
import { SortedNumbers } from '../../src/status/sorted_numbers.ts';

test('pieces are merged by key and number, and a piece that is not full is the last one', () => {
  const sorted = new SortedNumbers();
  expect(sorted.add({ numbers: '1 5,3 7,1048575 2', last: 7, n: 10_000 })).toBe(7);
  expect(sorted.add({ numbers: '2 12,3 8,2199023255551 9', last: 12, n: 3 })).toBeNull();
  expect(sorted.take(4)).toEqual([5, 12, 7, 8]);
  expect(sorted.take(4)).toEqual([2, 9]);
  expect(sorted.take(4)).toEqual([]);
  expect(new SortedNumbers().add({ numbers: null, last: null, n: 0 })).toBeNull();
});
