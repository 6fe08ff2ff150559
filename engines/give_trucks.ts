import type { Pool } from 'pg';
import { operatorChange } from '../src/catalog/change_context.ts';
import { transaction } from '../src/db/pool.ts';
import { createTransport } from '../src/deliveries/truck_changes.ts';

export interface GivenTruck {
  name: string;
  /** In gallons. */
  capacity: number;
  driver: string;
  product?: string;
}

/** Creates a depot, and trucks with a driver each. Their meters do not compensate for temperature. */
export async function giveTrucks(
  operator: Pool,
  organizationNo: number,
  depot: { name: string; latitude: number; longitude: number },
  trucks: readonly GivenTruck[],
): Promise<void> {
  await transaction(operator, async (tx) => {
    const change = operatorChange(tx, organizationNo);
    const depot_id = await createTransport(change, 'depot', depot);
    for (const [index, { driver, ...truck }] of trucks.entries()) {
      const values = { ...truck, depot_id, capacity_unit: 'gallons', is_compensated: false } as const;
      await createTransport(change, 'truck', values);
      const phone = `+1 802 555 01${60 + index}`;
      await createTransport(change, 'driver', { name: driver, phone });
    }
  });
}
