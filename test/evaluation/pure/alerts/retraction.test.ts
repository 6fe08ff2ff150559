import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../src/evaluation/pure/alerts/evaluate.ts';
import { INITIAL_STATE } from '../../../../src/evaluation/pure/alerts/tank_state.ts';
import { EventLedger } from '../../../support/event_ledger.ts';
import { DAY_MS, evaluateSeries, HOUR_MS, SETTINGS, Series, typesOf } from '../../../support/series.ts';

const repeat = (count: number, value: number): number[] => Array.from({ length: count }, () => value);
const typesRetracted = (series: Series): string[] => evaluateSeries(series.readings).retracted.map(({ type }) => type);

/** An hourly gauge that shows wrong levels for 17 hours, and then the level as before. */
const faultOfADay = (): Series =>
  new Series(24, 61)
    .use(0.3, 30)
    .show(...repeat(4, 12.2), 0, ...repeat(3, 12), ...repeat(9, 0))
    .use(0.3, 6);

describe('a level that comes back', () => {
  test('after a gauge fault of a day retracts the alert and the loss, and is not a refill', () => {
    const { events, reported, retracted, state } = evaluateSeries(faultOfADay().readings);
    expect(typesOf(reported)).toEqual(expect.arrayContaining(['low_fill', 'rapid_loss']));
    expect(retracted.map(({ type }) => type)).toEqual(expect.arrayContaining(['tank.low_fill', 'tank.rapid_loss']));
    expect(retracted.every(({ reason }) => reason === 'gauge_fault')).toBe(true);
    expect(typesOf(events)).toEqual(['gauge_unreliable', 'gauge_reliable']);
    expect(state).toMatchObject({ isLow: false, reported: null, loss: { raisedAtMs: null, seenAtMs: null } });
  });

  test('makes the gauge unreliable for three days, and a real alert is raised meanwhile', () => {
    const series = new Series(24, 40)
      .use(0.5, 20)
      .show(...repeat(12, 8))
      .use(5, 1.3);
    const { events } = evaluateSeries(series.readings);
    expect(typesOf(events)).toEqual(['gauge_unreliable', 'low_fill']);
    expect(events[0]).toMatchObject({ data: { reason: 'contradictory_readings', since: '2025-01-21T06:00:00.000Z' } });
  });

  test('from above retracts the refill and the recovery, so that the alert continues', () => {
    const series = new Series(4, 40)
      .use(1, 18)
      .show(...repeat(5, 70))
      .use(1, 3);
    const { events, retracted, state } = evaluateSeries(series.readings);
    expect(retracted.map(({ type }) => type)).toEqual(expect.arrayContaining(['tank.refilled', 'tank.fill_recovered']));
    expect(typesOf(events)).toEqual(['low_fill', 'gauge_unreliable']);
    expect(state).toMatchObject({ isLow: true, lowAtMs: events[0]?.atMs });
  });

  test('before the step was accepted retracts the alert that its readings had raised', () => {
    const series = new Series(24, 60).use(0.2, 20).show(9, 9, 9, 9).use(0.2, 1);
    const { reported, events } = evaluateSeries(series.readings);
    expect(typesOf(reported)).toEqual(['low_fill', 'gauge_unreliable']);
    expect(typesOf(events)).toEqual(['gauge_unreliable']);
  });
});

describe('a loss that was refilled is never retracted', () => {
  test('if the truck brought more than was there before', () => {
    const series = new Series(24, 83)
      .use(0, 9)
      .show(...repeat(7, 61))
      .fillTo(86)
      .use(0, 2);
    const { events, retracted } = evaluateSeries(series.readings);
    expect(retracted).toEqual([]);
    expect(typesOf(events)).toEqual(['rapid_loss', 'refilled']);
    expect(events[1]).toMatchObject({ data: { before_percentage: expect.closeTo(61, 0) } });
  });

  test.for([24, 8, 4])('if the level fell reading by reading, %i readings a day', (perDay) => {
    const leak = new Series(perDay, 78).use(0, 12).use(60, 0.5).use(0, 0.75);
    const { events, retracted } = evaluateSeries(leak.fillTo(78).use(0, 2).readings);
    expect(retracted).toEqual([]);
    expect(typesOf(events)).toEqual(['rapid_loss', 'refilled']);
    if (perDay === 4) expect(events[1]).toMatchObject({ data: { maybe_gauge_fault: true } });
  });

  test('if it is filled to the level of the previous delivery, and then both events are reported', () => {
    const series = new Series(24, 40)
      .use(1, 14)
      .fillTo(85)
      .use(0.5, 3)
      .show(...repeat(10, 30))
      .fillTo(84)
      .use(0.5, 2);
    const { events, retracted } = evaluateSeries(series.readings);
    expect(retracted).toEqual([]);
    expect(typesOf(events)).toEqual(['refilled', 'rapid_loss', 'refilled']);
    expect(events.map(({ data }) => 'maybe_gauge_fault' in data)).toEqual([false, false, true]);
  });
});

test('a fall within an hour and a return to the same level after weeks of little use are a gauge fault', () => {
  const series = new Series(24, 40)
    .use(1, 14)
    .fillTo(85)
    .use(0.02, 60)
    .show(...repeat(10, 30))
    .use(0.02, 2);
  const { events, retracted } = evaluateSeries(series.readings);
  expect(retracted).toMatchObject([{ type: 'tank.rapid_loss', reason: 'gauge_fault' }]);
  expect(typesOf(events)).toEqual(['refilled', 'gauge_unreliable']);
});

