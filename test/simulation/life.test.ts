import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Habits,
  planHabits,
  type SimulatedReport,
  sendReadings,
  takeReadings,
} from '../../src/simulation/habits.ts';
import { planLife, type TankLife, VirtualTank } from '../../src/simulation/life.ts';
import { Random } from '../../src/simulation/random.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { randomRuns } from '../support/random_runs.ts';

const START_MS = Date.parse('2026-01-01T00:00:00Z');

const seeds = fc.integer();
const tanks = fc.record({
  useCase: fc.constantFrom('residential', 'commercial', 'industrial'),
  alertPercentage: fc.integer({ min: 0, max: 100 }),
  longitude: fc.option(fc.double({ min: -180, max: 180, noNaN: true })),
});
const lifeOf = (seed: number, tank: Parameters<typeof planLife>[1]): TankLife => planLife(new Random(seed), tank);

/** A life without special habits, of which tests change one value. */
const PLAIN: TankLife = {
  useCase: 'industrial',
  usePerDay: 2,
  winterShare: 0,
  isClosedOnSundays: false,
  refillBelow: 20,
  gaugeStep: 1,
  hoursFromUtc: 0,
};

test('every reading of a gauge is from 0 to 100 and a multiple of its step', () => {
  fc.assert(
    fc.property(seeds, tanks, fc.double({ min: 0, max: 100, noNaN: true }), (seed, tank, fill) => {
      const life = lifeOf(seed, tank);
      const virtual = new VirtualTank(life, new Random(seed), { atMs: START_MS, fill });
      for (let hour = 0; hour < 60 * 24; hour += 7) {
        const { fillPercentage } = virtual.read(START_MS + hour * HOUR_MS);
        expect(fillPercentage).toBeGreaterThanOrEqual(0);
        expect(fillPercentage).toBeLessThanOrEqual(100);
        const steps = fillPercentage / life.gaugeStep;
        expect(Math.abs(steps - Math.round(steps))).toBeLessThan(1e-6);
      }
    }),
    { numRuns: randomRuns(50) },
  );
});

test('the same seed gives the same level, independently of how often it is read', () => {
  fc.assert(
    fc.property(seeds, tanks, fc.integer({ min: 1, max: 5_000 }), (seed, tank, everyMinutes) => {
      const life = lifeOf(seed, tank);
      const [seldom, often] = [1, 2].map(() => new VirtualTank(life, new Random(seed), { atMs: START_MS }));
      for (let atMs = START_MS; atMs < START_MS + 60 * DAY_MS; atMs += everyMinutes * 60_000) often?.fillAt(atMs);
      expect(often?.fillAt(START_MS + 61 * DAY_MS)).toBe(seldom?.fillAt(START_MS + 61 * DAY_MS));
    }),
    { numRuns: randomRuns(30) },
  );
});

test('the level rises only by refills by day, which start below refillBelow and exceed the noise', () => {
  fc.assert(
    fc.property(seeds, tanks, (seed, tank) => {
      const life = lifeOf(seed, tank);
      const virtual = new VirtualTank(life, new Random(seed), { atMs: START_MS });
      let before = virtual.fillAt(START_MS);
      for (let atMs = START_MS; atMs < START_MS + 90 * DAY_MS; atMs += 15 * 60_000) {
        const fill = virtual.fillAt(atMs);
        if (fill > before) {
          expect(before).toBeLessThan(life.refillBelow);
          expect(fill - before).toBeGreaterThan(10);
          const localHour = new Date(atMs + life.hoursFromUtc * HOUR_MS).getUTCHours();
          expect(localHour >= 6 && localHour <= 18).toBe(true);
        }
        before = fill;
      }
    }),
    { numRuns: randomRuns(30) },
  );
});

