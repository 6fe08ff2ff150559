import { describe, expect, test } from 'vitest';
import { forecast } from '../../../../src/evaluation/pure/estimator/forecast.ts';
import { DAY_MS, evaluateSeries, SETTINGS, Series, typesOf } from '../../../support/series.ts';

/** Evaluates readings, and returns the largest distance between an accepted reading and the level, and the largest noise. */
function evaluateWithMaxima(readings: Series['readings']) {
  let distance = 0;
  let noise = 0;
  const result = evaluateSeries(readings, (state, { fillPercentage }) => {
    if (state.outliers === null) distance = Math.max(distance, Math.abs((state.level?.level ?? 0) - fillPercentage));
    noise = Math.max(noise, state.level?.noise ?? 0);
  });
  return { ...result, distance, noise };
}

describe('the level follows the gauge', () => {
  test.for([4, 24])('when an idle tank begins to be used, with %i readings a day', (readingsPerDay) => {
    const series = new Series(readingsPerDay, 80).use(0, 9).use(4.2, 15).fillTo(88).use(4.2, 2);
    const { events, distance, noise, state } = evaluateWithMaxima(series.readings);
    expect(typesOf(events)).toEqual(['low_fill', 'refilled', 'fill_recovered']);
    expect(distance).toBeLessThan(2);
    expect(noise).toBeLessThan(2);
    expect(state.level?.rate).toBeCloseTo(4.2, 0);
  });

  test('of a tank that uses 14 points a day, read once a day and filled every fourth', () => {
    const series = new Series(1, 60);
    for (let round = 0; round < 12; round++) series.use(12 + (round % 3) * 2, 4).fillTo(85 - (round % 4));
    const { events, state } = evaluateWithMaxima(series.use(14, 3).readings);
    expect(typesOf(events).filter((type) => type === 'refilled').length).toBeGreaterThanOrEqual(11);
    expect(typesOf(events)).not.toContain('rapid_loss');
    expect(state.level?.rate).toBeGreaterThan(10);
  });

  test('of a tank that is read once a day at the same hour, without learning a daily wave', () => {
    const series = new Series(1, 80);
    for (let round = 0; round < 12; round++) series.use(0.6 + (round % 5) * 0.4, 38).fillTo(85);
    const { distance, state } = evaluateWithMaxima(series.readings);
    expect(distance).toBeLessThan(1.5);
    expect([state.level?.cosine, state.level?.sine]).toEqual([0, 0]);
  });

  test('when use begins, which raises at most one loss and is learned within a week', () => {
    const { events, state } = evaluateWithMaxima(new Series(1, 90).use(0, 50).use(8.5, 7).readings);
    expect(typesOf(events).filter((type) => type === 'rapid_loss').length).toBeLessThanOrEqual(1);
    expect(Math.abs((state.level?.rate ?? 0) - 8.5)).toBeLessThan(1.5);
  });

  test('when a delivery comes after the first two readings', () => {
    const { events } = evaluateWithMaxima(new Series(1, 40).show(40).fillTo(81).use(0.1, 10).readings);
    expect(events).toMatchObject([{ type: 'tank.refilled', data: { after_percentage: expect.closeTo(81, -1) } }]);
  });
});

describe('a gauge that fails', () => {
  const stuck = (hours: number, value: number) =>
    new Series(24, 91).use(0.1, 7).show(...Array.from({ length: hours }, () => value));

  test('at exactly 100 for hours is reported once, and raises nothing else', () => {
    const series = stuck(16, 100)
      .use(0.1, 1)
      .show(...Array.from({ length: 11 }, () => 100))
      .use(0.1, 6);
    const { events } = evaluateSeries(series.readings);
    expect(typesOf(events)).toEqual(['gauge_unreliable', 'gauge_reliable']);
    expect(events[0]).toMatchObject({
      data: { reason: 'stuck_at_limit', since: '2025-01-08T06:00:00.000Z', fill_percentage: 100 },
      readings: [{ fill_percentage: 90.3 }, { fill_percentage: 100 }, { fill_percentage: 100 }],
    });
  });

  test('at exactly 0 is not a low tank, and the forecast says that the gauge is not reliable', () => {
    const { events, state } = evaluateSeries(stuck(20, 0).readings);
    expect(typesOf(events)).toEqual(['gauge_unreliable']);
    expect(forecast(SETTINGS, state, state.atMs, null)).toMatchObject({
      isGaugeReliable: false,
      fillPercentage: expect.closeTo(90.2, 0),
    });
  });

  test('for five hours raises no event', () => {
    expect(evaluateSeries(stuck(5, 100).use(0.1, 5).readings).events).toEqual([]);
  });

  test('does not hide a delivery that came meanwhile', () => {
    const series = new Series(24, 40).use(0.5, 7).show(...Array.from({ length: 30 }, () => 100));
    const { events } = evaluateSeries(series.fillTo(85).use(0.5, 5).readings);
    expect(typesOf(events)).toEqual(['gauge_unreliable', 'refilled', 'gauge_reliable']);
  });

  test('and jumps between two levels raises at most one alert before it is reported, and none after', () => {
    const series = new Series(24, 48).use(0.3, 4);
    for (let n = 0; n < 100; n++)
      series.use(0.3, 3 / 24).show(...Array.from({ length: 1 + (n % 4) }, () => 15 - n / 50));
    const { events } = evaluateSeries(series.readings);
    const types = typesOf(events);
    expect(types.filter((type) => type === 'gauge_unreliable')).toHaveLength(1);
    expect(types.at(-1)).toBe('gauge_unreliable');
    expect(types.filter((type) => type === 'low_fill').length).toBeLessThanOrEqual(1);
  });

  test('is not assumed of a tank that is full for days and used again', () => {
    const series = new Series(24, 96).use(-3, 1.5).use(0, 10).use(2, 5);
    expect(evaluateSeries(series.readings).events).toEqual([]);
  });
});

test('spikes of two or three hours raise nothing', () => {
  const series = new Series(24, 70).use(0.2, 20);
  for (let n = 0; n < 3; n++) series.show(35, 35.2).use(0.2, 8);
  expect(evaluateSeries(series.show(34, 34, 34).use(0.2, 3).readings).events).toEqual([]);
});

test('a low reading that use explains raises an alert at once, also if the tank is filled before the next reading', () => {
  const series = new Series(1, 80).use(11, 5).show(22, 84, 73);
  expect(typesOf(evaluateSeries(series.readings).events)).toEqual(['low_fill', 'refilled', 'fill_recovered']);
});

test('the interval of a forecast contains the truth when use changes between 1 and 1.45 points a day each week', () => {
  const series = new Series(4, 95);
  for (let week = 0; week < 8; week++) series.use(week % 2 === 0 ? 1 : 1.45, 7);
  const { state } = evaluateSeries(series.readings);
  const days = forecast(SETTINGS, state, state.atMs, null)?.daysToThreshold;
  const fill = series.readings.at(-1)?.fillPercentage ?? 0;
  expect((fill - 25) / 1.45).toBeGreaterThan(days?.earliest ?? 0);
  expect((fill - 25) / 1).toBeLessThan(days?.latest ?? 0);
  expect(state.atMs).toBeLessThan(series.atMs + DAY_MS);
});
