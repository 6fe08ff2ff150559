import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import type { EventType } from '../evaluation/pure/alerts/event_types.ts';
import type { ConsoleRole } from '../keys/console_roles.ts';
import { uuid7 } from '../values/uuid7.ts';

/** More people than this are not one dispatch office. */
export const MAX_CONTACTS = 500;

/** A contact, as /manage/v1 returns it. */
export interface Contact {
  id: string;
  object: 'contact';
  email: string;
  name: string | null;
  types: EventType[];
  digest_at: string | null;
  roles: ConsoleRole[];
  created_at: string;
}

/** Without its object, it is deleted. */
export interface StoredContact {
  no: number;
  object: Contact | null;
}

const COLUMNS = `no, deleted_at is not null as is_deleted, id, 'contact' as object, email, name, types,
  to_char(digest_at, 'HH24:MI') as digest_at, roles, created_at`;
type Row = Contact & { no: number; is_deleted: boolean };
const stored = ({ no, is_deleted, ...object }: Row): StoredContact => ({ no, object: is_deleted ? null : object });

export async function findManagedContact(
  db: Db,
  organizationNo: number,
  by: { id: string } | { email: string },
): Promise<StoredContact | undefined> {
  const [column, value] = 'id' in by ? ['id', by.id] : ['email', by.email];
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from contacts where organization_no = $1 and ${column} = $2`,
    [organizationNo, value],
  );
  return rows[0] && stored(rows[0]);
}

/** All contacts of an organization, newest first. */
export async function listManagedContacts(db: Db, organizationNo: number): Promise<Contact[]> {
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from contacts where organization_no = $1 and deleted_at is null order by no desc`,
    [organizationNo],
  );
  return rows.flatMap((row) => stored(row).object ?? []);
}

export type ContactValues = Pick<Contact, 'email' | 'name' | 'types' | 'digest_at' | 'roles'>;

/** Creates a contact with an address that no other has, under the lock of the organization. Returns the id. */
export async function createContact(
  tx: Tx,
  organizationNo: number,
  { email, name, types, digest_at, roles }: ContactValues,
  { isDryRun }: { isDryRun: boolean },
): Promise<string> {
  const { rows } = await tx.query<{ id: string }>(
    `insert into contacts (${isDryRun ? 'no, ' : ''}id, organization_no, email, name, types, digest_at, digest_since, roles)
     ${isDryRun ? 'overriding system value' : ''}
     values (${isDryRun ? '-1, ' : ''}$1, $2, $3, $4, $5, $6::time, case when $6::time is not null then now() end, $7)
     returning id`,
    [uuid7(), organizationNo, email, name, types, digest_at, roles],
  );
  return onlyRow(rows).id;
}

/** Another time of the digest counts from now on. */
export async function changeContact(
  tx: Tx,
  no: number,
  { name, types, digest_at, roles }: Omit<ContactValues, 'email'>,
): Promise<void> {
  await tx.query(
    `update contacts set name = $2, types = $3, roles = $5, digest_at = $4::time,
       digest_since = case when digest_at = $4::time then digest_since when $4::time is not null then now() end
     where no = $1`,
    [no, name, types, digest_at, roles],
  );
}

export async function countAdministrators(tx: Tx, organizationNo: number): Promise<number> {
  const { rows } = await tx.query<{ n: number }>(
    `select count(*) as n from contacts
     where organization_no = $1 and deleted_at is null and 'administrator' = any (roles)`,
    [organizationNo],
  );
  return onlyRow(rows).n;
}
