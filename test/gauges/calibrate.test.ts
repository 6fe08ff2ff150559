import { expect, test } from 'vitest';
import { betterFit, type CalibrationPoint, calibrate, highestLevel } from '../../src/gauges/calibrate.ts';
import type { TankGauge, TankShape } from '../../src/gauges/gauge_schema.ts';
import { gaugePercentage } from '../../src/gauges/tank_gauge.ts';

const HORIZONTAL_500: TankShape = {
  form: 'horizontal_cylinder',
  diameter_mm: 939.8,
  length_mm: 3_048,
  heads: 'hemispherical',
};
const gauge: TankGauge = { shape: { form: 'box', height_mm: 940 }, measures: 'distance', offset_mm: 0 };

/** The distances that the device of a tank measures, with the levels that its dial shows in whole percents. */
const dials = (real: TankGauge): CalibrationPoint[] =>
  [1_500, 3_000, 4_500, 6_000, 7_500, 9_000].map((value) => {
    const measure = { kind: 'distance', value } as const;
    const level = gaugePercentage(real, measure);
    return { measure, expected: typeof level === 'number' ? Math.round(level) : Number.NaN };
  });

test('dial readings show the shape of the tank and the offset of the gauge', () => {
  const fits = calibrate(gauge, dials({ ...gauge, shape: HORIZONTAL_500, offset_mm: 40 }));
  const [asItIs, best] = fits;
  expect(asItIs).toMatchObject({ name: 'as_described', offset_mm: 0 });
  expect(best?.name).toBe('horizontal_500_gal');
  expect(Math.abs((best?.offset_mm ?? 0) - 40)).toBeLessThanOrEqual(3);
  expect(best?.rms).toBeLessThan(0.5);
  expect(asItIs?.rms).toBeGreaterThan(5);
});

test('a rightly described gauge fits the dial readings, and a wrong offset is found', () => {
  const right = { ...gauge, shape: HORIZONTAL_500, offset_mm: 40 };
  expect(calibrate(right, dials(right))[0]?.rms).toBeLessThan(0.5);
  const box = { ...gauge, offset_mm: 60 };
  const [, best] = calibrate(gauge, dials(box));
  expect(best?.name).toBe('other_offset');
  expect(Math.abs((best?.offset_mm ?? 0) - 60)).toBeLessThanOrEqual(3);
});

test('deliveries are compared by the rise of the level, and two points propose no other shape', () => {
  const real = { ...gauge, shape: HORIZONTAL_500, offset_mm: 40 };
  const level = (value: number): number => Number(gaugePercentage(real, { kind: 'distance', value }));
  const deliveries = [
    [9_000, 3_000],
    [7_500, 1_500],
    [6_000, 2_000],
  ].map(([from = 0, to = 0]) => ({
    expected: level(to) - level(from),
    measure: { kind: 'distance', value: to } as const,
    before: { kind: 'distance', value: from } as const,
  }));
  const fits = calibrate(gauge, deliveries);
  expect(betterFit(fits)?.name).toBe('horizontal_500_gal');
  const few = calibrate(gauge, deliveries.slice(0, 2));
  expect(few.map(({ name }) => name)).toEqual(['as_described', 'other_offset']);
  expect(betterFit(few)).toBeUndefined();
  expect(calibrate(gauge, [])).toEqual([]);
});

test('a gauge that reaches into the tank cannot measure the highest levels', () => {
  expect(highestLevel({ ...gauge, offset_mm: 40 })).toBeNull();
  expect(highestLevel({ ...gauge, offset_mm: -94 })).toBe(90);
  expect(highestLevel({ ...gauge, measures: 'height', offset_mm: -94 })).toBeNull();
});
