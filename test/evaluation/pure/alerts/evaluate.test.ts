import { describe, expect, test } from 'vitest';
import { compareEvents, isStillCurrent } from '../../../../src/evaluation/pure/alerts/compare_events.ts';
import { evaluate, isInOrder, nextTimerMs } from '../../../../src/evaluation/pure/alerts/evaluate.ts';
import { checkpointWeek, foldInputs } from '../../../../src/evaluation/pure/alerts/fold_inputs.ts';
import { excludeRetracted, type TankEvent } from '../../../../src/evaluation/pure/alerts/tank_event.ts';
import {
  type AlertSettings,
  type EvaluationInput,
  INITIAL_STATE,
  type TankState,
} from '../../../../src/evaluation/pure/alerts/tank_state.ts';
import { forecast } from '../../../../src/evaluation/pure/estimator/forecast.ts';
import { Random } from '../../../../src/simulation/random.ts';
import { DAY_MS, HOUR_MS } from '../../../../src/values/time.ts';

const START_MS = Date.UTC(2025, 5, 2, 6);
const SETTINGS: AlertSettings = { minFillAlertPercentage: 20, capacity: 500, capacityUnit: 'gallons' };

const at = (hours: number): number => START_MS + hours * HOUR_MS;
const reading = (hours: number, fillPercentage: number): EvaluationInput => ({
  kind: 'reading',
  atMs: at(hours),
  fillPercentage,
});
const tick = (hours: number): EvaluationInput => ({ kind: 'tick', atMs: at(hours) });

/** A reading every `hours` hours. */
const every = (hours: number, fills: readonly number[], fromHours = 0): EvaluationInput[] =>
  fills.map((fill, n) => reading(fromHours + n * hours, fill));

/** Levels that fall by the same number of points from reading to reading. */
const falling = (from: number, by: number, count: number): number[] =>
  Array.from({ length: count }, (_, n) => Math.round((from - n * by) * 100) / 100);

function foldAll(inputs: readonly EvaluationInput[], settings = SETTINGS): { state: TankState; events: TankEvent[] } {
  let state: TankState = INITIAL_STATE;
  let events: TankEvent[] = [];
  for (const input of inputs) {
    const folded = evaluate(settings, state, input);
    state = folded.state;
    events = excludeRetracted([...events, ...folded.events], folded.retracted);
  }
  return { state, events };
}

const typesOf = (events: readonly TankEvent[]): string[] => events.map(({ type }) => type);

describe('low fill', () => {
  test('is raised by a reading at the threshold, not by one just above it', () => {
    expect(typesOf(foldAll(every(6, [20, 20])).events)).toEqual(['tank.low_fill']);
    expect(foldAll(every(6, [20.01, 20.01, 20.01, 20.01])).events).toEqual([]);
  });

  test('is raised at the first low reading that fits the expected level, and contains the reading', () => {
    const { events } = foldAll(every(24, [24, 23, 22, 21, 20, 19]));
    expect(events).toEqual([
      {
        type: 'tank.low_fill',
        atMs: at(96),
        data: { fill_percentage: 20, threshold_percentage: 20 },
        readings: [{ created_at: '2025-06-06T06:00:00.000Z', fill_percentage: 20 }],
      },
    ]);
  });

  test('waits for a second reading if the first one was not expected, and contains both', () => {
    const { events } = foldAll(every(6, [...falling(60, 0.2, 12), 9, 8.8]));
    expect(events.find(({ type }) => type === 'tank.low_fill')).toMatchObject({
      atMs: at(78),
      readings: [{ fill_percentage: 9 }, { fill_percentage: 8.8 }],
    });
  });

  test('is raised after 30 hours without a second reading, at the same time whenever the clock ticks', () => {
    const { state } = foldAll(every(6, [...falling(60, 0.2, 12), 9]));
    expect(nextTimerMs(state)).toBe(at(72 + 30));
    expect(evaluate(SETTINGS, state, tick(101)).events).toEqual([]);
    const late = evaluate(SETTINGS, state, tick(105));
    expect(late.events).toMatchObject([{ type: 'tank.low_fill', atMs: at(102) }]);
    expect(nextTimerMs(late.state)).toBe(at(72 + 36));
  });

  test('ends when a refill is confirmed, and can be raised again', () => {
    const fills = [...falling(24, 0.5, 12), ...falling(80, 0.5, 125), 18, 17.5];
    const { events } = foldAll(every(6, fills));
    expect(typesOf(events)).toEqual(['tank.low_fill', 'tank.refilled', 'tank.fill_recovered', 'tank.low_fill']);
  });
});

