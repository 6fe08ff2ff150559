import { describe, expect, test } from 'vitest';
import { formatsOf } from '../../packages/console/src/format.ts';
import { dayOf, localTime } from '../../packages/console/src/ledger/note_day.ts';
import { messageLinks } from '../../packages/console/src/rounds/link_message.ts';
import { clockIn, timeOnDay } from '../../packages/console/src/rounds/record_time.ts';
import { daysOf } from '../../packages/console/src/tank/timeline_days.ts';
import { zonedDayStartMs } from '../../src/values/zoned_time.ts';

describe('days of the organization', () => {
  test('a note without a time keeps its day, from UTC-11 to UTC+14', () => {
    for (const zone of ['Pacific/Pago_Pago', 'America/New_York', 'UTC', 'Pacific/Auckland', 'Pacific/Kiritimati'])
      for (const day of ['2026-01-31', '2026-07-01', '2026-11-17'])
        expect(dayOf(new Date(zonedDayStartMs(day, zone)).toISOString(), zone), `${zone} ${day}`).toBe(day);
  });

  test('a time that the office types is in the zone of the organization, on the day of the round', () => {
    const atMs = timeOnDay('2026-11-17', '10:35', 'America/New_York');
    expect(new Date(atMs).toISOString()).toBe('2026-11-17T15:35:00.000Z');
    expect(clockIn('America/New_York', atMs)).toBe('10:35');
    expect(localTime(atMs, 'America/New_York')).toBe('2026-11-17T10:35');
    // Clocks are set back in this night: 01:30 comes twice, and either is right.
    const twice = new Date(timeOnDay('2026-11-01', '01:30', 'America/New_York')).toISOString();
    expect(['2026-11-01T05:30:00.000Z', '2026-11-01T06:30:00.000Z']).toContain(twice);
  });

  test('a note without a time stands under its own day in the timeline, also in a browser further west', () => {
    const entry = (at: string, precision: string) => ({ at, delivery: { notes: [{ precision }] } });
    const [morning, evening] = [entry('2026-11-17T15:00:00Z', 'time'), entry('2026-11-17T05:30:00Z', 'time')];
    const note = entry('2026-11-17T05:00:00Z', 'day');
    const zones = { browser: 'America/Los_Angeles', organization: 'America/New_York' };
    expect(daysOf([morning, evening, note], zones)).toEqual([
      ['2026-11-17', [morning, note]],
      ['2026-11-16', [evening]],
    ]);
  });

  test('a date has the same weekday in every zone', () => {
    expect(formatsOf('en-US').longDay('2026-11-17')).toBe('Tuesday, November 17');
  });
});

describe('the message for the driver', () => {
  const round = {
    date: '2026-11-17',
    truck: { id: '', name: 'Truck 1', capacity: 3_200 },
    driver: { id: '', name: 'Sam Ortiz', phone: '+1 (802) 555-0155' },
    counts: { stops: 9, must: 2, open: 9, delivered: 0, not_possible: 0, not_done: 0, blocked: 0 },
  };
  const url = 'https://tanks.example.com/driver/#a.b';

  test('has the language of the organization, and leads to the number of the driver', () => {
    const text = encodeURIComponent(`Your round of Tuesday, November 17: 9 stops, Truck 1. ${url}`);
    expect(messageLinks(round, url, 'en-US')).toEqual({
      sms: `sms:+18025550155?&body=${text}`,
      whatsApp: `https://wa.me/18025550155?text=${text}`,
      mail: `mailto:?subject=${encodeURIComponent('Round of Tuesday, November 17')}&body=${text}`,
    });
    expect(decodeURIComponent(messageLinks(round, url, 'es-MX').sms)).toContain(
      `Su ruta del martes, 17 de noviembre: 9 paradas, Truck 1. ${url}`,
    );
  });

  test('asks whom to send it to if the number has no country, or there is none', () => {
    const local = { ...round, driver: { ...round.driver, phone: '555 0155' } };
    expect(messageLinks(local, url, 'en-US').whatsApp).toMatch(/^https:\/\/wa\.me\/\?text=/);
    expect(messageLinks({ ...round, driver: null }, url, 'en-US').sms).toMatch(/^sms:\?&body=/);
  });
});
