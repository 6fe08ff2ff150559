import { expect, test } from 'vitest';
import { parseTimeFilter, sqlTime } from '../../src/api/parameters.ts';

test('a time filter may have an unescaped plus, which arrives as a space', () => {
  expect(parseTimeFilter('2025-08-13T18:38:55 02:00')).toEqual(parseTimeFilter('2025-08-13T16:38:55Z'));
  expect(parseTimeFilter('2025-08-13 16:38:55Z')).toMatchObject({ code: 'invalid' });
  expect(parseTimeFilter('2025-08-13')).toMatchObject({ code: 'invalid' });
});

test('a time filter keeps whether the time has digits below a millisecond', () => {
  expect(parseTimeFilter('2025-08-13T16:38:55.453000001Z')).toEqual({
    value: { ms: Date.parse('2025-08-13T16:38:55.453Z'), isPastMs: true },
  });
});

test('a time outside the years 1 to 9999 becomes -infinity or infinity', () => {
  expect(sqlTime(Date.parse('0001-01-01T00:00:00Z'))).toBe('0001-01-01T00:00:00.000Z');
  expect(sqlTime(Date.parse('0000-12-31T23:59:59.999Z'))).toBe('-infinity');
  expect(sqlTime(Date.parse('9999-12-31T23:59:59.999Z') + 1)).toBe('infinity');
});
