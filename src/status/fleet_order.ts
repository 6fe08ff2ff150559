import type { SortType } from './cursor.ts';

interface Order {
  /** SQL: the table of the rows `f` to filter and sort. */
  rows: string;
  /** Columns of these rows that an index sorts by. */
  columns: Readonly<Record<string, SortType>>;
  /** True if losing tanks come before all others. A tank stops losing when time passes, so no index has this order. */
  areLosingFirst?: boolean;
}

// The common columns of a join are those of its first table, so that a position in the list is a position in its index.
const LEVEL_ROWS = '(select * from fleet_levels join fleet_tanks using (organization_no, tank_no))';

const ORDERS = {
  urgency: { rows: 'fleet_tanks', columns: { threshold_on: 'date', empty_on: 'date' }, areLosingFirst: true },
  level: { rows: LEVEL_ROWS, columns: { fill: 'smallint' } },
  last_reading: { rows: LEVEL_ROWS, columns: { latest_on: 'date' } },
  last_refill: { rows: 'fleet_tanks', columns: { refilled_on: 'date', threshold_on: 'date', empty_on: 'date' } },
  /** The only order that readings do not change, so that paging through it finds every tank. */
  created: { rows: 'fleet_tanks', columns: {} },
} satisfies Record<string, Order>;

type SortKey = keyof typeof ORDERS;
export type FleetSort = SortKey | `-${SortKey}`;
export const FLEET_SORTS: readonly FleetSort[] = [
  'urgency',
  '-urgency',
  'level',
  '-level',
  'last_reading',
  '-last_reading',
  'last_refill',
  '-last_refill',
  'created',
  '-created',
];

/** The rows and the columns of an order. The tank number comes last, so that no two tanks have the same position. */
export function orderOf(sort: FleetSort): { rows: string; columns: [string, SortType][]; areLosingFirst: boolean } {
  const order =
    Object.entries<Order>(ORDERS).find(([key]) => sort === key || sort === `-${key}`)?.[1] ?? ORDERS.urgency;
  const { rows, columns, areLosingFirst = false } = order;
  return { rows, columns: [...Object.entries(columns), ['tank_no', 'int']], areLosingFirst };
}
