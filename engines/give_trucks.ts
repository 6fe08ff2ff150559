import type { Pool } from 'pg';
import { transaction } from '../src/db/pool.ts';
import { createTransport, findTransportByName } from '../src/deliveries/transport.ts';

export interface GivenTruck {
  name: string;
  /** Gallons. */
  capacity: number;
  driver: string;
}

/** A depot, and trucks with a driver each. Their meters do not compensate for temperature. */
export async function giveTrucks(
  operator: Pool,
  organizationNo: number,
  depot: { name: string; latitude: number; longitude: number },
  trucks: readonly GivenTruck[],
): Promise<void> {
  const isDryRun = false;
  await transaction(operator, async (tx) => {
    await createTransport(tx, organizationNo, 'depot', depot, { isDryRun });
    const { no: depot_no } = await findTransportByName(tx, organizationNo, 'depot', depot.name);
    for (const [at, { name, capacity, driver }] of trucks.entries()) {
      const truck = { name, depot_no, capacity, capacity_unit: 'gallons', is_compensated: false } as const;
      await createTransport(tx, organizationNo, 'truck', truck, { isDryRun });
      const phone = `+1 802 555 01${60 + at}`;
      await createTransport(tx, organizationNo, 'driver', { name: driver, phone }, { isDryRun });
    }
  });
}