test('a refill contains the levels before and after, the volume in the unit of the tank, and the readings around it', () => {
  const { events } = foldAll(every(6, [...falling(40, 0.25, 20), ...falling(85, 0.25, 4)]));
  expect(events).toHaveLength(1);
  const [refill] = events;
  expect(refill).toMatchObject({ type: 'tank.refilled', atMs: at(126), data: { volume_unit: 'gallons' } });
  if (refill?.type !== 'tank.refilled') return;
  expect(refill.data.before_percentage).toBeCloseTo(35, 0);
  expect(refill.data.after_percentage).toBeCloseTo(85, 0);
  expect(Math.abs(refill.data.delivered_volume - 250)).toBeLessThan(3);
  expect(refill.readings.map(({ fill_percentage }) => fill_percentage)).toEqual([35.25, 85, 84.75]);
});

test('a refill during which a reading arrives has its whole volume', () => {
  const { events } = foldAll(every(1, [...falling(40, 0.05, 60), 55, 80, 80, 79.9]));
  expect(typesOf(events)).toEqual(['tank.refilled']);
  expect(events[0]?.type === 'tank.refilled' && Math.abs(events[0].data.delivered_volume - 215)).toBeLessThan(8);
});

describe('rapid loss', () => {
  const usual = falling(80, 0.25, 40);

  test('is raised if a quarter of the tank is lost between two readings and the next three confirm it', () => {
    const { events } = foldAll(every(6, [...usual, 45, 44.8, 44.5, 44.3, 44, 43.8]));
    expect(events).toMatchObject([
      {
        type: 'tank.rapid_loss',
        atMs: at(258),
        data: { from_percentage: 70.25, to_percentage: 44.3, hours: 24, lost_volume: 129.8, volume_unit: 'gallons' },
      },
    ]);
  });

  test('is raised once for a leak of half a point an hour that lasts for days', () => {
    const before = falling(80, 0.04, 24 * 14);
    const leak = falling(66, 0.54, 60);
    const { events } = foldAll(every(1, [...before, ...leak]));
    expect(typesOf(events)).toEqual(['tank.rapid_loss']);
    expect((events[0]?.atMs ?? 0) - at(before.length)).toBeLessThan(20 * HOUR_MS);
  });

  test('is not raised for a household that starts to heat, or a tank that always uses much', () => {
    expect(foldAll(every(6, [...falling(90, 0.25, 40), ...falling(80, 0.75, 40)])).events).toEqual([]);
    expect(typesOf(foldAll(every(6, falling(95, 2.5, 36))).events)).toEqual(['tank.low_fill']);
  });
});

