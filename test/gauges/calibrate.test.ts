import { expect, test } from 'vitest';
import { calibrate, type DialPoint } from '../../src/gauges/calibrate.ts';
import type { TankGauge, TankShape } from '../../src/gauges/gauge_schema.ts';
import { gaugePercentage } from '../../src/gauges/tank_gauge.ts';

const HORIZONTAL_500: TankShape = {
  form: 'horizontal_cylinder',
  diameter_mm: 939.8,
  length_mm: 3_048,
  heads: 'hemispherical',
};
const gauge: TankGauge = { shape: { form: 'box', height_mm: 940 }, measures: 'distance', offset_mm: 0 };

/** What the dial of a tank shows, to whole percents, and what the device measures. */
const dials = (real: TankGauge): DialPoint[] =>
  [1_500, 3_000, 4_500, 6_000, 7_500, 9_000].map((value) => {
    const measure = { kind: 'distance', value } as const;
    const level = gaugePercentage(real, measure);
    return { measure, fillPercentage: typeof level === 'number' ? Math.round(level) : Number.NaN };
  });

test('dial readings tell which tank it is and where the gauge is', () => {
  const fits = calibrate(gauge, dials({ ...gauge, shape: HORIZONTAL_500, offset_mm: 40 }));
  const [asItIs, best] = fits;
  expect(asItIs).toMatchObject({ name: 'as described', offset_mm: 0 });
  expect(best?.name).toBe('horizontal 500 gal tank');
  expect(Math.abs((best?.offset_mm ?? 0) - 40)).toBeLessThanOrEqual(3);
  expect(best?.rms).toBeLessThan(0.5);
  expect(asItIs?.rms).toBeGreaterThan(5);
});

test('a gauge that is described rightly fits as it is, and a wrong offset is found', () => {
  const right = { ...gauge, shape: HORIZONTAL_500, offset_mm: 40 };
  expect(calibrate(right, dials(right))[0]?.rms).toBeLessThan(0.5);
  const box = { ...gauge, offset_mm: 60 };
  const [, best] = calibrate(gauge, dials(box));
  expect(best?.name).toBe('the same shape with another offset');
  expect(Math.abs((best?.offset_mm ?? 0) - 60)).toBeLessThanOrEqual(3);
});