describe('two readings a day', () => {
  const refills = (series: Series) =>
    evaluateSeries(series.readings).events.flatMap((event) =>
      event.type === 'tank.refilled'
        ? [[event.data.before_percentage, event.data.after_percentage].map(Math.round)]
        : [],
    );

  test('show a fall to a level, and a delivery from there', () => {
    const series = new Series(2, 84)
      .use(0, 11)
      .show(29.1, 29.2, 29)
      .show(60.1, 60, 60.1)
      .show(...repeat(6, 91));
    expect(refills(series)).toEqual([
      [29, 60],
      [60, 91],
    ]);
  });

  test('show a fall also if only two readings are at the lower level', () => {
    const series = new Series(2, 84).use(0, 11).show(29.1, 29.2).show(60.1, 60, 60.1);
    expect(refills(series)).toEqual([[29, 60]]);
  });

  test('raise the alert with the second low reading and the loss within a day', () => {
    const series = new Series(2, 42).use(0, 5).show(80).use(0, 5).show(91).use(0, 5);
    const fromMs = series.atMs;
    const { events } = evaluateSeries(series.fillTo(9).use(0, 5).readings);
    expect(events.map(({ type, atMs }) => [type, (atMs - fromMs) / HOUR_MS])).toEqual([
      ['tank.low_fill', 12],
      ['tank.rapid_loss', 24],
    ]);
  });

  test('show each batch that is taken and refilled, and no spikes are learned from them', () => {
    const series = new Series(2, 82).use(0, 9);
    const expected: number[][] = [];
    for (let round = 0; round < 12; round++) {
      series.show(...repeat(3, 46 + (round % 3))).show(...repeat(4, 80 + (round % 4)));
      expected.push([46 + (round % 3), 80 + (round % 4)]);
    }
    const spikes: number[] = [];
    evaluateSeries(series.readings, ({ level }) => spikes.push(level?.spikeShare ?? 0));
    expect(refills(series)).toEqual(expected);
    expect(Math.max(...spikes)).toBeLessThanOrEqual(1 / 400);
  });
});

test('a fall and then a third level are two steps', () => {
  const series = new Series(4, 80).use(0, 15).show(44, 44.2, 44.1).fillTo(63).use(0, 3);
  const { events } = evaluateSeries(series.readings);
  expect(events).toMatchObject([
    {
      type: 'tank.refilled',
      data: { before_percentage: expect.closeTo(44, 0), after_percentage: expect.closeTo(63, 0) },
    },
  ]);
});

test('a fall of three readings every six hours that comes back is not reported, because it may be a fault', () => {
  const series = new Series(4, 79).use(0, 15).show(52, 52.1, 51.9).fillTo(80).use(0, 4);
  expect(evaluateSeries(series.readings).reported).toEqual([]);
});

test('a new level of a gauge with many spikes is accepted after five readings', () => {
  const series = new Series(4, 80);
  for (let n = 0; n < 40; n++) series.use(0.1, 1.25).show(20 + n);
  const { state } = evaluateSeries(series.use(0.1, 3).show(...repeat(5, 50)).readings);
  expect(state.level?.spikeShare).toBeLessThanOrEqual(1 / 46);
  expect(state.level?.level).toBeCloseTo(50, 0);
});

test('a batch tank raises no losses, but refills and alerts', () => {
  let state = INITIAL_STATE;
  const series = new Series(4, 85).use(0, 12).fillTo(18).use(0, 3).fillTo(84).use(0, 2);
  const types = series.readings.flatMap((reading) => {
    const evaluated = evaluate({ ...SETTINGS, isBatchTank: true }, state, { kind: 'reading', ...reading });
    state = evaluated.state;
    return typesOf(evaluated.events);
  });
  expect(types).toEqual(['low_fill', 'refilled', 'fill_recovered']);
  expect(typesOf(evaluateSeries(series.readings).events)).toContain('rapid_loss');
});

test('readings of a fault that arrive late or in any order end in the same events', () => {
  const { readings } = faultOfADay();
  const endMs = (readings.at(-1)?.atMs ?? 0) + DAY_MS;
  const inOrder = evaluateSeries(readings);
  const from = readings.length - 7 * 24;
  for (let late = from; late < readings.length - 24; late += 5) {
    const ledger = new EventLedger(SETTINGS);
    const order = readings.filter((_, n) => n !== late);
    for (const reading of order) {
      ledger.take({ kind: 'reading', ...reading }, reading.atMs);
      if (reading === order.at(-12)) ledger.take({ kind: 'reading', ...(readings[late] ?? reading) }, reading.atMs);
    }
    ledger.tick(endMs);
    expect(ledger.refolds).toBe(1);
    expect(typesOf(ledger.events.filter(({ type }) => type !== 'tank.device_silent'))).toEqual(typesOf(inOrder.events));
  }
});

test('an event that was retracted is valid again if a late reading shows that the level did not come back', () => {
  // Two late readings between the previous level and the fall arrive at the end. A failing gauge does not show such levels.
  const fall = new Series(24, 72).use(0, 25);
  const late = [58, 44].map((fillPercentage, n) => ({
    atMs: fall.atMs - HOUR_MS + (n + 1) * 20 * 60_000,
    fillPercentage,
  }));
  const { readings } = fall
    .show(...repeat(16, 31))
    .fillTo(72)
    .use(0, 2);
  const ledger = new EventLedger(SETTINGS);
  for (const reading of readings) ledger.take({ kind: 'reading', ...reading }, reading.atMs);
  expect(typesOf(ledger.events)).toEqual(['gauge_unreliable']);
  for (const reading of late) ledger.take({ kind: 'reading', ...reading }, readings.at(-1)?.atMs ?? 0);
  expect(typesOf(ledger.events)).toEqual(['rapid_loss', 'refilled']);
  expect(typesRetracted(fall)).not.toEqual([]);
});
