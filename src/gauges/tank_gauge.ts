import type { Measure } from '../telemetry/reading.ts';
import type { FieldProblem } from '../values/change_refusal.ts';
import { MAX_DENSITY_KG_M3, MAX_LENGTH_MM, MAX_NUMBER } from './gauge_limits.ts';
import type { TankGauge } from './gauge_schema.ts';
import { filledFraction, findShapeProblem, shapeHeight } from './shapes/shape.ts';

/** The problems of a gauge that the schema cannot describe, and values out of range, for commands without the schema. */
export function findGaugeProblems({ shape, measures, offset_mm, density_kg_m3, range }: TankGauge): FieldProblem[] {
  const wrongShape = findShapeProblem(shape);
  const isWrongOffset = Math.abs(offset_mm) > MAX_LENGTH_MM;
  const isWrongDensity = density_kg_m3 !== undefined && !(density_kg_m3 >= 1 && density_kg_m3 <= MAX_DENSITY_KG_M3);
  const isWrongRange = range !== undefined && Math.max(Math.abs(range.empty), Math.abs(range.full)) > MAX_NUMBER;
  return [
    ...(isWrongOffset ? [{ field: 'offset_mm', reason: `must be from -${MAX_LENGTH_MM} to ${MAX_LENGTH_MM}` }] : []),
    ...(isWrongDensity ? [{ field: 'density_kg_m3', reason: `must be from 1 to ${MAX_DENSITY_KG_M3}` }] : []),
    ...(isWrongRange ? [{ field: 'range', reason: `must be from -${MAX_NUMBER} to ${MAX_NUMBER}` }] : []),
    ...(wrongShape === undefined ? [] : [{ field: 'shape', reason: wrongShape }]),
    ...(measures === 'pressure' && density_kg_m3 === undefined
      ? [{ field: 'density_kg_m3', reason: 'is needed for a pressure' }]
      : []),
    ...(measures === 'raw' && (range === undefined || range.empty === range.full)
      ? [{ field: 'range', reason: 'must have two different numbers for empty and full' }]
      : []),
  ];
}

/** Why a measure gives no level, with the code of a rejected reading. */
export interface UnreadableMeasure {
  code: 'no_gauge' | 'out_of_range';
  detail: string;
}

const GRAVITY_M_S2 = 9.80665;
/** A height outside the tank by at most this share of the tank's height is an error of the gauge, not of the shape. */
const TOLERANCE = 0.03;

/** The level in percent, to 0.01. */
export function gaugePercentage(gauge: TankGauge, measure: Measure): number | UnreadableMeasure {
  const heightMm = productHeightMm(gauge, measure);
  if (heightMm === undefined)
    return {
      code: 'no_gauge',
      detail: `The gauge of the tank measures ${gauge.measures}, and the device sent ${describeMeasure(measure)}; correct the gauge of the tank or the profile of the device.`,
    };
  const fullMm = shapeHeight(gauge.shape);
  if (heightMm < -TOLERANCE * fullMm || heightMm > (1 + TOLERANCE) * fullMm)
    return {
      code: 'out_of_range',
      detail: `${describeMeasure(measure)} would be a height of ${Math.round(heightMm)} mm in a tank of ${Math.round(fullMm)} mm; check the shape and the offset of the gauge.`,
    };
  const level = Math.round(filledFraction(gauge.shape, heightMm) * 10_000) / 100;
  return Number.isFinite(level)
    ? level
    : {
        code: 'out_of_range',
        detail: `${describeMeasure(measure)} gives no level; check the shape of the gauge.`,
      };
}

/** The height of the product above the bottom. Undefined if the gauge measures something else. */
export function productHeightMm(gauge: TankGauge, { kind, value }: Measure): number | undefined {
  const { shape, measures, offset_mm, density_kg_m3 = 1, range = { empty: 0, full: 1 } } = gauge;
  const isLength = measures === 'distance' || measures === 'height';
  if (kind !== measures && !(kind === 'length' && isLength)) return undefined;
  switch (measures) {
    case 'distance':
      return shapeHeight(shape) - (value / 10 - offset_mm);
    case 'height':
      return value / 10 + offset_mm;
    case 'pressure':
      return (value / (density_kg_m3 * GRAVITY_M_S2)) * 1_000 + offset_mm;
    case 'raw':
      return ((value - range.empty) / (range.full - range.empty)) * shapeHeight(shape);
    default:
      return measures satisfies never;
  }
}

/** A measure in the unit in which people read it. The unit is null for raw numbers of the device. */
export function measureWithUnit({ kind, value }: Measure): { value: number; unit: 'mm' | 'Pa' | null } {
  if (kind === 'raw') return { value, unit: null };
  return kind === 'pressure' ? { value, unit: 'Pa' } : { value: value / 10, unit: 'mm' };
}

/** A measure with its unit, such as "distance 843.5 mm". */
export function describeMeasure(measure: Measure): string {
  const { value, unit } = measureWithUnit(measure);
  return [measure.kind, value, unit ?? []].flat().join(' ');
}