test('use depends on the weekday and the hour, and is higher in winter', () => {
  const usedIn = (life: Partial<TankLife>, fromMs: number, days: number): number => {
    const virtual = new VirtualTank({ ...PLAIN, ...life }, new Random(1), { atMs: fromMs, fill: 95 });
    return virtual.fillAt(fromMs) - virtual.fillAt(fromMs + days * DAY_MS);
  };
  const sundayMs = Date.parse('2026-07-05T00:00:00Z');
  expect(usedIn({ isClosedOnSundays: true }, sundayMs, 1)).toBe(0);
  expect(usedIn({ isClosedOnSundays: true }, sundayMs + DAY_MS, 1)).toBeGreaterThan(1);
  const julyUse = usedIn({ winterShare: 1 }, Date.parse('2026-07-06T00:00:00Z'), 21);
  const januaryUse = usedIn({ winterShare: 1 }, Date.parse('2026-01-05T00:00:00Z'), 21);
  expect(januaryUse / julyUse).toBeGreaterThan(1.7);
  const night = usedIn({}, sundayMs + DAY_MS, 0.2);
  const morning = usedIn({}, sundayMs + DAY_MS + 7 * HOUR_MS, 0.2);
  expect(morning).toBeGreaterThan(2 * night);
});

const HABITS: Habits = {
  cadenceMs: 6 * HOUR_MS,
  readingsPerReport: 4,
  isNewestFirst: true,
  lateShare: 0.2,
  repeatShare: 0.2,
  silencesPerYear: 12,
};

function live(seed: number, habits: Habits, days: number): { taken: number[]; reports: SimulatedReport[] } {
  const random = new Random(seed);
  const virtual = new VirtualTank(PLAIN, random.fork(), { atMs: START_MS });
  const readings = [...takeReadings(random, virtual, habits, START_MS, START_MS + days * DAY_MS)];
  return { taken: readings.map(({ atMs }) => atMs), reports: [...sendReadings(random, habits, readings)] };
}

test('every reading is sent after it was taken, and reports come in the order of sending', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const habits = planHabits(new Random(seed));
      const { taken, reports } = live(seed, habits, 90);
      const sent = new Set(reports.flatMap(({ readings }) => readings.map(({ atMs }) => atMs)));
      const whole = taken.length - (taken.length % habits.readingsPerReport);
      expect([...sent].toSorted((a, b) => a - b)).toEqual(taken.slice(0, whole));
      expect(reports.map(({ sendAtMs }) => sendAtMs)).toEqual(
        reports.map(({ sendAtMs }) => sendAtMs).toSorted((a, b) => a - b),
      );
      for (const { sendAtMs, readings } of reports) {
        for (const { atMs } of readings) expect(sendAtMs).toBeGreaterThan(atMs);
      }
    }),
    { numRuns: randomRuns(50) },
  );
});

test('devices collect readings, repeat reports, send late and fall silent', () => {
  const { taken, reports } = live(5, HABITS, 365);
  const first = reports[0]?.readings.map(({ atMs }) => atMs) ?? [];
  expect([first.length, first]).toEqual([4, first.toSorted((a, b) => b - a)]);
  const repeated = reports.filter(({ isRepeated }) => isRepeated);
  expect(repeated.length / reports.length).toBeCloseTo(0.2 / 1.2, 1);
  for (const { readings } of repeated) {
    expect(reports.filter((report) => !report.isRepeated && report.readings === readings)).toHaveLength(1);
  }
  let newestMs = 0;
  const overtaken = reports.filter(({ readings, isRepeated }) => {
    const isOlder = !isRepeated && Math.max(...readings.map(({ atMs }) => atMs)) < newestMs;
    newestMs = Math.max(newestMs, ...readings.map(({ atMs }) => atMs));
    return isOlder;
  });
  expect(overtaken.length).toBeGreaterThan(5);
  const gaps = taken.slice(1).filter((atMs, index) => atMs - (taken[index] ?? 0) > DAY_MS);
  expect(gaps.length).toBeGreaterThan(5);
  expect(gaps.length).toBeLessThan(25);
});
