import { operatorChange } from '../src/catalog/change_context.ts';
import { transaction } from '../src/db/pool.ts';
import { reevaluateAllTanks } from '../src/evaluation/reevaluator.ts';
import type { TankShape } from '../src/gauges/gauge_schema.ts';
import { recomputeAllTanks } from '../src/gauges/recomputation_loop.ts';
import { setTankGauges } from '../src/gauges/set_gauges.ts';
import { filledFraction, shapeHeight } from '../src/gauges/shapes/shape.ts';
import { FULL_BUDGET, packMonths } from '../src/telemetry/pack_months.ts';
import type { TankReading } from '../src/telemetry/reading.ts';
import { type CapacityUnit, toLiters } from '../src/values/capacity_unit.ts';
import type { Databases } from './provision.ts';

/** A tank whose device measures the height of the gas from below, as devices at the bottom of a tank do. */
export interface ShapedTank {
  organizationNo: number;
  no: number;
  shape: TankShape;
}

/** Returns the shape of a lying tank with round heads, three times as long as wide, as most propane tanks are. */
export function lyingTank(capacity: number, unit: CapacityUnit): TankShape {
  const diameter_mm = Math.round(100 * Math.cbrt(toLiters(capacity, unit) / (Math.PI * (1 / 2 + 1 / 6))));
  return { form: 'horizontal_cylinder', diameter_mm, length_mm: 3 * diameter_mm, heads: 'hemispherical' };
}

/** The wrong shape: the lying tanks are described as upright ones, in which each millimeter has the same volume. */
const mistakenShape = (shape: TankShape): TankShape => ({ form: 'box', height_mm: shapeHeight(shape) });

/** Adds the measures of the device to readings. When they are stored, levels are computed with the current gauge. */
export const measured = (readings: readonly TankReading[], shape: TankShape): TankReading[] =>
  readings.map((reading) => ({
    ...reading,
    measure: { kind: 'height', value: Math.round(10 * heightOf(shape, reading.fillPercentage / 100)) },
  }));

/** Computes the height below which this share of the volume is, to 0.01 mm. */
export function heightOf(shape: TankShape, fraction: number): number {
  let [low, high] = [0, shapeHeight(shape)];
  while (high - low > 0.01) {
    const middle = (low + high) / 2;
    if (filledFraction(shape, middle) < fraction) low = middle;
    else high = middle;
  }
  return high;
}

/** Sets wrong gauges of the tanks. */
export const mistakeShapes = (databases: Databases, tanks: readonly ShapedTank[]): Promise<void> =>
  setShapes(
    databases,
    tanks.map((tank) => ({ ...tank, shape: mistakenShape(tank.shape) })),
  );

/** Packs the old months, and then corrects the shapes, so that all levels of the tanks and their events change. */
export async function correctShapes(databases: Databases, tanks: readonly ShapedTank[]): Promise<void> {
  await packMonths(databases.operator, FULL_BUDGET);
  await setShapes(databases, tanks);
  await recomputeAllTanks(databases.writer);
  await reevaluateAllTanks(databases.writer);
}

const setShapes = ({ operator }: Databases, tanks: readonly ShapedTank[]): Promise<void> =>
  transaction(operator, async (tx) => {
    for (const { organizationNo, no, shape } of tanks)
      await setTankGauges(operatorChange(tx, organizationNo), { no }, [
        { shape, measures: 'height', offset_mm: 0, from_at: null },
      ]);
  });
