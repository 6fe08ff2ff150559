import { expect, test } from 'vitest';
import { parseTimeZone, zonedDate, zonedDayStartMs } from '../../src/values/zoned_time.ts';

test('a time zone is a name of the IANA database, also one that Intl does not list', () => {
  const names = {
    'america/mexico_city': 'America/Mexico_City',
    'Asia/Kolkata': 'Asia/Kolkata',
    'America/Argentina/Buenos_Aires': 'America/Argentina/Buenos_Aires',
    'Europe/Kyiv': 'Europe/Kyiv',
    'US/Eastern': 'America/New_York',
    ' utc': 'UTC',
    'Mars/Olympus': undefined,
    '+01:00': undefined,
    '': undefined,
  };
  expect(Object.fromEntries(Object.keys(names).map((name) => [name, parseTimeZone(name)]))).toEqual(names);
});

test.each([
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z'],
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00Z'],
  ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00Z'],
  ['America/Havana', '2026-03-08', '2026-03-08T05:00:00Z'],
  ['America/Havana', '2026-11-01', '2026-11-01T04:00:00Z'],
])('the day of %s on which clocks are set begins when its date begins: %s', (zone, day, begins) => {
  const startMs = zonedDayStartMs(day, zone);
  expect(new Date(startMs).toISOString().replace('.000', '')).toBe(begins);
  expect(zonedDate(startMs, zone)).toBe(day);
  expect(zonedDate(startMs - 1, zone) < day).toBe(true);
});
