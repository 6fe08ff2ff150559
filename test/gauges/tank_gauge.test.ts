import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { TankGauge, type TankShape } from '../../src/gauges/gauge_schema.ts';
import { filledFraction } from '../../src/gauges/shapes/shape.ts';
import { findGaugeProblems, gaugePercentage } from '../../src/gauges/tank_gauge.ts';
import type { Measure } from '../../src/telemetry/reading.ts';
import { decodeMeasure, encodeMeasure } from '../../src/telemetry/stored_measure.ts';

const DIAMETER_MM = 952.5;
const gauge: TankGauge = {
  shape: { form: 'horizontal_cylinder', diameter_mm: DIAMETER_MM, length_mm: 3_022.6, heads: 'elliptical' },
  measures: 'distance',
  offset_mm: 50,
};
const box: TankGauge = { shape: { form: 'box', height_mm: 1_000 }, measures: 'height', offset_mm: 20 };
const tenths = (mm: number): number => Math.round(mm * 10);

test.each<[TankGauge, Measure, number]>([
  [gauge, { kind: 'distance', value: tenths(50) }, 100],
  [gauge, { kind: 'distance', value: tenths(50 + DIAMETER_MM * 0.6) }, 37.11],
  // A length has no direction, so it is measured as the gauge says.
  [gauge, { kind: 'length', value: tenths(50 + DIAMETER_MM * 0.6) }, 37.11],
  // Up to 3 % outside the tank is accepted, because a gauge may be a little off.
  [gauge, { kind: 'distance', value: tenths(30) }, 100],
  [gauge, { kind: 'distance', value: tenths(50 + DIAMETER_MM * 1.02) }, 0],
  [box, { kind: 'height', value: tenths(230) }, 25],
  [box, { kind: 'length', value: tenths(230) }, 25],
  [{ ...box, measures: 'pressure', density_kg_m3: 1_000 }, { kind: 'pressure', value: 4_903 }, 52],
  [{ ...box, measures: 'raw', range: { empty: 100, full: 500 } }, { kind: 'raw', value: 214 }, 28.5],
  // Some devices count down.
  [{ ...box, measures: 'raw', range: { empty: 500, full: 100 } }, { kind: 'raw', value: 214 }, 71.5],
])('a measure becomes a level by the gauge of the tank (%#)', (tankGauge, measure, level) => {
  expect(findGaugeProblems(tankGauge)).toEqual([]);
  expect(gaugePercentage(tankGauge, measure)).toBe(level);
});

test('a measure far outside the tank or of another kind is refused', () => {
  expect(gaugePercentage(gauge, { kind: 'distance', value: 12_000 })).toMatchObject({
    code: 'out_of_range',
    detail: expect.stringContaining('distance 1200 mm would be a height of -197 mm in a tank of 953 mm'),
  });
  expect(gaugePercentage(gauge, { kind: 'height', value: 1_000 })).toMatchObject({
    code: 'no_gauge',
    detail: expect.stringContaining('measures distance, and the device sent height 100 mm'),
  });
});

test('a gauge that cannot give a level is refused with its field', () => {
  const problems = (given: TankGauge) => findGaugeProblems(given).map(({ field }) => field);
  expect(problems({ ...box, measures: 'pressure' })).toEqual(['density_kg_m3']);
  expect(problems({ ...box, measures: 'raw', range: { empty: 5, full: 5 } })).toEqual(['range']);
  expect(problems({ ...box, shape: { form: 'table', heights_mm: [0, 5, 5], volumes: [0, 1, 2] } })).toEqual(['shape']);
  expect(problems({ ...gauge, shape: { ...gauge.shape, length_mm: 100 } as TankGauge['shape'] })).toEqual(['shape']);
  // Commands do not check the schema, so findGaugeProblems checks these values too.
  expect(problems({ ...box, offset_mm: 1e9 })).toEqual(['offset_mm']);
  expect(problems({ ...box, measures: 'pressure', density_kg_m3: 0 })).toEqual(['density_kg_m3']);
  expect(problems({ ...box, measures: 'raw', range: { empty: 0, full: 1e300 } })).toEqual(['range']);
  expect(problems({ ...box, shape: { form: 'table', heights_mm: [-0.5, 5], volumes: [0, 1] } })).toEqual(['shape']);
  const isTankGauge = (value: unknown): boolean => Compile(TankGauge).Check(value);
  expect(isTankGauge({ ...box, extra: 1 })).toBe(false);
  expect(isTankGauge({ ...box, shape: { form: 'box', height_mm: 0 } })).toBe(false);
  expect(isTankGauge(box)).toBe(true);
});

