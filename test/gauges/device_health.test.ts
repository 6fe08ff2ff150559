import { describe, expect, test } from 'vitest';
import {
  type DeviceHealth,
  foldReport,
  type HealthReport,
  monthsLeft,
  usualSignal,
} from '../../src/gauges/health/device_health.ts';
import { Random } from '../../src/simulation/random.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';

const START_MS = Date.UTC(2026, 0, 1);

/** Folds reports as the writer does, and returns the last stored health, the events with their hours, and the number of writes. */
function foldAll(reports: readonly HealthReport[]): {
  health: DeviceHealth | null;
  events: [string, number][];
  writes: number;
} {
  let stored: DeviceHealth | null = null;
  let writes = 0;
  const events: [string, number][] = [];
  for (const report of reports) {
    const { health, isToStore, event } = foldReport(stored, report);
    if (!isToStore) continue;
    stored = health;
    writes += 1;
    if (event !== null) events.push([event, (report.at_ms - START_MS) / HOUR_MS]);
  }
  return { health: stored, events, writes };
}

const every = (hours: number, days: number, reportAt: (hour: number) => Omit<HealthReport, 'at_ms'>): HealthReport[] =>
  Array.from({ length: Math.floor((days * 24) / hours) }, (_, index) => ({
    at_ms: START_MS + index * hours * HOUR_MS,
    ...reportAt(index * hours),
  }));

describe('a battery', () => {
  const isNight = (hour: number): boolean => hour % 24 < 8;

  test('that is low only in cold nights causes no event, and one that is also low by day causes one', () => {
    const cold = every(1, 30, (hour) => ({ battery_percent: isNight(hour) ? 9 : 22 }));
    expect(foldAll(cold).events).toEqual([]);
    const falling = every(1, 60, (hour) => ({ battery_percent: 30 - hour / 60 - (isNight(hour) ? 8 : 0) }));
    expect(foldAll(falling).events.map(([type]) => type)).toEqual(['device.battery_low']);
  });

  test('that moves around the limit causes one event until it is replaced', () => {
    const random = new Random(41);
    const noisy = every(6, 120, () => ({ battery_percent: 13 + 5 * random.next() }));
    const changed = every(6, 2, () => ({ battery_percent: 98 })).map((report) => ({
      ...report,
      at_ms: report.at_ms + 120 * DAY_MS,
    }));
    expect(foldAll([...noisy, ...changed]).events.map(([type]) => type)).toEqual([
      'device.battery_low',
      'device.battery_ok',
    ]);
  });

  test('that the device reports as low is low after a second report 6 hours later, and good after three days without one', () => {
    const once = every(6, 3, (hour) => ({ is_battery_low: hour === 12 }));
    expect(foldAll(once).events).toEqual([]);
    const flagged = every(6, 20, (hour) => ({ is_battery_low: hour >= 48 && hour < 240 }));
    expect(foldAll(flagged).events).toEqual([
      ['device.battery_low', 54],
      ['device.battery_ok', 234 + 72],
    ]);
  });

  test('has an estimate of months left only if it falls by more than its noise', () => {
    const random = new Random(42);
    const fall = (perDay: number, noise: number): ReturnType<typeof monthsLeft> => {
      const { health } = foldAll(
        every(24, 90, (hour) => ({ battery_percent: 60 - (perDay * hour) / 24 + noise * (random.next() - 0.5) })),
      );
      return health === null ? null : monthsLeft(health);
    };
    const left = fall(0.2, 2);
    expect(left?.min).toBeLessThanOrEqual(left?.max ?? 0);
    expect(left?.min).toBeGreaterThanOrEqual(3);
    expect(left?.max).toBeLessThanOrEqual(6); // (60 - 18 - 15) / 0.2 = 135 days
    expect(fall(0, 4)).toBeNull();
  });
});

test('the row of a device that reports every minute is written once an hour, and a late report changes nothing', () => {
  const reports = every(1 / 60, 1, () => ({ battery_percent: 80, rssi_dbm: -90 }));
  const { health, writes } = foldAll(reports);
  expect(writes).toBe(24);
  expect(health && foldReport(health, { at_ms: START_MS, battery_percent: 1, fault: 'late' })).toMatchObject({
    isToStore: false,
    health: { battery_percent: 80, fault: null },
  });
});

test('a fault keeps the time of its beginning, and ends with a report that has a level', () => {
  const faultAt = (hour: number) => (hour < 24 ? { fault: 'no echo' } : { battery_percent: 80 });
  const reports = every(6, 2, (hour) => (hour >= 12 && hour < 36 ? faultAt(hour) : { has_level: true }));
  expect(foldAll(reports.slice(0, 5)).health).toMatchObject({
    fault: 'no echo',
    fault_since_ms: START_MS + 12 * HOUR_MS,
  });
  expect(foldAll(reports).health).toMatchObject({ fault: null, fault_since_ms: null });
});

test('the usual signal is the median of a week, and a gap of months removes the old days', () => {
  const week = every(24, 7, (hour) => ({ rssi_dbm: hour === 24 ? -80 : -118 }));
  const { health } = foldAll(week);
  expect(usualSignal(health?.signal_days ?? [])).toBe(-118);
  expect(health?.is_signal_weak).toBe(true);
  const { health: later } = foldAll([...week, { at_ms: START_MS + 400 * DAY_MS, rssi_dbm: -70 }]);
  expect(later).toMatchObject({ is_signal_weak: false, signal_days: [null, null, null, null, null, null, -70] });
  expect(later?.battery_days).toHaveLength(90);
});
