import { expect, test } from 'vitest';
import { parseTimeZone } from '../../src/values/zoned_time.ts';

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
