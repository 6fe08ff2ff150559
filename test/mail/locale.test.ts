import { expect, test } from 'vitest';
import { dueDay } from '../../src/mail/digests.ts';
import { formatsFor, languageOf, languagesFor, parseLanguageTag } from '../../src/mail/locale.ts';
import { writerFor } from '../../src/mail/mail_organization.ts';

test('a language is English or Spanish with a region that exists', () => {
  const tags = ['es-MX', 'es_mx', 'EN', 'es-419', 'en-US', 'fr', 'es-XX', 'es-ZZ', 'es-MX-x', '', 'e'];
  expect(tags.map(parseLanguageTag)).toEqual([
    'es-MX',
    'es-MX',
    'en',
    'es-419',
    'en-US',
    ...Array.from({ length: 6 }, () => undefined),
  ]);
  expect(['es-MX', 'en', 'en-GB'].map(languageOf)).toEqual(['es', 'en', 'en']);
});

test('the formats of a region and a time zone are created once', () => {
  const formats = formatsFor({ language: 'es-MX', time_zone: 'America/Tijuana' });
  expect(formatsFor({ language: 'es-MX', time_zone: 'America/Tijuana' })).toBe(formats);
  expect(formatsFor({ language: 'es-MX', time_zone: 'America/Cancun' })).not.toBe(formats);
});

test('numbers and times are written by the rules of the region and the time zone', () => {
  const written = (language: string, time_zone: string): string[] => {
    const { percent, volume, time } = formatsFor({ language, time_zone });
    return [percent(17.9), volume(1_834.4, 'liters'), volume(4.25, 'gallons'), time('2026-11-15T14:30:00.000Z')];
  };
  expect(written('es-MX', 'America/Mexico_City')).toEqual([
    '17.9%',
    '1,834 litros',
    '4.3 galones',
    '15 nov 2026, 8:30 a.m.',
  ]);
  expect(written('es-ES', 'Europe/Madrid')).toEqual(['17,9 %', '1834 litros', '4,3 galones', '15 nov 2026, 15:30']);
  expect(written('en-US', 'America/Chicago')).toEqual([
    '17.9%',
    '1,834 liters',
    '4.3 gallons',
    'Nov 15, 2026, 8:30 AM',
  ]);
  expect(written('en', 'UTC')[3]).toBe('Nov 15, 2026, 2:30 PM UTC');
  // Without a region, Spanish is written as in Mexico.
  expect(written('es', 'America/Mexico_City')).toEqual(written('es-MX', 'America/Mexico_City'));
});

test('a time zone has the name that people use', () => {
  const zoneName = (language: string, time_zone: string): string => formatsFor({ language, time_zone }).zoneName;
  expect(zoneName('en-US', 'America/New_York')).toBe('Eastern Time');
  expect(zoneName('es-MX', 'America/Mexico_City')).toBe('hora estándar central');
  expect(zoneName('es-ES', 'Europe/Madrid')).toBe('hora de Europa central');
  expect(zoneName('en', 'UTC')).toBe('UTC');
});

test('the language that a browser prefers comes first, and English if it prefers another one', () => {
  const first = (header: string | undefined): string | undefined => languagesFor(header)[0];
  expect([undefined, '', 'fr-FR, de;q=0.9', 'en-US,en;q=0.9,es;q=0.8'].map(first)).toEqual(['en', 'en', 'en', 'en']);
  expect(['es-MX,es;q=0.9,en;q=0.8', 'ES', 'fr, en;q=0.2, es;q=0.3', 'en;q=0, es;q=x, es-419'].map(first)).toEqual([
    'es',
    'es',
    'es',
    'es',
  ]);
  expect(languagesFor('es')).toEqual(['es', 'en']);
});

test('days of a forecast are written as whole numbers with a range that is not narrower', () => {
  const { days } = writerFor({ language: 'en', time_zone: 'UTC' }).texts;
  expect(days({ likely: 12.8, earliest: 9.6, latest: 18.5 })).toBe('about 13 days (9 to 19)');
  expect(days({ likely: 1.2, earliest: 1.1, latest: 1.9 })).toBe('about 1 day (1 to 2)');
  expect(days({ likely: 0.4, earliest: 0.1, latest: 0.9 })).toBe('less than a day');
  expect(days({ likely: 40, earliest: 20.5, latest: null })).toBe('about 40 days (20 or more)');
  expect(days({ likely: null, earliest: 300, latest: null })).toBe('more than two years');
  expect(days({ likely: 0, earliest: 0, latest: 1.4 })).toBe('now');
  expect(writerFor({ language: 'es-MX', time_zone: 'UTC' }).texts.days({ likely: 6, earliest: 4, latest: 9 })).toBe(
    'unos 6 días (de 4 a 9)',
  );
});

test('a digest is due once a day after its hour, in the time zone of the organization', () => {
  const due = (now: string, more: Partial<Parameters<typeof dueDay>[0]> = {}) =>
    dueDay(
      {
        digest_at: '07:00',
        digest_since: '2026-01-01T00:00:00.000Z',
        time_zone: 'America/Mexico_City',
        latest_day: null,
        ...more,
      },
      Date.parse(now),
    );
  // 07:00 in Mexico City is 13:00 in UTC.
  expect(due('2026-11-15T12:59:59Z')).toBe(null);
  expect(due('2026-11-15T13:00:00Z')).toBe('2026-11-15');
  expect(due('2026-11-16T05:59:00Z')).toBe('2026-11-15'); // late, but still the same day there
  expect(due('2026-11-15T13:01:00Z', { latest_day: '2026-11-15' })).toBe(null);
  expect(due('2026-11-15T13:01:00Z', { latest_day: '2026-11-14' })).toBe('2026-11-15');
  // A contact who chooses the digest after its hour gets the first one on the next day.
  const chosen = { digest_since: '2026-11-15T15:00:00.000Z' };
  expect(due('2026-11-15T15:01:00Z', chosen)).toBe(null);
  expect(due('2026-11-16T13:00:00Z', chosen)).toBe('2026-11-16');
  // Madrid has no 02:30 on 2026-03-29, and two of them on 2026-10-25.
  const madrid = { time_zone: 'Europe/Madrid', digest_at: '02:30' };
  expect(due('2026-03-29T00:59:00Z', madrid)).toBe(null);
  expect(due('2026-03-29T01:00:00Z', madrid)).toBe('2026-03-29');
  expect(due('2026-10-25T00:30:00Z', madrid)).toBe('2026-10-25');
  expect(due('2026-10-25T01:30:00Z', { ...madrid, latest_day: '2026-10-25' })).toBe(null);
});
