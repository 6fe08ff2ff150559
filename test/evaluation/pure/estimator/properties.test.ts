import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_NOISE_POINTS } from '../../../../src/evaluation/pure/estimator/learning.ts';
import { randomRuns } from '../../../support/random_runs.ts';
import { DAY_MS, evaluateSeries, HOUR_MS, SERIES_START_MS, type SeriesReading } from '../../../support/series.ts';

const cadences = fc.constantFrom(HOUR_MS, 6 * HOUR_MS, DAY_MS);

/** Any history: every reading may be anything, with stretches of use, noise, jumps, limits and silence. */
const anyHistory = fc.record({
  cadenceMs: cadences,
  start: fc.integer({ min: 0, max: 100 }),
  steps: fc.array(
    fc.record({
      kind: fc.constantFrom('use', 'use', 'idle', 'noise', 'jump', 'spike', 'limit', 'silence'),
      size: fc.integer({ min: 0, max: 100 }),
      count: fc.integer({ min: 1, max: 12 }),
    }),
    { maxLength: 30 },
  ),
});

type History = typeof anyHistory extends fc.Arbitrary<infer T> ? T : never;

function readingsOf({ cadenceMs, start, steps }: History): SeriesReading[] {
  const readings: SeriesReading[] = [];
  let fill = start;
  let atMs = SERIES_START_MS;
  const show = (value: number): void => {
    readings.push({ atMs, fillPercentage: Math.round(Math.min(100, Math.max(0, value)) * 100) / 100 });
    atMs += cadenceMs;
  };
  for (const { kind, size, count } of steps) {
    if (kind === 'jump') fill = size;
    if (kind === 'silence') atMs += size * DAY_MS;
    for (let n = 0; n < count; n++) {
      if (kind === 'use') fill = Math.max(0, fill - ((size / 5) * cadenceMs) / DAY_MS);
      if (kind === 'noise') show(fill + (((n * 7_919 + size * 31) % 41) / 20 - 1) * (size / 10));
      else if (kind === 'spike') show((size * (n + 1) * 37) % 101);
      else if (kind === 'limit') show(size % 2 === 0 ? 0 : 100);
      else show(fill);
    }
  }
  return readings;
}

test('after any history, 10 equal readings bring the level within 2 points, unless it is at a limit and unreliable', () => {
  fc.assert(
    fc.property(anyHistory, fc.integer({ min: 0, max: 1_000 }), (history, tenths) => {
      const before = readingsOf(history);
      const lastMs = before.at(-1)?.atMs ?? SERIES_START_MS;
      const equal = Array.from({ length: 10 }, (_, n) => ({
        atMs: lastMs + (n + 1) * history.cadenceMs,
        fillPercentage: tenths / 10,
      }));
      const { state } = evaluateSeries([...before, ...equal]);
      if (state.gauge.fault !== null && tenths % 1_000 === 0) return;
      expect(Math.abs((state.level?.level ?? 0) - tenths / 10)).toBeLessThanOrEqual(2);
    }),
    { numRuns: randomRuns(1_500) },
  );
});

test('noise and rate stay within their bounds for any readings', () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      evaluateSeries(readingsOf(history), ({ level }) => {
        if (level === null) throw new Error('a tank with a reading has a level');
        const { noise, rate, ll, rr, cc, ss } = level;
        const isBounded = noise <= MAX_NOISE_POINTS && rate >= 0 && rate < 3_000 && Math.min(ll, rr, cc, ss) > -1e-3;
        if (!isBounded) expect({ noise, rate, ll, rr, cc, ss }).toBe('within the bounds');
      });
    }),
    { numRuns: randomRuns(500) },
  );
});

test('use that changes is learned within four days or six readings, whichever is longer', () => {
  fc.assert(
    fc.property(
      cadences,
      fc.integer({ min: 0, max: 8 }),
      fc.integer({ min: 1, max: 8 }),
      (cadenceMs, before, after) => {
        const perDay = DAY_MS / cadenceMs;
        const idleDays = 30;
        const newDays = Math.max(4, 6 / perDay);
        const readings: SeriesReading[] = [];
        let fill = 95;
        for (let n = 0; n <= (idleDays + newDays) * perDay; n++) {
          readings.push({ atMs: SERIES_START_MS + n * cadenceMs, fillPercentage: Math.round(fill * 100) / 100 });
          fill -= (n < idleDays * perDay ? before : after) / perDay;
          if (fill < 5) fill = 95;
        }
        const { state } = evaluateSeries(readings);
        expect(Math.abs((state.level?.rate ?? 0) - after)).toBeLessThan(0.5 + 0.25 * Math.max(before, after));
      },
    ),
    { numRuns: randomRuns(200) },
  );
});
