import {
  type CustomerObject,
  MANAGED_CUSTOMER_COLUMNS,
  MANAGED_TANK_COLUMNS,
  type ManagedTankObject,
} from '../catalog/v1_columns.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Readers, Statement } from '../db/readers.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

/** A customer or tank that changed. Without its object, it was deleted. */
export type Change = { id: string } & (
  | { kind: 'customer'; object: CustomerObject | null }
  | { kind: 'tank'; object: ManagedTankObject | null }
);

export interface ChangePage {
  changes: Change[];
  /** The position after the last change. */
  next: string | null;
  hasMore: boolean;
}

/** The database was restored from a backup, so changes that the reader has seen may no longer exist. */
export class HistoryChangedError extends Error {}

/** Customers of one change come before tanks. */
const KINDS = ['customer', 'tank'] as const;
const MAX_INT = 2_147_483_647;

interface Position {
  kind: number;
  no: number;
  change_number: string;
}

/**
 * The next changes below the first number that a running transaction may still use: see `eventsAfter`. An object has one row, so
 * its changes coalesce, and the first page of a new reader is the beginning of the whole catalog. Each branch reads along its
 * index. Parameters: $1 organization, $2 the number, $3 and $4 the last customer and tank with it, $5 the number of rows.
 */
const CHANGES: Statement = {
  name: 'changes_after',
  text: `select kind, no, change_number::text as change_number
    from (
      (select 0 as kind, no, change_number from customers
       where organization_no = $1 and (change_number, no) > ($2::bigint, $3::int) and change_number < final_change_number($1)
       order by change_number, no limit $5)
      union all
      (select 1, no, change_number from tanks
       where organization_no = $1 and (change_number, no) > ($2::bigint, $4::int) and change_number < final_change_number($1)
       order by change_number, no limit $5)
    ) as changed
    order by changed.change_number, kind, no limit $5`,
};

const HISTORY: Statement = { name: 'change_feed_history', text: 'select history::text as history from change_epochs' };

const CUSTOMERS: Statement = {
  name: 'changed_customers',
  text: `select i.no, i.deleted_at is not null as is_deleted, ${MANAGED_CUSTOMER_COLUMNS} from customers i where i.no = any ($1::int[])`,
};
const TANKS: Statement = {
  name: 'changed_tanks',
  text: `select i.no, i.deleted_at is not null as is_deleted, ${MANAGED_TANK_COLUMNS} from tanks i where i.no = any ($1::int[])`,
};

/** Throws HistoryChangedError. Read it on the primary: a standby does not know which transactions run. */
export async function readChangeFeed(
  readers: Readers,
  organizationNo: number,
  { after, size }: { after: string | undefined; size: number },
): Promise<ChangePage> {
  const identity = JSON.stringify(['changes', organizationNo]);
  const { history } = onlyRow(await readers.query<{ history: string }>(HISTORY, []));
  const [afterHistory = history, number = '-1', kind = 1, no = MAX_INT] =
    after === undefined ? [] : decodeCursor(after, identity, ['bigint', 'bigint', 'int', 'int']);
  if (afterHistory !== history) throw new HistoryChangedError();
  const [afterCustomer, afterTank] = kind === 0 ? [no, -MAX_INT] : [MAX_INT, no];
  const rows = await readers.query<Position>(CHANGES, [organizationNo, number, afterCustomer, afterTank, size + 1]);
  const page = rows.slice(0, size);
  // A newer version than that of the number is no error: it comes again with its own number.
  const [customers, tanks] = await Promise.all([
    readObjects<CustomerObject>(readers, CUSTOMERS, page, 0),
    readObjects<ManagedTankObject>(readers, TANKS, page, 1),
  ]);
  const last = page.at(-1);
  return {
    changes: page.flatMap((position): Change[] => {
      const [customer, tank] = [customers.get(position.no), tanks.get(position.no)];
      if (KINDS[position.kind] === 'customer') return customer === undefined ? [] : [{ kind: 'customer', ...customer }];
      return tank === undefined ? [] : [{ kind: 'tank', ...tank }];
    }),
    next:
      last === undefined ? (after ?? null) : encodeCursor([history, last.change_number, last.kind, last.no], identity),
    hasMore: rows.length > size,
  };
}

async function readObjects<T extends { id: string }>(
  readers: Readers,
  statement: Statement,
  page: readonly Position[],
  kind: number,
): Promise<Map<number, { id: string; object: Omit<T, 'no' | 'is_deleted'> | null }>> {
  const nos = page.filter((position) => position.kind === kind).map(({ no }) => no);
  if (nos.length === 0) return new Map();
  const rows = await readers.query<T & { no: number; is_deleted: boolean }>(statement, [nos]);
  return new Map(
    rows.map(({ no, is_deleted, ...object }) => [no, { id: object.id, object: is_deleted ? null : object }]),
  );
}
