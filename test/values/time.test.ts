import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatIsoTime, parseIsoTime, parseTimeMs } from '../../src/values/time.ts';

const parse = (text: string) => {
  const time = parseIsoTime(text);
  return time === undefined ? undefined : [new Date(time.ms).toISOString(), time.isPastMs];
};

describe('an ISO 8601 time', () => {
  test.for([
    ['2025-08-13T16:38:55.453Z', '2025-08-13T16:38:55.453Z', false],
    ['2025-08-13t16:38:55z', '2025-08-13T16:38:55.000Z', false],
    ['2025-08-13T16:38:55', '2025-08-13T16:38:55.000Z', false],
    ['2025-08-13T16:38', '2025-08-13T16:38:00.000Z', false],
    ['2025-08-13T18:38:55.4+02:00', '2025-08-13T16:38:55.400Z', false],
    ['2025-08-13T18:38:55+02', '2025-08-13T16:38:55.000Z', false],
    ['2025-08-13T18:38:55+0200', '2025-08-13T16:38:55.000Z', false],
    ['2025-08-13T11:08:55-05:30', '2025-08-13T16:38:55.000Z', false],
    ['2025-08-13T16:38:55.453000000Z', '2025-08-13T16:38:55.453Z', false],
    ['2025-08-13T16:38:55.453000001Z', '2025-08-13T16:38:55.453Z', true],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z', false],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z', false],
  ] as const)('%s is parsed', ([text, iso, isPastMs]) => {
    expect(parse(text)).toEqual([iso, isPastMs]);
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
    '2025-08-13T18:38:55 02:00',
    '2025-08-13T16:38:55+02:60',
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
    expect(parse(text)).toBeUndefined();
  });

  test('is parsed to the instant that was written, in any offset', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0100-01-01'), max: new Date('9998-12-31'), noInvalidDate: true }),
        fc.integer({ min: -840, max: 840 }),
        (date, offset) => {
          const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
          const pad = (n: number): string => String(n).padStart(2, '0');
          const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
          expect(parse(`${local}${offset < 0 ? '-' : '+'}${pad(hours)}:${pad(minutes)}`)).toEqual([
            date.toISOString(),
            false,
          ]);
        },
      ),
    );
  });
});

test.for([
  ['2025-08-13 16:38:55', '2025-08-13T16:38:55.000Z'],
  ['2025-08-13 16:38:55+00', '2025-08-13T16:38:55.000Z'],
  ['2025-08-13T16:38:55.45399999999999Z', '2025-08-13T16:38:55.453Z'],
] as const)('%s is accepted in files, payloads and options', ([text, iso]) => {
  expect(parseTimeMs(text)).toBe(Date.parse(iso));
});

test('a date alone is midnight UTC, and only where the caller allows it', () => {
  expect(parseTimeMs('2025-08-13')).toBeUndefined();
  expect(parseTimeMs('2025-08-13', { allowDateOnly: true })).toBe(Date.UTC(2025, 7, 13));
  expect(parseTimeMs('2025-02-30', { allowDateOnly: true })).toBeUndefined();
});

test('formatIsoTime formats a time as Date does', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: Date.UTC(9999, 0), noNaN: true }), (ms) => {
      expect(formatIsoTime(ms)).toBe(new Date(ms).toISOString());
    }),
  );
});
