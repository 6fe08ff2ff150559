import type { FleetScope, SqlValues } from '../status/tank_filter.ts';

/** The filter that lists of delivery notes and of entries of the ledger have in common. */
export interface DeliveryFilter {
  /** The end of the half-open period in milliseconds; null for no limit. */
  untilMs: number | null;
  ownerId: string | null;
  tankId: string | null;
  truckId: string | null;
  driverId: string | null;
}

/**
 * The conditions on a row `row` of notes or entries, without the tank. The scope comes first. Conditions that are not requested are left
 * out of the statement: with "is null or", a generic plan reads all rows. `numberOf` is an SQL expression: the number of an object.
 */
export function deliveryConditions(
  row: 'n' | 'e',
  { organizationNo, customerNo }: FleetScope,
  { fromMs, untilMs, ownerId, truckId, driverId }: DeliveryFilter & { fromMs: number | null },
  { add }: SqlValues,
): { conditions: string[]; numberOf: (table: string, id: string) => string } {
  const organization = add(organizationNo, 'int');
  const numberOf = (table: string, id: string): string =>
    `(select no from ${table} where organization_no = ${organization} and id = ${add(id, 'uuid')})`;
  const time = (ms: number): string => add(new Date(ms).toISOString(), 'timestamptz');
  const conditions = [`${row}.organization_no = ${organization}`];
  if (customerNo !== null) conditions.push(`${row}.customer_no = ${add(customerNo, 'int')}`);
  if (ownerId !== null) conditions.push(`${row}.customer_no = ${numberOf('customers', ownerId)}`);
  if (truckId !== null) conditions.push(`${row}.truck_no = ${numberOf('trucks', truckId)}`);
  if (driverId !== null) conditions.push(`${row}.driver_no = ${numberOf('drivers', driverId)}`);
  if (fromMs !== null) conditions.push(`${row}.at >= ${time(fromMs)}`);
  if (untilMs !== null) conditions.push(`${row}.at < ${time(untilMs)}`);
  return { conditions, numberOf };
}
