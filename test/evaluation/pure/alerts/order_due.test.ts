import { expect, test } from 'vitest';
import { evaluate } from '../../../../src/evaluation/pure/alerts/evaluate.ts';
import type { TankEvent } from '../../../../src/evaluation/pure/alerts/tank_event.ts';
import {
  type AlertSettings,
  INITIAL_STATE,
  type TankState,
} from '../../../../src/evaluation/pure/alerts/tank_state.ts';
import { encodeState } from '../../../../src/evaluation/state_codec.ts';
import { Random } from '../../../../src/simulation/random.ts';
import { DAY_MS, evaluateSeries, SERIES_START_MS, SETTINGS, Series, typesOf } from '../../../support/series.ts';

/** The alert threshold is 25 %. */
const ORDER: AlertSettings = { ...SETTINGS, orderPercentage: 40 };

const typesIn = (series: Series, settings: AlertSettings = ORDER): string[] =>
  typesOf(evaluateSeries(series.readings, undefined, settings).events);

test('the event comes when the level falls to the order threshold, and again after a refill', () => {
  const series = new Series(4, 60).use(2, 16).fillTo(80).use(2, 24);
  const { events, state } = evaluateSeries(series.readings, undefined, ORDER);
  expect(typesOf(events)).toEqual(['order_due', 'refilled', 'order_due']);
  expect(events[0]).toMatchObject({ data: { threshold_percentage: 40 } });
  const [first] = events;
  if (first?.type !== 'tank.order_due') throw new Error('no event');
  expect(first.data.fill_percentage).toBeGreaterThan(39);
  expect(first.data.fill_percentage).toBeLessThanOrEqual(40);
  expect(state.orderDueAtMs).toBe(events[2]?.atMs);
});

test('the low alert does not depend on an order threshold, and a tank that is low at once raises only the low alert', () => {
  const falling = new Series(4, 60).use(2, 30);
  expect(typesIn(falling)).toEqual(['order_due', ...typesIn(falling, SETTINGS)]);
  const low = new Series(4, 20).use(0.2, 5);
  expect(typesIn(low)).toEqual(['low_fill']);
  // The order is still due, also after the tank was filled a little.
  const { state, events } = evaluateSeries(low.fillTo(38).use(0.2, 5).readings, undefined, ORDER);
  expect(typesOf(events)).toEqual(['low_fill', 'refilled', 'fill_recovered']);
  expect(state).toMatchObject({ isLow: false, orderDueAtMs: expect.any(Number) });
});

test('a noisy gauge at the threshold, a spike and a wrong step raise one event or none', () => {
  const random = new Random(7);
  const noisy = new Series(24, 51).use(1, 10);
  for (let n = 0; n < 24 * 30; n++) noisy.show(41 - n / 360 + 4 * (random.next() - 0.5));
  expect(typesIn(noisy)).toEqual(['order_due']);
  expect(typesIn(new Series(4, 60).use(0.5, 10).show(30).use(0.5, 10))).toEqual([]);
  // If the level falls for some hours and comes back, the event is retracted. If it rises and comes back, no second order is due.
  const down = new Series(24, 60)
    .use(0.5, 20)
    .show(...Array<number>(10).fill(30))
    .use(0.5, 3);
  expect(typesIn(down)).not.toContain('order_due');
  const up = new Series(24, 45)
    .use(0.5, 20)
    .show(...Array<number>(10).fill(70))
    .use(0.5, 3);
  expect(typesIn(up).filter((type) => type === 'order_due')).toHaveLength(1);
});

test('an order threshold takes effect at once, and is ignored if it is not above the alert threshold', () => {
  const { state } = evaluateSeries(new Series(4, 60).use(2, 15).readings);
  const atMs = state.atMs + 60_000;
  const change = (from: TankState, before: AlertSettings, settings: AlertSettings, ms: number) =>
    evaluate(before, from, { kind: 'settings', atMs: ms, settings });
  const set = change(state, SETTINGS, ORDER, atMs);
  expect(typesOf(set.events)).toEqual(['order_due']);
  expect(set.state.orderDueAtMs).toBe(atMs);
  // Other settings do not end it.
  const bigger = change(set.state, ORDER, { ...ORDER, capacity: 2_000 }, atMs + 1);
  expect([bigger.events, bigger.state.orderDueAtMs]).toEqual([[], atMs]);
  expect(change(bigger.state, ORDER, SETTINGS, atMs + 2).state.orderDueAtMs).toBeNull();
  expect(typesIn(new Series(4, 60).use(2, 15), { ...SETTINGS, orderPercentage: 25 })).toEqual([]);
});

test('the encoded state of a tank without a due order does not grow', () => {
  const { readings } = new Series(4, 60).use(2, 5);
  const sizes = [SETTINGS, ORDER].map((settings) => encodeState(evaluateSeries(readings, undefined, settings).state));
  expect(sizes[1]).toBe(sizes[0]);
});

test('a dip of a tank without a sensor below the order threshold raises the event too', () => {
  const manual = { fromMs: SERIES_START_MS, toMs: Number.POSITIVE_INFINITY, region: null, isUsePredictable: true };
  const settings = { ...ORDER, manual };
  let state: TankState = INITIAL_STATE;
  const events: TankEvent[] = [];
  for (const [day, fillPercentage] of [
    [0, 60],
    [10, 50],
    [20, 39],
    [25, 80],
  ] as const) {
    const evaluated = evaluate(settings, state, {
      kind: 'reading',
      atMs: SERIES_START_MS + day * DAY_MS,
      fillPercentage,
    });
    state = evaluated.state;
    events.push(...evaluated.events);
  }
  expect(events).toMatchObject([{ type: 'tank.order_due', data: { threshold_percentage: 40, estimated: true } }]);
  expect(state.orderDueAtMs).toBeNull();
});
