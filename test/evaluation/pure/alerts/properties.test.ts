import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluate } from '../../../../src/evaluation/pure/alerts/evaluate.ts';
import { excludeRetracted, type TankEvent } from '../../../../src/evaluation/pure/alerts/tank_event.ts';
import {
  type AlertSettings,
  compareInputs,
  type EvaluationInput,
  INITIAL_STATE,
  type TankState,
} from '../../../../src/evaluation/pure/alerts/tank_state.ts';
import { forecast } from '../../../../src/evaluation/pure/estimator/forecast.ts';
import { decodeState, encodeState } from '../../../../src/evaluation/state_codec.ts';
import { DAY_MS, HOUR_MS } from '../../../../src/values/time.ts';
import { EventLedger } from '../../../support/event_ledger.ts';
import { randomRuns } from '../../../support/random_runs.ts';

const START_MS = Date.UTC(2025, 0, 6);
const settingsOf = (minFillAlertPercentage: number): AlertSettings => ({
  minFillAlertPercentage,
  capacity: 500,
  capacityUnit: 'liters',
});

/** Encodes and decodes a state, which must lose nothing. */
const throughStore = (state: TankState): TankState => decodeState(encodeState(state));

/** Evaluates inputs in order. By default the state is encoded and decoded after every input. */
function foldAll(
  settings: AlertSettings,
  inputs: readonly EvaluationInput[],
  next: (state: TankState) => TankState = throughStore,
): { state: TankState; events: TankEvent[] } {
  let current = settings;
  let state: TankState = INITIAL_STATE;
  let events: TankEvent[] = [];
  for (const input of inputs) {
    const folded = evaluate(current, state, input);
    state = next(folded.state);
    events = excludeRetracted([...events, ...folded.events], folded.retracted);
    if (input.kind === 'settings') current = input.settings;
  }
  return { state, events };
}

/** Evaluates without encoding, in a third of the CPU time. The tests with `anyLife` try the encoding. */
const foldReadings = (threshold: number, cadenceMs: number, fills: readonly number[]) =>
  foldAll(
    settingsOf(threshold),
    fills.map((fill, n) => ({ kind: 'reading', atMs: START_MS + n * cadenceMs, fillPercentage: clamp(fill) })),
    (state) => state,
  );

const clamp = (fill: number): number => Math.round(Math.min(100, Math.max(0, fill)) * 100) / 100;
const byIdentity = (a: TankEvent, b: TankEvent): number => a.atMs - b.atMs || a.type.localeCompare(b.type);
const typesOf = (events: readonly TankEvent[]): string[] => events.map(({ type }) => type.slice('tank.'.length));

/** Any tank, with use, deliveries, leaks, spikes, faults, long silences and changed settings. */
const anyLife = fc.record({
  threshold: fc.integer({ min: 0, max: 100 }),
  start: fc.integer({ min: 0, max: 100 }),
  cadenceMinutes: fc.constantFrom(15, 60, 180, 360, 720, 1_440),
  steps: fc.array(
    fc.record({
      kind: fc.constantFrom(
        'use',
        'use',
        'use',
        'use',
        'use',
        'use',
        'truck',
        'hole',
        'spike',
        'fault',
        'silence',
        'settings',
      ),
      size: fc.integer({ min: 0, max: 100 }),
      lateMinutes: fc.constantFrom(0, 0, 0, 0, 0, 50, 700, 2_000, 9_000),
      isTwice: fc.constantFrom(false, false, false, true),
    }),
    { minLength: 1, maxLength: 60 },
  ),
});

type Life = typeof anyLife extends fc.Arbitrary<infer T> ? T : never;
type Arrival = { input: EvaluationInput; arrivesMs: number };

function arrivalsOf(life: Life): Arrival[] {
  let fill = life.start;
  let atMs = START_MS;
  let fault = { readings: 0, fill: 0 };
  return life.steps.flatMap(({ kind, size, lateMinutes, isTwice }, n) => {
    atMs += life.cadenceMinutes * 60_000 * (kind === 'silence' ? 5 + size : 1);
    if (kind === 'truck') fill += 5 + size;
    if (kind === 'hole') fill -= size / 2;
    fill = Math.min(100, Math.max(0, fill - (size % 7) / 10));
    const noise = ((n * 7_919 + size * 31) % 41) / 20 - 1;
    // A gauge that fails shows another level for some readings, and then the fill again.
    if (kind === 'fault') fault = { readings: 4 + (size % 9), fill: (size * 37) % 101 };
    const isFaulty = kind !== 'settings' && fault.readings > 0;
    if (isFaulty) fault.readings--;
    const shown = isFaulty ? fault.fill : fill;
    const input: EvaluationInput =
      kind === 'settings'
        ? { kind: 'settings', atMs: atMs - 60_000 * (size % 2), settings: settingsOf(size) }
        : { kind: 'reading', atMs, fillPercentage: clamp(kind === 'spike' ? size : shown + noise) };
    const arrivesMs = atMs + lateMinutes * 60_000;
    return [
      { input, arrivesMs },
      ...(isTwice && kind !== 'settings' ? [{ input, arrivesMs: arrivesMs + HOUR_MS }] : []),
    ];
  });
}

