import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Heads, TankShape } from '../../src/gauges/gauge_schema.ts';
import { filledFraction, findShapeProblem, shapeHeight } from '../../src/gauges/shapes/shape.ts';
import { Random } from '../../src/simulation/random.ts';
import { randomRuns } from '../support/random_runs.ts';

const HEADS: readonly Heads[] = ['flat', 'elliptical', 'hemispherical'];
const DEPTH = { flat: 0, elliptical: 0.5, hemispherical: 1 };

function randomShape(random: () => number): TankShape {
  const between = (low: number, high: number): number => low + (high - low) * random();
  const diameter = between(200, 4_000);
  const heads = HEADS[Math.floor(random() * 3)] ?? 'flat';
  const along = DEPTH[heads] * diameter + between(1, 15_000);
  switch (Math.floor(random() * 7)) {
    case 0:
      return { form: 'horizontal_cylinder', diameter_mm: diameter, length_mm: along, heads };
    case 1:
      return { form: 'vertical_cylinder', diameter_mm: diameter, height_mm: along, heads };
    case 2:
      return { form: 'box', height_mm: diameter };
    case 3:
      return { form: 'sphere', diameter_mm: diameter };
    case 4: {
      const coneHeight = between(1, 2_000);
      return {
        form: 'cone_bottom',
        diameter_mm: diameter,
        cone_height_mm: coneHeight,
        height_mm: coneHeight + between(1, 5_000),
      };
    }
    case 5:
      return { form: 'obround', width_mm: between(200, 3_000), height_mm: between(200, 3_000) };
    default: {
      const heights = [0];
      const volumes = [0];
      for (let line = 0; line < 2 + random() * 40; line++) {
        heights.push((heights.at(-1) ?? 0) + between(1, 100));
        volumes.push((volumes.at(-1) ?? 0) + between(1, 500));
      }
      return { form: 'table', heights_mm: heights, volumes };
    }
  }
}

/** The area of the surface at a height. It is computed from half chords and ellipses, not from the formulas of volumes. */
function surfaceArea(shape: TankShape, z: number): number {
  const chord = (r: number, height: number): number => Math.sqrt(Math.max(0, r * r - (r - height) ** 2));
  switch (shape.form) {
    case 'box':
      return 1;
    case 'sphere':
      return Math.PI * chord(shape.diameter_mm / 2, z) ** 2;
    case 'horizontal_cylinder': {
      const r = shape.diameter_mm / 2;
      const half = chord(r, z);
      const depth = DEPTH[shape.heads] * r;
      return (shape.length_mm - 2 * depth) * 2 * half + Math.PI * half * ((depth / r) * half);
    }
    case 'vertical_cylinder': {
      const r = shape.diameter_mm / 2;
      const depth = DEPTH[shape.heads] * r;
      const inHead = Math.max(0, depth - z, z - (shape.height_mm - depth));
      return Math.PI * r * r * (depth === 0 ? 1 : 1 - (inHead / depth) ** 2);
    }
    case 'cone_bottom':
      return Math.PI * (shape.diameter_mm / 2) ** 2 * (z < shape.cone_height_mm ? (z / shape.cone_height_mm) ** 2 : 1);
    case 'obround': {
      const { width_mm: width, height_mm: height } = shape;
      if (width >= height) return width - height + 2 * chord(height / 2, z);
      const r = width / 2;
      return 2 * (z < r ? chord(r, z) : z > height - r ? chord(r, height - z) : r);
    }
    case 'table': {
      const line = Math.max(
        1,
        shape.heights_mm.findIndex((height) => height > z),
      );
      const [h0 = 0, h1 = 1] = shape.heights_mm.slice(line - 1, line + 1);
      const [v0 = 0, v1 = 0] = shape.volumes.slice(line - 1, line + 1);
      return (v1 - v0) / (h1 - h0);
    }
    default:
      return shape satisfies never;
  }
}

/** Heights at which the form changes. */
function seams(shape: TankShape): number[] {
  if (shape.form === 'vertical_cylinder') {
    const depth = (DEPTH[shape.heads] * shape.diameter_mm) / 2;
    return [depth, shape.height_mm - depth];
  }
  if (shape.form === 'cone_bottom') return [shape.cone_height_mm];
  if (shape.form === 'obround')
    return shape.height_mm > shape.width_mm ? [shape.width_mm / 2, shape.height_mm - shape.width_mm / 2] : [];
  return shape.form === 'table' ? [...shape.heights_mm] : [];
}

/** The volume up to a height, by Simpson's rule between the seams. It integrates over an angle, because the surface begins like a square root. */
function integrate(shape: TankShape, to: number): number {
  const ends = [0, ...seams(shape).filter((height) => height > 0 && height < to), to];
  let volume = 0;
  for (let part = 1; part < ends.length; part++) {
    const [low = 0, high = 0] = ends.slice(part - 1, part + 1);
    const steps = 64;
    let sum = 0;
    for (let step = 0; step <= steps; step++) {
      const angle = (step / steps) * Math.PI;
      const inside = low + ((high - low) * (1 - Math.cos(angle))) / 2;
      const z = Math.min(Math.max(inside, low + 1e-9 * (high - low)), high - 1e-9 * (high - low));
      sum += surfaceArea(shape, z) * Math.sin(angle) * (step === 0 || step === steps ? 1 : step % 2 === 0 ? 2 : 4);
    }
    volume += (sum * Math.PI * (high - low)) / 2 / (3 * steps);
  }
  return volume;
}

