import { expect, test } from 'vitest';
import type { TankEvent } from '../../../../src/evaluation/pure/alerts/tank_event.ts';
import type { OverfillSettings } from '../../../../src/evaluation/pure/alerts/tank_state.ts';
import { Random } from '../../../../src/simulation/random.ts';
import { DAY_MS, evaluateSeries, SERIES_START_MS, SETTINGS, Series } from '../../../support/series.ts';

/** The settings for propane. A warming of 20 °C expands a content of 80 % by 4.64 points. */
const PROPANE: OverfillSettings = { limitPercentage: 80, warmingPoints: 4.64, fromMs: SERIES_START_MS };

const overfills = (series: Series, overfill: OverfillSettings = PROPANE): TankEvent[] =>
  evaluateSeries(series.readings, undefined, { ...SETTINGS, overfill }).events.filter(
    ({ type }) => type === 'tank.overfilled',
  );

test('a delivery above the limit is reported once, with its level and the limit', () => {
  const series = new Series(4, 60).use(2, 15).fillTo(92).use(1, 5);
  const found = overfills(series);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ data: { limit_percentage: 80 } });
  if (found[0]?.type !== 'tank.overfilled') throw new Error('no event');
  expect(found[0].data.fill_percentage).toBeGreaterThan(90);
  // The next delivery is another episode.
  expect(overfills(new Series(4, 60).use(2, 15).fillTo(92).use(4, 12).fillTo(92).use(1, 3))).toHaveLength(2);
});

test('a delivery to the limit is not reported, and neither is its expansion in the heat', () => {
  expect(overfills(new Series(4, 60).use(2, 15).fillTo(80).use(1, 10))).toEqual([]);
  expect(overfills(new Series(4, 60).use(2, 15).fillTo(84).use(1, 10))).toEqual([]);
  // A tank that is filled to 80 % on a cold day is at 86 % in the sun. The room above the limit is for this.
  const warming = new Series(4, 60).use(2, 15).fillTo(80).show(81, 82.5, 84, 85, 86, 86, 85.5, 84, 82, 86, 86.2, 85);
  expect(overfills(warming)).toEqual([]);
});

test('a noisy gauge needs a higher level, and a tank with a limit of 100 % is never overfilled', () => {
  const oil: OverfillSettings = { limitPercentage: 90, warmingPoints: 1.5, fromMs: SERIES_START_MS };
  const noisy = (after: number): Series => {
    const series = new Series(4, 60);
    for (let n = 0; n < 60; n++) series.show(55 + (n % 2 === 0 ? 3 : -3));
    return series.show(...Array.from({ length: 12 }, (_, n) => after + (n % 2 === 0 ? 3 : -3)));
  };
  expect(overfills(new Series(4, 60).use(1, 15).fillTo(95).use(1, 3), oil)).toHaveLength(1);
  expect(overfills(noisy(93), oil)).toEqual([]);
  const water: OverfillSettings = { limitPercentage: 100, warmingPoints: 0.3, fromMs: SERIES_START_MS };
  expect(overfills(new Series(4, 60).use(2, 15).fillTo(100).use(1, 3), water)).toEqual([]);
});

/** Adds four readings a day. The sun moves their level by `swing` points, and the gauge by its noise. */
const inTheSun = (series: Series, days: number, levelOn: (day: number) => number, swing: number, noise = 0): Series => {
  const random = new Random(5);
  for (let n = 0; n < days * 4; n++)
    series.show(levelOn(n / 4) + swing * Math.sin((n / 2) * Math.PI) + noise * (random.next() + random.next() - 1));
  return series;
};

test('a level that rises above the limit without a delivery is reported once until it was at the limit again', () => {
  const filled = (): Series => new Series(4, 60).use(2, 15).fillTo(80).use(0, 3);
  // Propane expands from 80 % at a delivery in frost to 88 % in the heat.
  expect(overfills(inTheSun(filled(), 90, (day) => 80 + day * 0.09, 0.7, 0.5))).toEqual([]);
  const slow = inTheSun(filled(), 60, (day) => 80 + day * 0.2, 0.7, 0.5);
  const [found, ...more] = overfills(slow);
  expect(found).toMatchObject({ data: { limit_percentage: 80, without_delivery: true } });
  expect(more).toEqual([]);
  // The level stays at its highest for weeks, and the sun moves it around the reporting limit.
  expect(overfills(inTheSun(slow, 60, () => 89.5, 1.5, 1))).toHaveLength(1);
  const again = inTheSun(slow, 30, (day) => 92 - day * 0.5, 0.7, 0.5);
  expect(overfills(inTheSun(again, 60, (day) => 77 + day * 0.25, 0.7, 0.5))).toHaveLength(2);
});

test('the noise of a gauge is not reported as an overfill', () => {
  const series = new Series(4, 60).use(1, 5).fillTo(80).use(0.1, 5);
  expect(overfills(inTheSun(series, 200, () => 84, 1, 4))).toEqual([]);
  expect(overfills(inTheSun(new Series(4, 60).use(1, 5).fillTo(80).use(0.1, 5).show(96), 20, () => 80, 1))).toEqual([]);
});

test('deliveries before the upgrade are not reported', () => {
  const series = new Series(4, 60).use(2, 15).fillTo(92).use(4, 12).fillTo(92).use(1, 3);
  expect(overfills(series, { ...PROPANE, fromMs: SERIES_START_MS + 16 * DAY_MS })).toHaveLength(1);
  expect(overfills(series, { ...PROPANE, fromMs: SERIES_START_MS + 90 * DAY_MS })).toEqual([]);
});

test('a wrong level above the limit that comes back is not an overfill', () => {
  expect(overfills(new Series(24, 60).use(0.5, 20).show(97, 97, 97).use(0.5, 1))).toEqual([]);
});