test('late, repeated and shuffled inputs end in the state and the events of ordered inputs', () => {
  fc.assert(
    fc.property(anyLife, (life) => {
      const arrivals = arrivalsOf(life).toSorted((a, b) => a.arrivesMs - b.arrivesMs);
      const endMs = Math.max(...arrivals.map(({ arrivesMs }) => arrivesMs)) + 50 * DAY_MS;
      const ledger = new EventLedger(settingsOf(life.threshold));
      for (const { input, arrivesMs } of arrivals) ledger.take(input, arrivesMs);
      ledger.tick(endMs);
      const inputs = [...new Set(arrivals.map(({ input }) => input))].toSorted(compareInputs);
      const ordered = foldAll(settingsOf(life.threshold), [...inputs, { kind: 'tick', atMs: endMs }]);
      expect(ledger.state).toEqual(ordered.state);
      expect(ledger.events.toSorted(byIdentity)).toEqual(ordered.events.toSorted(byIdentity));
      expectSound(ordered);
    }),
    { numRuns: randomRuns(10_000) },
  );
});

/** Checks what must be true of the events and the state of any tank. */
function expectSound({ state, events }: { state: TankState; events: readonly TankEvent[] }): void {
  const expectAlternating = (first: string, second: string): void => {
    const types = typesOf(events).filter((type) => type === first || type === second);
    expect(types).toEqual(types.map((_, n) => (n % 2 === 0 ? first : second)));
  };
  expectAlternating('low_fill', 'fill_recovered');
  expectAlternating('device_silent', 'device_reporting');
  const times = events.map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(new Set(events.map(({ type, atMs }) => `${type} ${atMs}`)).size).toBe(events.length);
  for (const event of events) {
    expect(event.readings.length).toBeGreaterThan(0);
    if (event.type === 'tank.refilled') expect(event.data.delivered_volume).toBeGreaterThan(0);
    if (event.type === 'tank.rapid_loss') expect(event.data.lost_volume).toBeGreaterThanOrEqual(0);
  }
  expect(encodeState(state).length).toBeLessThan(600);
  const use = state.level?.rate ?? 0;
  expect(use >= 0 && Number.isFinite(use)).toBe(true);
}

/** Random numbers of a seed. Numbers of fast-check itself would be shrunk to a level that moves evenly, which is not noise. */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 4_294_967_296;
  };
}

const cadences = fc.constantFrom(HOUR_MS, 6 * HOUR_MS, DAY_MS);