test('a table with volumes or heights that no tank has is refused, and a gauge never gives a level that is not a number', () => {
  const isTankGauge = (value: unknown): boolean => Compile(TankGauge).Check(value);
  const table = (heights_mm: number[], volumes: number[]): TankGauge => ({
    ...box,
    offset_mm: 0,
    shape: { form: 'table', heights_mm, volumes },
  });
  const problems = (given: TankGauge) => findGaugeProblems(given).map(({ field }) => field);
  const huge = table([0, 1_000], [0, 1e308]);
  expect(isTankGauge(huge)).toBe(false);
  expect(problems(huge)).toEqual(['shape']);
  expect(gaugePercentage(huge, { kind: 'height', value: 5_000 })).toMatchObject({ code: 'out_of_range' });
  expect(gaugePercentage(table([0, 1_000], [0, 0]), { kind: 'height', value: 5_000 })).toMatchObject({
    code: 'out_of_range',
  });
  expect(problems(table([0, 1_000], [0, 1e-9]))).toEqual(['shape']);
  expect(problems(table([0, 1_000], [0, 0.0001]))).toEqual(['shape']);
  expect(problems(table([0, 1_000], [1e-300, 1]))).toEqual(['shape']);
  expect(problems(table([0, 0.5], [0, 1]))).toEqual(['shape']);
  const lines = Array.from({ length: 1_000 }, (_, line) => line);
  const rounded = lines.map((line) => line * 50 + 0.125);
  expect(problems(table(rounded, rounded))).toEqual([]);
  const roots = lines.map((line) => 100 + Math.sqrt(line + 0.1));
  expect(problems(table(roots, roots))).toEqual(['shape']);
  for (const end of [1e10, -1e10])
    expect(isTankGauge({ ...box, measures: 'raw', range: { empty: end, full: 1 } })).toBe(false);
});

test('a measure is stored exactly, with its kind', () => {
  for (const kind of ['distance', 'height', 'length', 'pressure', 'raw'] as const)
    for (const value of [0, 1, -1, 8_435, -8_435, 2 ** 28 - 1, 1 - 2 ** 28]) {
      const stored = encodeMeasure({ kind, value });
      expect(Math.abs(stored ?? Infinity)).toBeLessThan(2 ** 31);
      expect(decodeMeasure(stored ?? 0)).toEqual({ kind, value });
    }
  expect(encodeMeasure({ kind: 'raw', value: 2 ** 28 })).toBeUndefined();
});

test('joined vessels are described by the shape of one of them if they are equal, or by a table of their sums', () => {
  const oval: TankShape = { form: 'obround', width_mm: 686, height_mm: 1_118 };
  const upright: TankShape = { form: 'vertical_cylinder', diameter_mm: 900, height_mm: 1_500, heads: 'flat' };
  const vessels: readonly (readonly [TankShape, number])[] = [
    [oval, 1_041],
    [oval, 1_041],
    [upright, 954],
  ];
  const litersBelow = (mm: number, joined = vessels): number =>
    joined.reduce((sum, [shape, liters]) => sum + filledFraction(shape, mm) * liters, 0);
  const levelAt = (shape: TankShape, mm: number): unknown =>
    gaugePercentage({ shape, measures: 'height', offset_mm: 0 }, { kind: 'height', value: tenths(mm) });
  // A line for every 50 mm, as printed tables have.
  const heights = [...Array.from({ length: 30 }, (_, line) => line * 50), 1_500];
  const sums: TankShape = { form: 'table', heights_mm: heights, volumes: heights.map((mm) => litersBelow(mm)) };
  expect(findGaugeProblems({ shape: sums, measures: 'height', offset_mm: 0 })).toEqual([]);
  for (let mm = 5; mm <= 1_500; mm += 7) {
    expect(Math.abs(Number(levelAt(sums, mm)) - (litersBelow(mm) / 3_036) * 100)).toBeLessThan(0.2);
    if (mm < 1_118) expect(levelAt(oval, mm)).toBeCloseTo((litersBelow(mm, vessels.slice(0, 2)) / 2_082) * 100, 1);
  }
});
