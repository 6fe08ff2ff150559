import { expect, test } from 'vitest';
import { formatsOf, localeOf } from '../../packages/console/src/format.ts';

/** A line break or a space that does not break is a space to the reader. */
const plain = (text: string): string => text.replaceAll(/[\u00A0\u202F]/g, ' ');

test('numbers, volumes and times follow the locale: Mexico, Spain, the United States', () => {
  const written = (locale: string): string[] => {
    const format = formatsOf(locale);
    return [
      format.count(12_345),
      format.exactPercent(12.5),
      format.volume(12_345, 'liters'),
      format.volume(3.7, 'liters'),
    ].map(plain);
  };
  expect(written('en-US')).toEqual(['12,345', '12.5%', '12,345 L', '3.7 L']);
  expect(written('es-MX')).toEqual(['12,345', '12.5%', '12,345 L', '3.7 L']);
  expect(written('es-ES')).toEqual(['12.345', '12,5 %', '12.345 L', '3,7 L']);
});

test('a time zone has a name that people use', () => {
  expect(formatsOf('en-US').zoneName('America/New_York')).toBe('Eastern Time');
  expect(formatsOf('es-MX').zoneName('America/New_York')).not.toContain('/');
  expect(formatsOf('en-US').zoneName('UTC')).toBe('UTC');
});

test('the organization decides the region of a language, and the browser is asked next', () => {
  expect(localeOf('es', ['es-ES', 'es-MX'])).toBe('es-ES');
  expect(localeOf('es', ['en-GB', 'es-419'])).toBe('es-419');
  expect(localeOf('es', ['en-US'])).toBe('es-MX');
  expect(localeOf('en', ['en', 'es-ES'])).toBe('en-US');
});

test('a time of another day has its day, however near it is', () => {
  const morning = new Date(2026, 10, 16, 7, 9).getTime();
  const format = formatsOf('en-US');
  expect(plain(format.recent(new Date(2026, 10, 16, 0, 30).getTime(), morning))).toBe('12:30 AM');
  expect(plain(format.recent(new Date(2026, 10, 15, 22, 9).getTime(), morning))).toBe('Nov 15, 10:09 PM');
});

test('a running time cannot be read as a time of the day, and a daily time is written as all others', () => {
  const written = (locale: string): string[] => {
    const format = formatsOf(locale);
    return [format.stopwatch(42_400), format.stopwatch(103_000), format.clock('07:00'), format.clock('18:30')].map(
      plain,
    );
  };
  expect(written('en-US')).toEqual(['42 sec', '1 min 43 sec', '7:00 AM', '6:30 PM']);
  expect(written('es-ES')).toEqual(['42 s', '1 min 43 s', '7:00', '18:30']);
});

test('durations are said as people say them', () => {
  const format = formatsOf('en-US');
  expect([0.4, 21, 47, 24 * 8, 24 * 200].map((hours) => format.until(hours * 3_600_000))).toEqual([
    '1 hr',
    '21 hr',
    '2 days',
    '8 days',
    '7 months',
  ]);
  expect(format.rangeEnds(7 * 86_400_000, 11 * 86_400_000)).toEqual(['7', '11 days']);
});
