import { clamp } from '../../values/statistics.ts';
import { MAX_LENGTH_MM, MAX_NUMBER, MAX_TABLE_POINTS } from '../gauge_limits.ts';
import type { Heads, TankShape } from '../gauge_schema.ts';

/** The forms that this release knows. */
export const FORMS: readonly TankShape['form'][] = [
  'horizontal_cylinder',
  'vertical_cylinder',
  'cone_bottom',
  'sphere',
  'box',
  'obround',
  'table',
];

/** The depth of a head as a part of the radius. */
const HEAD_DEPTH: Readonly<Record<Heads, number>> = { flat: 0, elliptical: 0.5, hemispherical: 1 };

/** Smaller numbers are not heights or volumes of tanks, and PostgreSQL writes 1e-300 with 300 digits. */
const MIN_TABLE_VALUE = 0.000001;
const MIN_FULL_VOLUME = 0.001;
/** A thousand lines with three decimals fit. The database refuses a definition of more than 32,768 bytes. */
const MAX_TABLE_CHARACTERS = 28_000;

/** The inner height of the tank in millimeters. */
export function shapeHeight(shape: TankShape): number {
  if (shape.form === 'table') return shape.heights_mm.at(-1) ?? 0;
  return 'height_mm' in shape ? shape.height_mm : shape.diameter_mm;
}

/** The part of the volume below a height, from 0 to 1. */
export function filledFraction(shape: TankShape, heightMm: number): number {
  const full = shapeHeight(shape);
  const h = clamp(heightMm, 0, full);
  return h === full ? 1 : Math.min(1, volumeBelow(shape, h) / fullVolume(shape, full));
}

const fullVolumes = new WeakMap<TankShape, number>();
function fullVolume(shape: TankShape, full: number): number {
  const known = fullVolumes.get(shape) ?? volumeBelow(shape, full);
  fullVolumes.set(shape, known);
  return known;
}

/** The volume below a height, in a unit that differs from form to form. */
function volumeBelow(shape: TankShape, h: number): number {
  switch (shape.form) {
    case 'box':
      return h;
    case 'sphere':
      return capVolume(shape.diameter_mm / 2, h);
    case 'horizontal_cylinder': {
      const r = shape.diameter_mm / 2;
      const depth = HEAD_DEPTH[shape.heads] * r;
      // Both heads together are an ellipsoid: a sphere that is stretched along the axis.
      return (shape.length_mm - 2 * depth) * segmentArea(r, h) + HEAD_DEPTH[shape.heads] * capVolume(r, h);
    }
    case 'vertical_cylinder': {
      const r = shape.diameter_mm / 2;
      const depth = HEAD_DEPTH[shape.heads] * r;
      const side = shape.height_mm - 2 * depth;
      const head = (z: number): number => (depth === 0 ? 0 : (r / depth) ** 2 * capVolume(depth, z));
      const inSide = Math.PI * r * r * clamp(h - depth, 0, side);
      return head(Math.min(h, depth)) + inSide + head(depth + clamp(h - depth - side, 0, depth)) - head(depth);
    }
    case 'cone_bottom': {
      const area = Math.PI * (shape.diameter_mm / 2) ** 2;
      const cone = shape.cone_height_mm;
      return (area * Math.min(h, cone) ** 3) / (3 * cone * cone) + area * Math.max(0, h - cone);
    }
    case 'obround': {
      const { width_mm: width, height_mm: height } = shape;
      if (width >= height) return segmentArea(height / 2, h) + (width - height) * h;
      const r = width / 2;
      const side = height - width;
      const inTop = segmentArea(r, r + clamp(h - r - side, 0, r)) - segmentArea(r, r);
      return segmentArea(r, Math.min(h, r)) + width * clamp(h - r, 0, side) + inTop;
    }
    case 'table':
      return interpolate(shape.heights_mm, shape.volumes, h);
    default:
      return shape satisfies never;
  }
}

/** The area of a circle below a height. */
function segmentArea(r: number, h: number): number {
  const z = clamp(h, 0, 2 * r);
  return r * r * Math.acos(Math.min(1, Math.max(-1, 1 - z / r))) - (r - z) * Math.sqrt(Math.max(0, z * (2 * r - z)));
}

/** The volume of a sphere below a height. */
const capVolume = (r: number, h: number): number => (Math.PI * h * h * (3 * r - h)) / 3;

/** Interpolates between the points, and between the bottom and the first point if the table begins above it. */
function interpolate(xs: readonly number[], ys: readonly number[], x: number): number {
  let low = 0;
  let high = xs.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((xs[middle] ?? 0) >= x) high = middle;
    else low = middle + 1;
  }
  const [x0, y0] = high === 0 ? [0, 0] : [xs[high - 1] ?? 0, ys[high - 1] ?? 0];
  const [x1, y1] = [xs[high] ?? 0, ys[high] ?? 0];
  return x1 === x0 ? y1 : y0 + ((y1 - y0) * (x - x0)) / (x1 - x0);
}

/** A problem of a shape that the schema cannot describe, as in "the shape <problem>"; undefined if it can be used. */
export function findShapeProblem(shape: TankShape): string | undefined {
  if (shape.form === 'table') return findTableProblem(shape);
  if (shape.form === 'cone_bottom' && shape.cone_height_mm > shape.height_mm)
    return 'must not have a cone that is higher than the tank';
  if (!('heads' in shape)) return undefined;
  const alongMm = shape.form === 'horizontal_cylinder' ? shape.length_mm : shape.height_mm;
  return alongMm < HEAD_DEPTH[shape.heads] * shape.diameter_mm
    ? `must not have heads that are longer than its ${alongMm} mm`
    : undefined;
}

function findTableProblem(table: Extract<TankShape, { form: 'table' }>): string | undefined {
  const { heights_mm, volumes } = table;
  if (heights_mm.length > MAX_TABLE_POINTS) return `must have at most ${MAX_TABLE_POINTS} points`;
  if (heights_mm.length !== volumes.length) return 'must have a volume for each height';
  const areWithin = (values: readonly number[], max: number): boolean =>
    values.every((value) => value === 0 || (value >= MIN_TABLE_VALUE && value <= max));
  if (!areWithin(heights_mm, MAX_LENGTH_MM))
    return `must have heights of 0 or from ${MIN_TABLE_VALUE} to ${MAX_LENGTH_MM} mm`;
  if (!areWithin(volumes, MAX_NUMBER)) return `must have volumes of 0 or from ${MIN_TABLE_VALUE} to ${MAX_NUMBER}`;
  const isRising = (values: readonly number[]): boolean =>
    values.every((value, index) => value > (values[index - 1] ?? -1));
  if (!isRising(heights_mm) || !isRising(volumes)) return 'must have heights and volumes that rise from line to line';
  if (shapeHeight(table) < 1) return 'must be at least 1 mm high';
  if ((volumes.at(-1) ?? 0) < MIN_FULL_VOLUME) return `must have a full volume of at least ${MIN_FULL_VOLUME}`;
  return JSON.stringify(table).length > MAX_TABLE_CHARACTERS
    ? `must have at most ${MAX_TABLE_CHARACTERS} characters; round its numbers`
    : undefined;
}