describe('silence', () => {
  test('is raised by the cadence of the device: after a day and a half for an hourly one, four days for a daily one', () => {
    expect(foldAll([...every(1, falling(60, 0.02, 48)), tick(47 + 35)]).events).toEqual([]);
    const hourly = foldAll([...every(1, falling(60, 0.02, 48)), tick(47 + 60)]);
    expect(hourly.events).toEqual([
      {
        type: 'tank.device_silent',
        atMs: at(47 + 36),
        data: { last_reading_at: '2025-06-04T05:00:00.000Z', silent_for_hours: 36, usual_interval_hours: 1 },
        readings: [{ created_at: '2025-06-04T05:00:00.000Z', fill_percentage: 59.06 }],
      },
    ]);
    expect(foldAll([...every(24, falling(60, 0.5, 20)), tick(24 * 19 + 90)]).events).toEqual([]);
    expect(typesOf(foldAll([...every(24, falling(60, 0.5, 20)), tick(24 * 19 + 100)]).events)).toHaveLength(1);
  });

  test('is learned again for a device that reports once a week after its first day', () => {
    const weekly = every(168, falling(80, 2, 20), 24);
    const { events } = foldAll([reading(0, 80), reading(0.2, 80), ...weekly]);
    expect(typesOf(events).filter((type) => type === 'tank.device_silent').length).toBeLessThanOrEqual(2);
    const silent = foldAll([...weekly, tick(24 + 168 * 19 + 24 * 40)]).events.at(-1);
    expect(silent).toMatchObject({ type: 'tank.device_silent', data: { usual_interval_hours: 168 } });
  });

  test('is raised again after a day and a half if an hourly device has reported for two days after an outage', () => {
    const outage = [...every(1, falling(80, 0.02, 100)), ...every(1, falling(75, 0.02, 48), 100 + 240)];
    const { events } = foldAll([...outage, tick(100 + 240 + 47 + 37)]);
    expect(typesOf(events)).toEqual(['tank.device_silent', 'tank.device_reporting', 'tank.device_silent']);
  });

  test('is not raised because of an outage of the source, and an earlier outage still counts when the next one begins', () => {
    const hourly = every(1, falling(80, 0.02, 100));
    const outage = (fromHours: number, toHours: number | null) => ({
      fromMs: at(fromHours),
      toMs: toHours === null ? null : at(toHours),
    });
    const silences = (hours: number, ...outages: ReturnType<typeof outage>[]): TankEvent[] =>
      foldAll([...hourly, tick(hours)], { ...SETTINGS, outages }).events;
    // Without an outage, the device would be silent after 135 hours.
    expect(silences(300, outage(100, null))).toEqual([]);
    expect(silences(200.5, outage(100, 200))).toEqual([]);
    expect(silences(201, outage(100, 200))).toMatchObject([{ type: 'tank.device_silent', atMs: at(201) }]);
    expect(silences(300, outage(100, 200), outage(200.5, null))).toEqual([]);
    expect(silences(301, outage(100, 200), outage(200.5, 300))).toHaveLength(1);
    expect(silences(300, outage(140, null))).toHaveLength(1);
  });

  test('is raised at most twice for a device that reports on change, with gaps of up to 90 hours', () => {
    const gaps = [1, 2, 90, 1, 1, 80, 3, 1, 70, 1, 2, 1, 90, 1, 1, 75, 2, 1, 85, 1, 1, 1, 90, 2, 80, 1];
    let hours = 0;
    const changes = gaps.flatMap((gap, n) => {
      hours += gap;
      return [reading(hours, 80 - n / 2)];
    });
    const types = typesOf(foldAll(changes).events).filter((type) => type === 'tank.device_silent');
    expect(types.length).toBeLessThanOrEqual(2);
  });

  test('is rare for a device that reports on change, and an outage of a regular device does not delay it for long', () => {
    const random = new Random(7);
    let hours = 0;
    const changes = Array.from({ length: 400 }, () => {
      hours += random.betweenLog(0.5, 120);
      return reading(hours, 80);
    });
    const silences = foldAll(changes).events.filter(({ type }) => type === 'tank.device_silent');
    expect(silences.length).toBeLessThanOrEqual(4);
    const daily = [...every(24, falling(80, 0.1, 60)), ...every(24, falling(70, 0.1, 30), 24 * 80)];
    const { state } = foldAll(daily);
    expect((nextTimerMs(state) ?? 0) - state.atMs).toBeLessThan(5 * 24 * HOUR_MS);
  });

  test('uses the interval that a person has set, at once', () => {
    const weekly = { ...SETTINGS, reportIntervalMs: 168 * HOUR_MS };
    const hourly = every(1, falling(60, 0.02, 48));
    expect(foldAll([...hourly, tick(47 + 221)], weekly).events).toEqual([]);
    const { events } = foldAll([...hourly, tick(47 + 222)], weekly);
    expect(events).toMatchObject([{ type: 'tank.device_silent', data: { usual_interval_hours: 168 } }]);
    const { state } = foldAll([...hourly, { kind: 'settings', atMs: at(48), settings: weekly }]);
    expect(nextTimerMs(state)).toBe(at(47 + 222));
  });

  test('is raised a day after a report that the device has announced, and each announcement counts once', () => {
    const announced = (hours: number, next: number): EvaluationInput => ({
      kind: 'reading',
      atMs: at(hours),
      fillPercentage: 78,
      nextReportMs: at(hours + next),
    });
    const silentAfter = (inputs: readonly EvaluationInput[]): number => {
      const { state } = foldAll(inputs);
      return ((nextTimerMs(state) ?? 0) - state.atMs) / HOUR_MS;
    };
    const daily = every(24, falling(80, 0.1, 20));
    expect(silentAfter([...daily, announced(480, 24)])).toBe(48); // learned: 96
    expect(silentAfter([...daily, announced(480, 168)])).toBe(192);
    expect(silentAfter([...daily, announced(480, 168), reading(504, 78)])).toBe(96);
    // An announcement cannot shorten the silence below 36 hours. A past time and a time far below the usual interval do not count.
    expect(silentAfter([...every(1, falling(80, 0.1, 48)), announced(48, 1)])).toBe(36);
    expect(silentAfter([...daily, announced(480, -5)])).toBe(96);
    expect(silentAfter([...daily, announced(480, 0.1)])).toBe(96);
    // A broken clock postpones a silence by five weeks at most.
    expect(silentAfter([...daily, announced(480, 24 * 4_000)])).toBe(35 * 24);
    const { events } = foldAll([...daily, announced(480, 168), tick(480 + 191), reading(480 + 191.5, 77)]);
    expect(events).toEqual([]);
  });

  test('ends with the next reading', () => {
    const { events } = foldAll([...every(6, falling(60, 0.1, 20)), reading(6 * 19 + 200, 50)]);
    expect(typesOf(events)).toEqual(['tank.device_silent', 'tank.device_reporting']);
    expect(events[1]).toMatchObject({ data: { silent_since: '2025-06-07T00:00:00.000Z' } });
  });
});

