import type { Db } from '../db/pool.ts';
import { TANK_COLUMNS, type TankObject } from './v1_columns.ts';

/** A customer as /manage/v1 and the change feed show it: the columns of a row `i`. It has everything that can be written. */
export const MANAGED_CUSTOMER_COLUMNS = `i.id, 'customer' as object, i.external_key, i.email, i.name, i.phone, i.is_verified,
  i.verified_at, i.created_at, i.updated_at`;

/** A row with MANAGED_CUSTOMER_COLUMNS. */
export interface CustomerObject {
  id: string;
  object: 'customer';
  external_key: string | null;
  email: string;
  name: string;
  phone: string | null;
  is_verified: boolean;
  verified_at: string | null;
  created_at: string;
  updated_at: string;
}

/** A stored customer or tank. Without its object, it is deleted. */
export interface Stored<T> {
  no: number;
  id: string;
  object: T | null;
}

type Row<T> = T & { no: number; is_deleted: boolean };

/** How one object is found: by its internal number, its id, or the key of the caller's own system. */
export type CustomerReference = { no: number } | { id: string } | { externalKey: string };
export type TankReference = { no: number } | { id: string } | { ownerNo: number; customId: string };

export async function findManagedCustomer(
  db: Db,
  organizationNo: number,
  reference: CustomerReference,
): Promise<Stored<CustomerObject & { reminders_off_since: string | null }> | undefined> {
  const [condition, value] =
    'no' in reference
      ? ['i.no = $2', reference.no]
      : 'id' in reference
        ? ['i.id = $2', reference.id]
        : ['i.external_key = $2', reference.externalKey];
  const { rows } = await db.query<Row<CustomerObject & { reminders_off_since: string | null }>>(
    `select i.no, i.deleted_at is not null as is_deleted, ${MANAGED_CUSTOMER_COLUMNS},
            (select at from reminder_unsubscribes where customer_no = i.no) as reminders_off_since
     from customers i where i.organization_no = $1 and ${condition}`,
    [organizationNo, value],
  );
  return stored(rows[0]);
}

export async function findManagedTank(
  db: Db,
  organizationNo: number,
  reference: TankReference,
): Promise<Stored<TankObject> | undefined> {
  const [condition, values] =
    'no' in reference
      ? ['i.no = $2', [reference.no]]
      : 'id' in reference
        ? ['i.id = $2', [reference.id]]
        : ['i.owner_no = $2 and i.custom_id = $3', [reference.ownerNo, reference.customId]];
  const { rows } = await db.query<Row<TankObject>>(
    `select i.no, i.deleted_at is not null as is_deleted, ${TANK_COLUMNS} from tanks i
     where i.organization_no = $1 and ${condition}`,
    [organizationNo, ...values],
  );
  return stored(rows[0]);
}

function stored<T extends { id: string }>(
  row: Row<T> | undefined,
): Stored<Omit<Row<T>, 'no' | 'is_deleted'>> | undefined {
  if (row === undefined) return undefined;
  const { no, is_deleted, ...object } = row;
  return { no, id: row.id, object: is_deleted ? null : object };
}