test('the level of every shape is within 0.01 points of a numerical integration', () => {
  const random = new Random(20_261_117);
  const cases = randomRuns(100_000);
  let worst = 0;
  for (let n = 0; n < cases; n++) {
    const shape = randomShape(() => random.next());
    if (findShapeProblem(shape) !== undefined) throw new Error(`refused: ${JSON.stringify(shape)}`);
    const full = shapeHeight(shape);
    const height = random.next() * full;
    const exact = integrate(shape, height) / integrate(shape, full);
    const error = Math.abs(filledFraction(shape, height) - exact) * 100;
    if (error > worst) worst = error;
    if (error > 0.01)
      throw new Error(`${JSON.stringify(shape)} at ${height}: ${filledFraction(shape, height)}, not ${exact}`);
  }
  expect(worst).toBeLessThanOrEqual(0.01);
});

const INCH = 25.4;
const PERCENT_OF_DIAMETER = [5, 10, 20, 25, 40, 50, 60, 75, 80, 90, 95];
const horizontal = (diameter: number, length: number, heads: Heads): TankShape => ({
  form: 'horizontal_cylinder',
  diameter_mm: diameter * INCH,
  length_mm: length * INCH,
  heads,
});

test.each([
  [
    '500 gal, hemispherical',
    horizontal(37.5, 119, 'hemispherical'),
    [1.601, 4.64, 13.337, 18.629, 36.848, 50, 63.152, 81.371, 86.663, 95.36, 98.399],
  ],
  [
    '500 gal, 2:1 elliptical',
    horizontal(37.5, 119, 'elliptical'),
    [1.742, 4.938, 13.812, 19.115, 37.114, 50, 62.886, 80.885, 86.188, 95.062, 98.258],
  ],
  [
    '500 gal, flat',
    horizontal(37.5, 119, 'flat'),
    [1.869, 5.204, 14.238, 19.55, 37.353, 50, 62.647, 80.45, 85.762, 94.796, 98.131],
  ],
  [
    '250 gal, hemispherical',
    horizontal(30, 92, 'hemispherical'),
    [1.59, 4.618, 13.302, 18.593, 36.828, 50, 63.172, 81.407, 86.698, 95.382, 98.41],
  ],
  [
    '1,000 gal, hemispherical',
    horizontal(41, 190, 'hemispherical'),
    [1.692, 4.832, 13.643, 18.942, 37.019, 50, 62.981, 81.058, 86.357, 95.168, 98.308],
  ],
] as const)('the levels of a lying cylinder are those of an independent computation: %s', (_, shape, levels) => {
  const found = PERCENT_OF_DIAMETER.map((percent) => filledFraction(shape, (shapeHeight(shape) * percent) / 100) * 100);
  found.forEach((level, index) => expect(level).toBeCloseTo(levels[index] ?? 0, 2));
});

test('the levels of the upright 275 gal heating-oil tank are scaled to the volume on its plate', () => {
  const shape: TankShape = { form: 'obround', width_mm: 27 * INCH, height_mm: 44 * INCH };
  const levels = {
    2: 1.857,
    5: 7.077,
    10: 18.695,
    13.5: 27.752,
    20: 44.765,
    22: 50,
    30.5: 72.248,
    35: 83.804,
    40: 94.872,
    42: 98.143,
  };
  for (const [inches, level] of Object.entries(levels))
    expect(filledFraction(shape, Number(inches) * INCH) * 100).toBeCloseTo(level, 2);
  // The full volume is the 275 gal of the plate, not the 267.9 gal of its outer dimensions.
  expect(filledFraction(shape, 44 * INCH) * 275).toBe(275);
});

interface MakerTable {
  maker: string;
  tank: string;
  shape: TankShape;
  step_mm: number;
  within_points: number;
  volumes: number[];
}
const { tables } = JSON.parse(readFileSync(new URL('maker_tables.json', import.meta.url), 'utf8')) as {
  tables: MakerTable[];
};

test.each(tables)(
  'the shape and the table of $maker give the printed levels: $tank',
  ({ shape, step_mm, within_points, volumes }) => {
    const full = volumes.at(-1) ?? 0;
    const heights = volumes.map((_, line) => (line + 1) * step_mm);
    const table: TankShape = { form: 'table', heights_mm: heights, volumes };
    for (const [line, height] of heights.entries()) {
      const printed = ((volumes[line] ?? 0) / full) * 100;
      expect(Math.abs(filledFraction(shape, height) * 100 - printed)).toBeLessThanOrEqual(within_points);
      expect(filledFraction(table, height) * 100).toBeCloseTo(printed, 6);
    }
  },
);
