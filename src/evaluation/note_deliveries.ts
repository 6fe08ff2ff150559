import { arrayLiteral, type Db } from '../db/pool.ts';
import type { DeliveryInput } from './reevaluate_tank.ts';

/** Reads the deliveries of tanks without a sensor after a time, from their delivery notes. */
export async function readDeliveriesOfTanks(
  db: Db,
  starts: readonly { tankNo: number; atMs: number }[],
): Promise<Map<number, DeliveryInput[]>> {
  if (starts.length === 0) return new Map();
  const { rows } = await db.query<{ tank_no: number; at_ms: number; points: number; filled_to: number | null }>(
    'select tank_no, at_ms, points, filled_to from deliveries_of_tanks($1::int[], $2::float8[])',
    [arrayLiteral(starts.map(({ tankNo }) => tankNo)), arrayLiteral(starts.map(({ atMs }) => atMs))],
  );
  const deliveries = new Map<number, DeliveryInput[]>(starts.map(({ tankNo }) => [tankNo, []]));
  for (const { tank_no, at_ms, points, filled_to: filledTo } of rows)
    deliveries.get(tank_no)?.push({ kind: 'delivery', atMs: Math.round(at_ms), points, filledTo });
  return deliveries;
}