describe('the evaluation', () => {
  const low = every(6, falling(24, 0.5, 14));

  test('returns the same state for a tick that changes nothing, and rejects an input older than the state', () => {
    const { state } = foldAll(low);
    expect(evaluate(SETTINGS, state, tick(80)).state).toBe(state);
    expect(evaluate(SETTINGS, state, reading(78, 3)).state).toBe(state);
    expect(isInOrder(state, reading(79, 17))).toBe(true);
    expect(isInOrder(state, reading(77, 17))).toBe(false);
    expect(() => evaluate(SETTINGS, state, reading(77, 17))).toThrow(RangeError);
  });

  test('is compared with the recorded events: which are new, which have other readings and which did not happen', () => {
    const silent = [...every(6, falling(60, 0.1, 20)), tick(300)];
    const recorded = foldAll(silent).events;
    expect(typesOf(recorded)).toEqual(['tank.device_silent']);
    const whole = [...every(6, falling(60, 0.1, 30)), tick(300)];
    const { events } = foldInputs({ settings: SETTINGS, state: INITIAL_STATE }, whole, 1);
    const again = compareEvents(events, recorded);
    expect(typesOf(again.retracted)).toEqual(['tank.device_silent']);
    expect(typesOf(again.added)).toEqual(['tank.device_silent']);
    expect(again.added[0]?.atMs).toBe(at(6 * 29 + 36));
    const altered = again.added.map((event): TankEvent => ({ ...event, readings: [] }));
    const third = compareEvents(events, altered);
    expect([third.added, third.retracted, third.changed.length]).toEqual([[], [], 1]);
  });

  test('has events that are current only while they are true, for at most a day', () => {
    const { state, events } = foldAll(low);
    const [alert] = events;
    if (alert === undefined) throw new Error('no alert');
    expect(isStillCurrent(alert, state, alert.atMs + DAY_MS)).toBe(true);
    expect(isStillCurrent(alert, state, alert.atMs + DAY_MS + 1)).toBe(false);
    const filled = foldAll([...low, ...every(6, [90, 89.5], 84)]);
    expect(filled.events.map((event) => isStillCurrent(event, filled.state, at(90)))).toEqual([false, true, true]);
    const imported = foldAll([...every(6, [...falling(60, 1, 50), ...falling(90, 1, 30)]), tick(24 * 400)]);
    expect(imported.events.length).toBeGreaterThan(3);
    expect(imported.events.some((event) => isStillCurrent(event, imported.state, at(24 * 400)))).toBe(false);
  });
});

test('the tanks of an installation begin their weeks of checkpoints evenly over all hours of a week', () => {
  const startMs = Date.UTC(2026, 0, 1);
  const hours = Array.from({ length: 7 * 24 }, (_, hour) => startMs + hour * HOUR_MS);
  const tankNos = Array.from({ length: 20_000 }, (_, n) => 16 * n); // one of each group that begins at the same time
  const tanksByHour = Map.groupBy(tankNos, (tankNo) => {
    const week = checkpointWeek(tankNo, startMs);
    return hours.findIndex((atMs) => checkpointWeek(tankNo, atMs + HOUR_MS) > week);
  });
  const weeksBegun = (tankNo: number): number =>
    checkpointWeek(tankNo, startMs + 7 * DAY_MS) - checkpointWeek(tankNo, startMs);
  expect(new Set(tankNos.map(weeksBegun))).toEqual(new Set([1]));
  const most = Math.max(...tanksByHour.values().map(({ length }) => length));
  expect(most).toBeLessThan(1.1 * (tankNos.length / hours.length));
});

