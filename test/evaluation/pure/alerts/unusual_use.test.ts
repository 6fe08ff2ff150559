import { expect, test } from 'vitest';
import type { TankEvent } from '../../../../src/evaluation/pure/alerts/tank_event.ts';
import { forecast } from '../../../../src/evaluation/pure/estimator/forecast.ts';
import { evaluateSeries, SETTINGS, Series } from '../../../support/series.ts';

const unusualIn = (events: readonly TankEvent[]): TankEvent[] =>
  events.filter(({ type }) => type === 'tank.unusual_use');

test.each([
  [24, 2],
  [4, 2],
  [1, 3],
])('an idle tank that loses 2 points a day is reported once with %i readings a day, within %i days', (perDay, days) => {
  const idle = new Series(perDay, 80).use(0, 40);
  expect(unusualIn(evaluateSeries(idle.readings).events)).toEqual([]);
  const leaking = new Series(perDay, 80).use(0, 40).use(2, days);
  expect(unusualIn(evaluateSeries(leaking.readings).events)).toHaveLength(1);
  const events = evaluateSeries(new Series(perDay, 80).use(0, 40).use(2, 12).readings).events;
  expect(events.map(({ type }) => type)).toEqual(['tank.unusual_use']);
});

test('the event contains the level before the fall, the used volume and the usual volume per day', () => {
  const { events } = evaluateSeries(new Series(24, 80).use(0, 40).use(4, 3).readings);
  expect(unusualIn(events)).toMatchObject([{ data: { from_percentage: 80, volume_unit: SETTINGS.capacityUnit } }]);
  const [found] = unusualIn(events);
  if (found?.type !== 'tank.unusual_use') throw new Error('no event');
  expect(found.data.hours).toBeGreaterThanOrEqual(20);
  expect(found.data.usual_volume_per_day).toBeLessThan(found.data.used_volume);
});

test('a fall of 10 points between two daily readings of an idle tank is reported', () => {
  const { events } = evaluateSeries(new Series(1, 80).use(0, 40).show(70, 70, 70).readings);
  expect(unusualIn(events)).toHaveLength(1);
});

test('neither steady use, nor use that grows by half, nor a delivery is unusual', () => {
  const steady = new Series(4, 95).use(2, 25).fillTo(90).use(2, 20).use(3, 5);
  expect(unusualIn(evaluateSeries(steady.readings).events)).toEqual([]);
});

test('a loss is not reported as unusual use too', () => {
  const { events } = evaluateSeries(new Series(24, 80).use(1, 30).use(24, 2).readings);
  expect(events.map(({ type }) => type)).toContain('tank.rapid_loss');
  expect(unusualIn(events)).toEqual([]);
});

test('a generator that runs for three days three times is reported as a loss once', () => {
  const run = (series: Series): Series => series.use(0, 20).use(17, 3).fillTo(95);
  const { events } = evaluateSeries(run(run(run(new Series(1, 95)))).readings);
  expect(events.filter(({ type }) => type === 'tank.rapid_loss')).toHaveLength(1);
});

test('two days after use has clearly changed, the forecast follows the last days', () => {
  const likelyAfter = (series: Series): number => {
    const { state } = evaluateSeries(series.readings);
    return forecast({ minFillAlertPercentage: 20 }, state, state.atMs, null)?.daysToThreshold.likely ?? 0;
  };
  const changed = likelyAfter(new Series(24, 98).use(0.5, 40).use(6, 2));
  const left = 98 - 20 - 12 - 20;
  expect(changed).toBeGreaterThan((0.75 * left) / 6);
  expect(changed).toBeLessThan((1.3 * left) / 6);
});
