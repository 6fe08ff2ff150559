import { describe, expect, test } from 'vitest';
import { FleetScore } from '../../../src/evaluation/pure/score/fleet_score.ts';
import { type TankScore, TankScorer } from '../../../src/evaluation/pure/score/score_tank.ts';
import { DAY_MS, HOUR_MS } from '../../../src/values/time.ts';

const FIRST_MS = Date.UTC(2026, 0);
const SETTINGS = { minFillAlertPercentage: 20, capacity: 1_000, capacityUnit: 'liters' } as const;

/** The score of readings every six hours, whose level is a function of the day. */
function scoreOf(days: number, levelAt: (day: number) => number, sinceMs = 0): TankScore {
  const scorer = new TankScorer(SETTINGS, sinceMs);
  for (let hour = 0; hour < days * 24; hour += 6)
    scorer.add({ atMs: FIRST_MS + hour * HOUR_MS, fillPercentage: Math.round(levelAt(hour / 24) * 10) / 10 });
  return scorer.end();
}

/** The level falls by two points a day, and is filled to 90 at 15, every 37.5 days. */
const steady = (day: number): number => 90 - ((day * 2) % 75);

describe('the score of a tank', () => {
  test('of steady use has close forecasts and right events', () => {
    const { forecasts, events, readingsPerDay } = scoreOf(300, steady);
    expect(Math.round(readingsPerDay)).toBe(4);
    for (const daysAhead of [7, 14, 21]) {
      const ahead = forecasts.filter((forecast) => forecast.daysAhead === daysAhead);
      expect(ahead.length).toBeGreaterThan(5);
      for (const { days, likely } of ahead) {
        expect(days).toBeGreaterThanOrEqual(daysAhead);
        expect(Math.abs((likely ?? 0) - days) / days).toBeLessThan(0.2);
      }
    }
    const refills = events.filter(({ type }) => type === 'tank.refilled');
    const lows = events.filter(({ type }) => type === 'tank.low_fill');
    expect([refills.length, lows.length]).toEqual([7, 8]);
    expect(refills.filter(({ verdict }) => verdict === 'right').length).toBeGreaterThanOrEqual(6);
    expect(events.filter(({ verdict }) => verdict === 'wrong' || verdict === 'retracted')).toEqual([]);
    for (const { delayHours } of events) expect(delayHours).toBeGreaterThanOrEqual(0);
  });

  test('of use that doubles shows the error of the forecasts', () => {
    const { forecasts } = scoreOf(60, (day) => (day < 40 ? 95 - day : 55 - (day - 40) * 2));
    const afterChange = forecasts.filter(({ daysAhead, atMs }) => daysAhead === 7 && atMs >= FIRST_MS + 38 * DAY_MS);
    const [first] = afterChange.toSorted((a, b) => a.atMs - b.atMs);
    // When the use had just doubled, 14 points were 14 days by the earlier use, but 7 days in truth.
    expect(first?.likely).toBeGreaterThan(1.2 * (first?.days ?? 0));
  });

  test('contains only forecasts and events since the given time', () => {
    const sinceMs = FIRST_MS + 200 * DAY_MS;
    const { forecasts, events } = scoreOf(300, steady, sinceMs);
    expect(forecasts.every(({ atMs }) => atMs >= sinceMs)).toBe(true);
    expect(forecasts.length).toBeGreaterThan(5);
    expect(events.length).toBeLessThan(scoreOf(300, steady).events.length);
  });
});

test('the score of a fleet has groups of all tanks, uses, places and cadences, and null for values without cases', () => {
  const fleet = new FleetScore();
  fleet.add({ use: 'residential', place: 'León' }, scoreOf(300, steady));
  fleet.add({ use: 'residential', place: null }, scoreOf(300, steady));
  fleet.add(
    { use: null, place: 'León' },
    scoreOf(10, () => 50),
  );
  const groups = fleet.groups();
  expect(groups.map(({ by, name, tanks }) => [by, name, tanks])).toEqual([
    ['all', null, 3],
    ['use', 'residential', 2],
    ['use', null, 1],
    ['place', 'León', 2],
    ['place', null, 1],
    ['cadence', '4', 3],
  ]);
  const [all, , idle] = groups;
  expect(all?.forecasts.map(({ days_ahead }) => days_ahead)).toEqual([7, 14, 21]);
  expect(all?.forecasts[0]?.median_error).toBeLessThan(0.2);
  const right = all?.events.find(({ type }) => type === 'tank.refilled');
  expect((right?.right ?? 0) + (right?.unknown ?? 0)).toBe(right?.raised);
  expect(idle?.forecasts[0]).toEqual({ days_ahead: 7, asked: 0, median_error: null, inside: null, in_time: null });
  expect(idle?.events[0]).toMatchObject({ raised: 0, median_delay_hours: null });
});
