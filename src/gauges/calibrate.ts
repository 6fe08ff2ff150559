import type { Measure } from '../telemetry/reading.ts';
import { USUAL_TANKS, type UsualTank } from '../values/usual_tanks.ts';
import type { TankGauge, TankShape } from './gauge_schema.ts';
import { filledFraction, shapeHeight } from './shapes/shape.ts';
import { productHeightMm } from './tank_gauge.ts';

/** A level that a person read from the dial, or the delivery of a truck, with the measures at about that time. */
export interface CalibrationPoint {
  /** The level in percent; with `before`, by how many points the level rose. */
  expected: number;
  measure: Measure;
  /** The measure before the delivery. */
  before?: Measure;
}

export type FitName = 'as_described' | 'other_offset' | UsualTank['name'];

/** How well a shape fits, with the offset that fits best. */
export interface CalibrationFit {
  name: FitName;
  shape: TankShape;
  offset_mm: number;
  /** For each point that the gauge can read: the measured level or rise minus the expected one, in points. */
  residuals: number[];
  /** The root of the mean square of the residuals, in points. */
  rms: number;
}

/** With fewer points, any shape would fit. */
export const MIN_SHAPE_POINTS = 3;

/**
 * Compares points with measures: first the gauge as it is described, then its shape with another offset and usual tanks,
 * the best fit first. For raw numbers and pressures, only the gauge itself is compared.
 */
export function calibrate(gauge: TankGauge, points: readonly CalibrationPoint[]): CalibrationFit[] {
  if (points.length === 0) return [];
  const asDescribed = fitAt('as_described', gauge, gauge.shape, gauge.offset_mm, points);
  if (gauge.measures === 'raw' || gauge.measures === 'pressure') return [asDescribed];
  const usual = points.length < MIN_SHAPE_POINTS ? [] : USUAL_TANKS;
  const others = [{ name: 'other_offset', shape: gauge.shape } as const, ...usual].map(({ name, shape }) =>
    bestOffset(name, gauge, shape, points),
  );
  return [asDescribed, ...others.toSorted((a, b) => a.rms - b.rms)];
}

/** The fit whose error is less than half of that of the gauge as described. Undefined if there is none, or if there are too few points. */
export function betterFit([asDescribed, best]: readonly CalibrationFit[]): CalibrationFit | undefined {
  const isEnough = asDescribed !== undefined && asDescribed.residuals.length >= MIN_SHAPE_POINTS;
  return isEnough && best !== undefined && best.rms < asDescribed.rms / 2 ? best : undefined;
}

/** The highest level, in percent, that a gauge that reaches into the tank can measure. Null if it can measure a full tank. */
export function highestLevel({ shape, measures, offset_mm }: Pick<TankGauge, 'shape' | 'measures' | 'offset_mm'>) {
  if (measures !== 'distance' || offset_mm >= 0) return null;
  return Math.floor(filledFraction(shape, shapeHeight(shape) + offset_mm) * 100);
}

function fitAt(
  name: FitName,
  gauge: TankGauge,
  shape: TankShape,
  offset_mm: number,
  points: readonly CalibrationPoint[],
): CalibrationFit {
  const levelOf = (measure: Measure): number | undefined => {
    const heightMm = productHeightMm({ ...gauge, shape, offset_mm }, measure);
    return heightMm === undefined ? undefined : filledFraction(shape, heightMm) * 100;
  };
  const residuals = points.flatMap(({ expected, measure, before }) => {
    const [level, start] = [levelOf(measure), before === undefined ? 0 : levelOf(before)];
    return level === undefined || start === undefined ? [] : [Math.round((level - start - expected) * 100) / 100];
  });
  const squares = residuals.reduce((sum, residual) => sum + residual ** 2, 0);
  return { name, shape, offset_mm, residuals, rms: Math.sqrt(squares / Math.max(1, residuals.length)) };
}

/** Tries offsets up to half the height of the tank, coarsely and then to the millimeter. */
function bestOffset(
  name: FitName,
  gauge: TankGauge,
  shape: TankShape,
  points: readonly CalibrationPoint[],
): CalibrationFit {
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
