import type { Measure } from '../telemetry/reading.ts';
import type { TankGauge, TankShape } from './gauge_schema.ts';
import { filledFraction, shapeHeight } from './shapes/shape.ts';
import { productHeightMm } from './tank_gauge.ts';

/** A level that somebody read from the dial, and what the device measured at about that time. */
export interface DialPoint {
  fillPercentage: number;
  measure: Measure;
}

/** How well a shape fits, with the offset that fits best. */
export interface CalibrationFit {
  name: string;
  shape: TankShape;
  offset_mm: number;
  /** The level by the measure minus that of the dial, in points, for each dial reading whose measure the gauge reads. */
  residuals: number[];
  /** The root of the mean square of the residuals, in points. */
  rms: number;
}

const INCH_MM = 25.4;
const cylinder = (diameterInches: number, lengthInches: number): TankShape => ({
  form: 'horizontal_cylinder',
  diameter_mm: diameterInches * INCH_MM,
  length_mm: lengthInches * INCH_MM,
  heads: 'hemispherical',
});
/** Outside dimensions of usual tanks of the United States, with hemispherical heads as genmon assumes. */
const USUAL_TANKS: readonly { name: string; shape: TankShape }[] = [
  { name: 'horizontal 250 gal tank', shape: cylinder(30, 92) },
  { name: 'horizontal 500 gal tank', shape: cylinder(37, 120) },
  { name: 'horizontal 1000 gal tank', shape: cylinder(41, 190) },
  { name: 'upright 275 gal oil tank', shape: { form: 'obround', width_mm: 27 * INCH_MM, height_mm: 44 * INCH_MM } },
];

/** Fewer dial readings fit any shape. */
export const MIN_DIAL_POINTS = 3;

/**
 * Compares dial readings with measures: first the gauge as it is, then its shape with another offset, then usual tanks, those that
 * fit better first. Raw numbers and pressures have no offset to find in another tank, so only the gauge itself is compared.
 */
export function calibrate(gauge: TankGauge, points: readonly DialPoint[]): CalibrationFit[] {
  const asItIs = fitAt('as described', gauge, gauge.shape, gauge.offset_mm, points);
  if (gauge.measures === 'raw' || gauge.measures === 'pressure') return [asItIs];
  const others = [{ name: 'the same shape with another offset', shape: gauge.shape }, ...USUAL_TANKS].map(
    ({ name, shape }) => bestOffset(name, gauge, shape, points),
  );
  return [asItIs, ...others.toSorted((a, b) => a.rms - b.rms)];
}

function fitAt(
  name: string,
  gauge: TankGauge,
  shape: TankShape,
  offset_mm: number,
  points: readonly DialPoint[],
): CalibrationFit {
  const residuals = points.flatMap(({ fillPercentage, measure }) => {
    const heightMm = productHeightMm({ ...gauge, shape, offset_mm }, measure);
    if (heightMm === undefined) return [];
    return [Math.round((filledFraction(shape, heightMm) * 100 - fillPercentage) * 100) / 100];
  });
  const squares = residuals.reduce((sum, residual) => sum + residual ** 2, 0);
  return { name, shape, offset_mm, residuals, rms: Math.sqrt(squares / Math.max(1, residuals.length)) };
}

/** Looks at offsets up to half the height of the tank, coarsely and then to the millimeter. */
function bestOffset(name: string, gauge: TankGauge, shape: TankShape, points: readonly DialPoint[]): CalibrationFit {
  const rangeMm = shapeHeight(shape) / 2;
  const bestOf = (fromMm: number, toMm: number, stepMm: number): CalibrationFit => {
    let best = fitAt(name, gauge, shape, Math.round(fromMm), points);
    for (let offsetMm = fromMm + stepMm; offsetMm <= toMm; offsetMm += stepMm) {
      const fit = fitAt(name, gauge, shape, Math.round(offsetMm), points);
      if (fit.rms < best.rms) best = fit;
    }
    return best;
  };
  const { offset_mm } = bestOf(-rangeMm, rangeMm, 10);
  return bestOf(offset_mm - 10, offset_mm + 10, 1);
}
