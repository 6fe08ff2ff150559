import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseMoment, sqlTime } from '../../src/api/parameters.ts';

const moment = (text: string) => {
  const parsed = parseMoment(text);
  return 'value' in parsed ? [new Date(parsed.value.ms).toISOString(), parsed.value.isPastMs] : undefined;
};

describe('a moment', () => {
  test.for([
    ['2025-08-13T16:38:55.453Z', '2025-08-13T16:38:55.453Z', false],
    ['2025-08-13t16:38:55z', '2025-08-13T16:38:55.000Z', false],
    ['2025-08-13T16:38:55', '2025-08-13T16:38:55.000Z', false],
    ['2025-08-13T16:38', '2025-08-13T16:38:00.000Z', false],
    ['2025-08-13T18:38:55.4+02:00', '2025-08-13T16:38:55.400Z', false],
    ['2025-08-13T18:38:55 02:00', '2025-08-13T16:38:55.000Z', false],
    ['2025-08-13T18:38:55+0200', '2025-08-13T16:38:55.000Z', false],
    ['2025-08-13T11:08:55-05:30', '2025-08-13T16:38:55.000Z', false],
    ['2025-08-13T16:38:55.453000000Z', '2025-08-13T16:38:55.453Z', false],
    ['2025-08-13T16:38:55.453000001Z', '2025-08-13T16:38:55.453Z', true],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z', false],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z', false],
  ] as const)('%s is understood', ([text, iso, isPastMs]) => {
    expect(moment(text)).toEqual([iso, isPastMs]);
  });

  test.for([
    '',
    'now',
    'infinity',
    'yesterday',
    '2025-08-13',
    '2025-13-01T00:00:00Z',
    '2025-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2025-08-13T24:00:00Z',
    '2025-08-13T16:38:60Z',
    '2025-08-13T16:60:00Z',
    '2025-08-13 16:38:55Z',
    '2025-08-13T16:38:55.1234567890Z',
    '2025-08-13T16:38:55,4Z',
    '2025-8-13T16:38:55Z',
    '20250813T163855Z',
    '2025-08-13T16:38:55+25:00',
    '2025-08-13T16:38:55Z\n',
    '\0',
    ' 2025-08-13T16:38:55Z',
    '1755103135',
    '2025-08-13T16:38:55ZZ',
    '+002025-08-13T16:38:55Z',
    '2025-W33-3T00:00:00Z',
  ])('%j is refused', (text) => {
    expect(moment(text)).toBeUndefined();
  });

  test('every instant survives being written and read, in any offset', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0100-01-01'), max: new Date('9998-12-31'), noInvalidDate: true }),
        fc.integer({ min: -840, max: 840 }),
        (date, offset) => {
          const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
          const pad = (n: number): string => String(n).padStart(2, '0');
          const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
          expect(moment(`${local}${offset < 0 ? '-' : '+'}${pad(hours)}:${pad(minutes)}`)).toEqual([
            date.toISOString(),
            false,
          ]);
        },
      ),
    );
  });

  test('what PostgreSQL cannot hold as a four-digit year is before or after everything', () => {
    expect(sqlTime(Date.parse('0001-01-01T00:00:00Z'))).toBe('0001-01-01T00:00:00.000Z');
    expect(sqlTime(Date.parse('0000-12-31T23:59:59.999Z'))).toBe('-infinity');
    expect(sqlTime(Date.parse('9999-12-31T23:59:59.999Z') + 1)).toBe('infinity');
  });
});