describe('forecast', () => {
  test('has the days until the threshold and until empty of a tank that is used evenly', () => {
    const { state } = foldAll(every(6, falling(80, 0.25, 120)));
    const now = forecast(SETTINGS, state, at(6 * 119), null);
    expect(now).toMatchObject({ asOfMs: at(6 * 119), usePointsPerDay: expect.closeTo(1, 1) });
    expect(Math.abs((now?.daysToThreshold.likely ?? 0) - 30.25)).toBeLessThan(1);
    expect(Math.abs((now?.daysToEmpty.likely ?? 0) - 50.25)).toBeLessThan(1.5);
    expect(now?.daysToThreshold.earliest).toBeLessThan(30);
    expect(now?.daysToThreshold.latest).toBeGreaterThan(30.5);
    const later = forecast(SETTINGS, state, at(6 * 119 + 10 * 24), null);
    expect(Math.abs((later?.daysToThreshold.likely ?? 0) - 20.25)).toBeLessThan(1);
  });

  test('keeps the rate of use through refills, leaks and an empty tank', () => {
    const rateAfter = (fills: readonly number[]): number => foldAll(every(6, fills)).state.level?.rate ?? 0;
    const usual = falling(60, 0.25, 80);
    expect(rateAfter([...usual, ...falling(90, 0.25, 8)])).toBeCloseTo(1, 0);
    expect(Math.abs(rateAfter([...usual, 30, 20, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0]) - 1)).toBeLessThan(0.3);
  });

  test('is missing without readings, and has no latest day for a tank that is not used', () => {
    expect(forecast(SETTINGS, INITIAL_STATE, START_MS, null)).toBeNull();
    const { state } = foldAll(
      every(
        6,
        Array.from({ length: 400 }, () => 50),
      ),
    );
    expect(forecast(SETTINGS, state, state.atMs, null)?.daysToThreshold).toMatchObject({ latest: null });
  });

  test('is missing from the 61st day after the last reading on', () => {
    const { state } = foldAll(every(12, falling(80, 0.5, 60)));
    const after = (days: number): number | undefined =>
      forecast(SETTINGS, state, state.atMs + days * DAY_MS, null)?.fillPercentage;
    expect(after(20)).toBeCloseTo(30.5, 0);
    expect(after(60)).toBe(0);
    expect(after(61)).toBeUndefined();
  });
});

describe('after months without a reading', () => {
  const before = every(12, falling(45, 0.5, 60)); // low at its end
  const gapHours = 12 * 59 + 24 * 600;
  const later = (...fills: readonly number[]): EvaluationInput[] => every(12, fills, gapHours);
  const typesAfterGap = (...fills: readonly number[]): string[] =>
    foldAll([...before, ...later(...fills)])
      .events.filter(({ atMs }) => atMs >= at(gapHours))
      .map(({ type }) => type);

  test('the first reading begins a new level, and the level that was expected meanwhile raises no event', () => {
    const { state } = foldAll([...before, ...later(45.5)]);
    expect(forecast(SETTINGS, state, state.atMs, null)).toMatchObject({ fillPercentage: 45.5, asOfMs: state.atMs });
    expect(state.outliers).toBeNull();
    expect(typesAfterGap(90, 89.5, 89)).toEqual(['tank.device_reporting', 'tank.fill_recovered']);
    expect(typesAfterGap(31, 30.5, 30)).toEqual(['tank.device_reporting', 'tank.fill_recovered']);
    expect(typesAfterGap(10, 9.5, 9)).toEqual(['tank.device_reporting']); // the tank was low before
  });

  test('a low reading waits for a second one, and a refill after it counts', () => {
    const high = every(12, falling(80, 0.25, 60));
    const types = (...fills: readonly number[]): string[] =>
      foldAll([...high, ...later(...fills)])
        .events.map(({ type }) => type)
        .slice(2);
    expect(types(12)).toEqual([]);
    expect(types(12, 11.6)).toEqual(['tank.low_fill']);
    expect(types(12, 11.6, 11.2, 80, 79.8, 79.6)).toEqual(['tank.low_fill', 'tank.refilled', 'tank.fill_recovered']);
  });
});
