import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate, nextTimerMs } from '../../../../src/evaluation/pure/alerts/evaluate.ts';
import { foldInputs } from '../../../../src/evaluation/pure/alerts/fold_inputs.ts';
import { forecastTank } from '../../../../src/evaluation/pure/alerts/forecast_tank.ts';
import type { TankEvent } from '../../../../src/evaluation/pure/alerts/tank_event.ts';
import {
  type AlertSettings,
  type EvaluationInput,
  INITIAL_STATE,
  type TankState,
} from '../../../../src/evaluation/pure/alerts/tank_state.ts';
import { estimatedLevel, noEstimateReason, wantsDip } from '../../../../src/evaluation/pure/dips/dip_state.ts';
import type { Region } from '../../../../src/evaluation/pure/dips/region.ts';
import { decodeState, encodeState } from '../../../../src/evaluation/state_codec.ts';
import { DAY_MS, HOUR_MS } from '../../../../src/values/time.ts';
import { randomRuns } from '../../../support/random_runs.ts';

const START_MS = Date.UTC(2026, 0, 5, 9);
const START_DAY = Math.floor(START_MS / DAY_MS);
const at = (days: number): number => START_MS + days * DAY_MS;
const REGION: Region = {
  untilDay: START_DAY + 400,
  rates: Array<number>(400).fill(1.5),
  prior: { log: 0, deviation: 0.4 },
};
const settingsWith = (region: Region | null, toMs = Number.POSITIVE_INFINITY): AlertSettings => ({
  minFillAlertPercentage: 20,
  capacity: 1_000,
  capacityUnit: 'liters',
  manual: { fromMs: Number.NEGATIVE_INFINITY, toMs, region, isUsePredictable: true },
});
const SETTINGS = settingsWith(REGION);
const dip = (days: number, fillPercentage: number): EvaluationInput => ({
  kind: 'reading',
  atMs: at(days),
  fillPercentage,
});
const tick = (days: number): EvaluationInput => ({ kind: 'tick', atMs: at(days) });
const live = (
  inputs: readonly EvaluationInput[],
  settings = SETTINGS,
): { state: TankState; events: readonly TankEvent[] } => foldInputs({ settings, state: INITIAL_STATE }, inputs, 1);
const dipsOf = ({ dips }: TankState) => {
  if (dips === null) throw new Error('the tank has a sensor');
  return dips;
};

