import { expect, test } from 'vitest';
import { evaluate } from '../../../../src/evaluation/pure/alerts/evaluate.ts';
import type { TankEvent } from '../../../../src/evaluation/pure/alerts/tank_event.ts';
import { INITIAL_STATE } from '../../../../src/evaluation/pure/alerts/tank_state.ts';
import { decodeState, encodeState } from '../../../../src/evaluation/state_codec.ts';
import { Random } from '../../../../src/simulation/random.ts';
import { evaluateSeries, HOUR_MS, SERIES_START_MS, SETTINGS, Series } from '../../../support/series.ts';

test('a delivery to an empty tank has the level of the first reading after it', () => {
  const empty = new Series(4, 40).use(10, 6).show(60.3, 57.4, 55);
  const { events } = evaluateSeries(empty.readings);
  expect(events.find(({ type }) => type === 'tank.refilled')).toMatchObject({
    data: { before_percentage: 0, after_percentage: expect.closeTo(60.3, 0) as number },
  });
});

/** The events of hourly readings of a tank on a vehicle, whose content moves by 4 points while it drives. It is filled every ten days. */
function drive(settings: typeof SETTINGS): TankEvent[] {
  const random = new Random(7);
  const events: TankEvent[] = [];
  let state = INITIAL_STATE;
  for (let hour = 0; hour < 24 * 60; hour++) {
    const fill = 90 - (7 * (hour % 240)) / 24;
    const shown = fill + (hour % 24 > 7 && hour % 24 < 18 ? 4 : 0.3) * random.normal();
    const fillPercentage = Math.min(100, Math.max(0, shown));
    const evaluated = evaluate(settings, state, {
      kind: 'reading',
      atMs: SERIES_START_MS + hour * HOUR_MS,
      fillPercentage,
    });
    state = decodeState(encodeState(evaluated.state));
    events.push(...evaluated.events);
  }
  return events;
}

test('a tank on a vehicle raises refills, low levels and their ends, and nothing else', () => {
  const types = drive({ ...SETTINGS, isMobile: true }).map(({ type }) => type);
  expect(types.filter((type) => type === 'tank.refilled')).toHaveLength(5);
  expect(types.filter((type) => type === 'tank.low_fill')).toHaveLength(6);
  expect(new Set(types)).toEqual(new Set(['tank.low_fill', 'tank.refilled', 'tank.fill_recovered']));
});

test('the level of a tank on a vehicle ignores readings before a long gap and before it was on a vehicle', () => {
  const levels = (readings: readonly { day: number; fill: number; isMobile?: boolean }[]): unknown => {
    let state = INITIAL_STATE;
    for (const { day, fill, isMobile = true } of readings)
      ({ state } = evaluate({ ...SETTINGS, isMobile }, state, {
        kind: 'reading',
        atMs: SERIES_START_MS + day * 24 * HOUR_MS,
        fillPercentage: fill,
      }));
    return state.latestFills;
  };
  const before = [80, 79, 78].map((fill, day) => ({ day, fill }));
  expect(levels(before)).toEqual([80, 79, 78]);
  expect(levels([...before, { day: 90, fill: 30 }])).toEqual([30]);
  expect(levels([...before, { day: 3, fill: 77, isMobile: false }, { day: 4, fill: 76 }])).toEqual([76]);
});
