import type { EventType } from '../alerts/event_types.ts';
import { lockOrganization } from '../catalog/organizations.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { UserError } from '../values/user_error.ts';
import { uuid7 } from '../values/uuid7.ts';

/** Adds a contact. If the address exists already, changes its event types. */
export async function addContact(
  tx: Tx,
  organizationNo: number,
  contact: { email: string; types: readonly EventType[] },
): Promise<{ id: string }> {
  await lockOrganization(tx, organizationNo);
  const { rows } = await tx.query<{ id: string }>(
    `insert into contacts (id, organization_no, email, types) values ($1, $2, $3, $4)
     on conflict (organization_no, email) do update set types = excluded.types
     returning id`,
    [uuid7(), organizationNo, contact.email, contact.types],
  );
  return onlyRow(rows);
}

export async function listContacts(db: Db, organizationNo: number): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    `select id, email, array_to_string(types, ' ') as types, created_at from contacts
     where organization_no = $1 and deleted_at is null order by no desc`,
    [organizationNo],
  );
  return rows;
}

/** Removes a contact by id or address, and deletes the stored address. */
export async function removeContact(tx: Tx, organizationNo: number, reference: string): Promise<void> {
  const { rowCount } = await tx.query(
    `update contacts set deleted_at = now(), email = null
     where organization_no = $1 and deleted_at is null and (id::text = lower($2) or email = $2)`,
    [organizationNo, reference],
  );
  if (!rowCount) throw new UserError('there is no such contact; see: tankwatch contacts list');
}