describe('a tank without a sensor', () => {
  test('falls from day to day by the use of its region, with a range that grows', () => {
    const { state } = live([dip(0, 80), tick(20)]);
    const now = estimatedLevel(dipsOf(state), at(20));
    expect(now?.likely).toBeGreaterThan(45);
    expect(now?.likely).toBeLessThan(52);
    expect((now?.high ?? 0) - (now?.low ?? 0)).toBeGreaterThan(15);
    const expected = forecastTank(SETTINGS, state, at(20), null);
    expect(expected?.daysToEmpty.likely).toBeGreaterThan(expected?.daysToThreshold.likely ?? 0);
    expect(expected?.daysToThreshold.earliest).toBeLessThan(expected?.daysToThreshold.likely ?? 0);
  });

  test('raises one low alert from its estimate, which ends with a dip above the threshold', () => {
    const { state, events } = live([dip(0, 60), tick(60), dip(60.2, 75), tick(61)]);
    expect(events.map(({ type }) => type)).toEqual(['tank.low_fill', 'tank.fill_recovered']);
    expect(events[0]?.data).toMatchObject({ estimated: true, threshold_percentage: 20 });
    // The level rose, so the tank was filled without a note. The estimate takes the level of the dip.
    expect(estimatedLevel(dipsOf(state), at(60.2))?.likely).toBe(75);
  });

  test('is low at once after a dip at the threshold, also if a much higher level was expected', () => {
    const { events } = live([dip(0, 60), dip(5, 18)]);
    expect(events).toMatchObject([{ type: 'tank.low_fill', data: { fill_percentage: 18 } }]);
  });

  test('is never silent, and has a timer once a day until its last dip is half a year old', () => {
    const { state, events } = live([dip(0, 95), tick(900)], settingsWith({ ...REGION, rates: [0.02] }));
    expect(events).toEqual([]);
    expect(nextTimerMs(state)).toBeNull();
    expect(noEstimateReason(dipsOf(state), at(900))).toBe('too_old');
    expect(nextTimerMs(live([dip(0, 60)]).state)).toBe(at(1));
  });

  test('wants a dip when its range is wide, and not right after a dip', () => {
    expect(wantsDip(dipsOf(live([dip(0, 80)]).state), at(0))).toBe(false);
    expect(wantsDip(dipsOf(live([dip(0, 80), tick(25)]).state), at(25))).toBe(true);
  });

  test('has no estimate without tanks to compare with, and is low only by a dip', () => {
    const alone = settingsWith(null);
    const { state, events } = live([dip(0, 25), tick(50), dip(51, 19), tick(52)], alone);
    expect(noEstimateReason(dipsOf(state), at(52))).toBe('no_comparison');
    expect(estimatedLevel(dipsOf(state), at(52))).toBeNull();
    expect(forecastTank(alone, state, at(52), null)).toBeNull();
    expect(events).toMatchObject([{ type: 'tank.low_fill', atMs: at(51), data: { fill_percentage: 19 } }]);
  });

  test('has no estimate while a person has marked its use as irregular', () => {
    const { state } = live([dip(0, 80), tick(10)]);
    const manual = SETTINGS.manual && { ...SETTINGS.manual, isUsePredictable: false };
    const irregular = evaluate({ ...SETTINGS, ...(manual && { manual }) }, state, tick(10.1)).state;
    expect(noEstimateReason(dipsOf(irregular), at(10.1))).toBe('irregular');
    expect(forecastTank(SETTINGS, irregular, at(10.1), null)).toBeNull();
    expect(decodeState(encodeState(irregular))).toEqual(irregular);
    const again = evaluate(SETTINGS, irregular, tick(10.2)).state;
    expect(estimatedLevel(dipsOf(again), at(10.2))).toEqual(estimatedLevel(dipsOf(state), at(10.2)));
  });

  test('is estimated from its last dip on when the use of its region becomes known', () => {
    const { state } = live([dip(0, 80), tick(0.5)], settingsWith(null));
    const later = evaluate(SETTINGS, state, tick(20)).state;
    expect(estimatedLevel(dipsOf(later), at(20))?.likely).toBeCloseTo(
      estimatedLevel(dipsOf(live([dip(0, 80), tick(20)]).state), at(20))?.likely ?? 0,
      -1,
    );
  });

  test('takes the level of a note that names it, and adds the volume of another note', () => {
    const note: EvaluationInput = { kind: 'delivery', atMs: at(20), points: 50, filledTo: 80 };
    const { state, events } = live([dip(0, 60), note, tick(20.5)]);
    expect(dipsOf(state)).toMatchObject({ seenAtMs: at(20), estimate: { level: 80 } });
    expect(events.map(({ type }) => type)).toEqual([]);
    const withoutLevel = live([dip(0, 60), { ...note, filledTo: null }, tick(20.5)]).state;
    expect(dipsOf(withoutLevel)).toMatchObject({ seenAtMs: at(0) });
    expect(estimatedLevel(dipsOf(withoutLevel), at(20))?.likely).toBeGreaterThan(70);
  });

  test('is forecast with the season of last year', () => {
    const winter = Array.from({ length: 400 }, (_, n) => (n % 365 < 180 ? 0.5 : 0.1));
    const region = { ...REGION, untilDay: START_DAY, rates: winter };
    const even = { ...region, rates: Array<number>(400).fill(winter.at(-1) ?? 0) };
    const daysToEmpty = (rates: Region) =>
      forecastTank(SETTINGS, live([dip(0, 80)], settingsWith(rates)).state, at(0), null)?.daysToEmpty.likely ?? 0;
    expect(daysToEmpty(region)).toBeGreaterThan(daysToEmpty(even) + 15);
  });

  test('that gets a sensor keeps its estimate until the first reading', () => {
    const settings = settingsWith(REGION, at(10));
    const { state, events } = live([dip(0, 80), tick(30)], settings);
    expect(state.dips).not.toBeNull();
    expect(events).toEqual([]);
    const reading = evaluate(settings, state, { kind: 'reading', atMs: at(30.1), fillPercentage: 55 }).state;
    expect(reading).toMatchObject({ dips: null, accepted: { fillPercentage: 55 } });
    expect(reading.level?.level).toBe(55);
    const silent = evaluate(settings, reading, tick(40));
    expect(silent.events.map(({ type }) => type)).toEqual(['tank.device_silent']);
  });

  test('that loses its sensor is not silent any more', () => {
    const settings: AlertSettings = {
      ...SETTINGS,
      manual: { fromMs: at(3), toMs: Number.POSITIVE_INFINITY, region: REGION, isUsePredictable: true },
    };
    const readings = Array.from({ length: 12 }, (_, n) => dip(n / 4, 60 - n / 4));
    const { state, events } = live([...readings, tick(30)], settings);
    expect(events).toEqual([]);
    expect(nextTimerMs(state)).toBeNull();
    expect(wantsDip(dipsOf(state), at(30))).toBe(true);
  });
});

test('the level does not depend on how often the clock ticks, or on restarts in between', () => {
  const dips = fc.array(fc.tuple(fc.double({ min: 0.1, max: 90, noNaN: true }), fc.integer({ min: 0, max: 100 })), {
    minLength: 1,
    maxLength: 5,
  });
  const ticks = fc.array(fc.double({ min: 0, max: 300, noNaN: true }), { maxLength: 30 });
  fc.assert(
    fc.property(dips, ticks, fc.boolean(), (gaps, tickDays, isCompared) => {
      const settings = settingsWith(isCompared ? REGION : null);
      let day = 0;
      const inputs = gaps.map(([gap, level]) => {
        day += gap;
        return dip(day, level);
      });
      const end = tick(400);
      const inOneGo = live([...inputs, end], settings);
      const withTicks = [...inputs, ...tickDays.map(tick), end].toSorted((a, b) => a.atMs - b.atMs);
      let state: TankState = INITIAL_STATE;
      const events: TankEvent[] = [];
      for (const input of withTicks) {
        const next = evaluate(settings, decodeState(encodeState(state)), input);
        events.push(...next.events);
        ({ state } = next);
      }
      expect(events).toEqual(inOneGo.events);
      expect(dipsOf(state).estimate).toEqual(dipsOf(inOneGo.state).estimate);
      expect(decodeState(encodeState(state))).toEqual(state);
    }),
    { numRuns: randomRuns(200) },
  );
});

test('a tank without rates of its region has a timer an hour after a dip', () => {
  expect(nextTimerMs(live([dip(0, 60)], settingsWith(null)).state)).toBe(at(0) + HOUR_MS);
});
