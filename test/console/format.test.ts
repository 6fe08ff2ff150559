import { expect, test } from 'vitest';
import { DAY_MS, formatsOf, localeOf } from '../../packages/console/src/format.ts';
import { isOver } from '../../packages/console/src/parts/month_end.ts';

/** Replaces spaces that do not break, because a reader sees no difference. */
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

test('durations are written as people say them', () => {
  const format = formatsOf('en-US');
  expect([0.4, 21, 47, 24 * 8, 24 * 200].map((hours) => format.until(hours * 3_600_000))).toEqual([
    '1 hour',
    '21 hours',
    '2 days',
    '8 days',
    '7 months',
  ]);
  const ends = (...[earliest = 0, latest = 0, likely = 0]: number[]): string =>
    format.rangeEnds(earliest * DAY_MS, latest * DAY_MS, likely * DAY_MS).join(' to ');
  expect(ends(7, 11, 9)).toBe('7 to 11 days');
});

test('a longer time never reads as a shorter one, and a range has the unit of its likely value', () => {
  const format = formatsOf('en-US');
  expect([97, 103, 119, 120].map((days) => format.until(days * DAY_MS))).toEqual([
    '97 days',
    '103 days',
    '119 days',
    '4 months',
  ]);
  const ends = (...[earliest = 0, latest = 0, likely = 0]: number[]): string =>
    format.rangeEnds(earliest * DAY_MS, latest * DAY_MS, likely * DAY_MS).join(' to ');
  expect(ends(41, 118, 70)).toBe('41 to 118 days');
  expect(ends(41, 190, 70)).toBe('41 to 190 days');
  expect(ends(90, 300, 150)).toBe('3 to 10 months');
  expect(ends(0.4, 2.5, 0.8)).toBe('10 to 60 hr');
});

test('a day to come is called today and tomorrow by the clock of the viewer, also before midnight', () => {
  const evening = new Date(2026, 10, 16, 23, 30).getTime();
  const days = ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-30'];
  const written = (locale: string): string[] => days.map((day) => formatsOf(locale).dayToCome(day, evening));
  expect(written('en-US')).toEqual(['today', 'tomorrow', 'Wednesday', 'Monday, November 30']);
  expect(written('es-MX')).toEqual(['hoy', 'mañana', 'miércoles', 'lunes, 30 de noviembre']);
});

test('the month of a use is over at its end, whenever the first reading was in it', () => {
  const onNov16 = new Date(2026, 10, 16, 12).getTime();
  expect(isOver(new Date(2026, 9, 21).toISOString(), onNov16)).toBe(true);
  expect(isOver(new Date(2026, 9, 1).toISOString(), onNov16)).toBe(true);
  expect(isOver(new Date(2026, 10, 1).toISOString(), onNov16)).toBe(false);
});