/** A tank with exact readings that falls evenly and is filled again and again. */
const plainLife = fc.record({
  threshold: fc.integer({ min: 5, max: 40 }),
  usePerReading: fc.integer({ min: 20, max: 100 }).map((size) => size / 100),
  rounds: fc.array(
    fc.record({
      below: fc.integer({ min: 2, max: 9 }).map((readings) => readings + 0.5),
      to: fc.integer({ min: 60, max: 95 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

test('each true crossing of the threshold raises one alert, and each refill one event with its volume', () => {
  fc.assert(
    fc.property(plainLife, ({ threshold, usePerReading, rounds }) => {
      const fills: number[] = [];
      const crossings: number[] = [];
      const refills: { index: number; points: number }[] = [];
      let fill = 95;
      const showAndUse = (): void => {
        const shown = clamp(fill);
        if (shown <= threshold && (fills.at(-1) ?? 100) > threshold) crossings.push(fills.length);
        fills.push(shown);
        fill -= usePerReading;
      };
      for (const { below, to } of rounds) {
        while (fill > Math.max(0.6, threshold - below * usePerReading)) showAndUse();
        refills.push({ index: fills.length, points: to - fill });
        fill = to;
      }
      for (let n = 0; n < 4; n++) showAndUse();
      const { events } = foldReadings(threshold, 6 * HOUR_MS, fills);
      const indexOf = ({ atMs }: TankEvent): number => (atMs - START_MS) / (6 * HOUR_MS);
      const alerts = events.filter(({ type }) => type === 'tank.low_fill').map(indexOf);
      expect(alerts.length).toBe(crossings.length);
      alerts.forEach((index, n) => expect(index - (crossings[n] ?? 0)).toBeOneOf([0, 1]));
      const reported = events.filter((event) => event.type === 'tank.refilled');
      expect(reported.map(indexOf)).toEqual(refills.map(({ index }) => index + 1));
      reported.forEach(({ data }, n) => {
        expect(Math.abs(data.delivered_volume / 5 - (refills[n]?.points ?? 0))).toBeLessThan(1.5);
      });
      expect(typesOf(events).filter((type) => type === 'rapid_loss')).toEqual([]);
    }),
    { numRuns: randomRuns(500) },
  );
});

test('noise of five points around the threshold raises at most one alert, which does not end', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 10, max: 60 }),
      fc.integer({ min: 0, max: 40 }).map((tenths) => tenths / 10),
      cadences,
      fc.integer(),
      (threshold, usePerDay, cadenceMs, seed) => {
        const random = uniform(seed);
        const readings = 100;
        const perReading = (usePerDay * cadenceMs) / DAY_MS;
        const top = Math.min(90, threshold + (perReading * readings) / 2);
        const fills = Array.from({ length: readings }, (_, n) => top - perReading * n + 10 * random() - 5);
        const types = typesOf(foldReadings(threshold, cadenceMs, fills).events).filter((type) =>
          /^low_fill|^fill_/.test(type),
        );
        expect(types).not.toContain('fill_recovered');
        const isCertain = top - perReading * readings < threshold - 6;
        expect(types.length).toBeOneOf(isCertain ? [1] : [0, 1]);
      },
    ),
    { numRuns: randomRuns(3_000) },
  );
});

test('one reading that is 10 points off raises nothing after ten readings, at any cadence', () => {
  fc.assert(
    fc.property(
      cadences,
      fc.array(fc.integer({ min: -10, max: 10 }), { minLength: 30, maxLength: 60 }),
      fc.nat(),
      fc.integer({ min: 0, max: 100 }),
      (cadenceMs, tenths, where, bad) => {
        const fills = tenths.map((off, n) => 70 - (n * cadenceMs) / DAY_MS / 2 + off / 10);
        // The first readings do not count, because the second reading of a busy tank may be far below the first one.
        const index = 10 + (where % (fills.length - 11));
        // A daily reading that is only a few points off may be use, and the next ones a small delivery.
        fc.pre(Math.abs(bad - (fills[index] ?? 0)) >= 10);
        fills[index] = bad;
        expect(foldReadings(20, cadenceMs, fills).events).toEqual([]);
      },
    ),
    { numRuns: randomRuns(3_000) },
  );
});

test('time without readings raises only silence and low fill, and never raises the forecast level', () => {
  fc.assert(
    fc.property(anyLife, fc.integer({ min: 1, max: 200 }), (life, days) => {
      const inputs = arrivalsOf(life)
        .map(({ input }) => input)
        .toSorted(compareInputs);
      const { state } = foldAll(settingsOf(life.threshold), inputs);
      const nowMs = state.atMs + days * DAY_MS;
      const { state: after, events } = evaluate(settingsOf(life.threshold), state, { kind: 'tick', atMs: nowMs });
      expect(typesOf(events).every((type) => type === 'device_silent' || type === 'low_fill')).toBe(true);
      expect(after.level).toEqual(state.level);
      const before = forecast(settingsOf(life.threshold), state, state.atMs, null);
      const now = forecast(settingsOf(life.threshold), after, nowMs, null);
      expect(now?.fillPercentage ?? 0).toBeLessThanOrEqual(before?.fillPercentage ?? 0);
    }),
    { numRuns: randomRuns(2_000) },
  );
});

test('a changed threshold takes effect at once, with the latest accepted reading', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 99 }),
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 0, max: 100 }),
      (fill, threshold, changed) => {
        const atMs = START_MS + 20 * 6 * HOUR_MS;
        const readings = Array.from({ length: 20 }, (_, n): EvaluationInput => {
          return { kind: 'reading', atMs: START_MS + n * 6 * HOUR_MS, fillPercentage: fill };
        });
        const change: EvaluationInput = { kind: 'settings', atMs, settings: settingsOf(changed) };
        const before = foldAll(settingsOf(threshold), readings);
        const after = foldAll(settingsOf(threshold), [...readings, change]);
        expect(before.state.isLow).toBe(fill <= threshold);
        expect(after.state.isLow).toBe(fill <= changed);
        const raised = after.events.slice(before.events.length);
        expect(raised.map((event) => event.atMs)).toEqual(before.state.isLow === after.state.isLow ? [] : [atMs]);
      },
    ),
    { numRuns: randomRuns(1_000) },
  );
});
