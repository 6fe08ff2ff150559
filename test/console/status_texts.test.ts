import type { TankStatus } from '@tankwatch/client';
import { expect, test } from 'vitest';
import { DAY_MS, formatsOf, HOUR_MS } from '../../packages/console/src/format.ts';
import { timeLeft } from '../../packages/console/src/map/time_left.ts';
import { isDeliveredInTime, isOutdated, volumeLeft } from '../../packages/console/src/status.ts';
import { dueTexts, emptyTexts } from '../../packages/console/src/time_texts.ts';
import { isTankMissing } from '../../packages/console/src/today/missing_tank.ts';
import { en as english } from '../../packages/console/src/translations/en.ts';
import { TANK_STATUS_EXAMPLE } from '../../src/api/fleet/tank_status_schema.ts';

const en = english('gas');

const NOW_MS = Date.parse('2026-11-16T12:00:00Z');
const at = (days: number): string => new Date(NOW_MS + days * DAY_MS).toISOString();
const around = (days: number) => ({ likely_at: at(days), earliest_at: at(days - 1), latest_at: at(days + 1) });
const format = formatsOf('en-US');

/** A tank that was read an hour ago, with 12 days to its threshold and 20 until it is empty. */
const tankWith = (values: Partial<TankStatus>): TankStatus => ({
  ...TANK_STATUS_EXAMPLE,
  reading: { created_at: new Date(NOW_MS - HOUR_MS).toISOString(), fill_percentage: 31, is_confirmed: true },
  status: [],
  threshold: around(12),
  empty: around(20),
  planned_delivery: null,
  ...values,
});

const low: Partial<TankStatus> = { status: ['low'], section: 'low', low_since: at(-2), empty: around(6) };

test('while the gauge is unreliable, no time is shown for the threshold and for the empty tank', () => {
  const tank = tankWith({ status: ['gauge_unreliable'], section: 'gauge' });
  expect(dueTexts(tank, NOW_MS, en, format).main).toBe('unknown');
  expect(emptyTexts(tank, NOW_MS, en, format).main).toBe('unknown');
});

test('a low tank on the map says when it is empty, also while somebody takes care of it', () => {
  const shown = { label: 'Empty in', main: '6 days', detail: '5 to 7 days' };
  expect(timeLeft(tankWith(low), NOW_MS, en, format)).toEqual(shown);
  expect(timeLeft(tankWith({ ...low, section: 'handled' }), NOW_MS, en, format)).toEqual(shown);
  const losing = tankWith({ ...low, status: ['losing', 'low'], section: 'losing' });
  expect(timeLeft(losing, NOW_MS, en, format).main).toBe(en.leak.losing);
});

test('an owner with a low tank need not call if the truck comes before it can be empty', () => {
  const planned = (days: number): TankStatus =>
    tankWith({
      ...low,
      planned_delivery: { date: at(days).slice(0, 10), round_id: 'round', is_under_way: false },
    });
  expect([0, 3, 5, 9].map((days) => isDeliveredInTime(planned(days)))).toEqual([true, true, false, false]);
  expect(isDeliveredInTime(tankWith(low))).toBe(false);
  expect(isDeliveredInTime({ ...planned(0), empty: null })).toBe(false);
});

test('a tank that left its section unexpectedly and is in no other section counts as missing', () => {
  const row = (section: TankStatus['section'], id = 'a') => ({
    status: tankWith({ section, tank: { ...TANK_STATUS_EXAMPLE.tank, id } }),
  });
  const here = { low: [row('low'), row('low', 'b')], handled: [] };
  expect(isTankMissing({}, here)).toBe(false);
  expect(isTankMissing(here, here)).toBe(false);
  expect(isTankMissing(here, { low: [row('low', 'b')], handled: [] })).toBe(true);
  expect(isTankMissing(here, { low: [row('low', 'b')], handled: [row('handled')] })).toBe(false);
  // All sections were read again when its new section became known.
  expect(isTankMissing({ low: [row('handled')] }, { low: [], handled: [] })).toBe(false);
});

test('without an estimate, the level on a dial is the current one for a day, also as a volume', () => {
  const readHoursAgo = (hoursAgo: number): TankStatus =>
    tankWith({
      source: 'estimated',
      volume: { ...TANK_STATUS_EXAMPLE.volume, left: null, use_per_day: null },
      dip: {
        last_at: new Date(Date.now() - hoursAgo * HOUR_MS).toISOString(),
        is_wanted: false,
        cannot_be_told: 'no_comparison',
      },
    });
  expect([isOutdated(readHoursAgo(1)), isOutdated(readHoursAgo(25))]).toEqual([false, true]);
  expect(volumeLeft(readHoursAgo(1))).toBeCloseTo(TANK_STATUS_EXAMPLE.tank.capacity * 0.31);
  expect(volumeLeft(readHoursAgo(25))).toBeNull();
});
