import { lockOrganization } from '../catalog/organizations.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import type { EventType } from '../evaluation/pure/alerts/event_types.ts';
import type { ConsoleRole } from '../keys/console_roles.ts';
import { UserError } from '../values/user_error.ts';
import { uuid7 } from '../values/uuid7.ts';
import { MAIL_ORGANIZATION_SQL, type MailOrganization } from './mail_organization.ts';

export interface NewContact {
  email: string;
  /** The types of events that are mailed at once. */
  types: readonly EventType[];
  /** The time of the daily digest in the organization's time zone, such as `07:00`; null: no digest. */
  digestAt?: string | null;
  /** What the contact may do in the console. Empty: the contact cannot sign in. Undefined: as before, or empty. */
  roles?: readonly ConsoleRole[] | undefined;
  /** Undefined: as before. Null: none. */
  name?: string | null | undefined;
}

/** Adds a contact. If the address exists already, changes what it receives. */
export async function addContact(
  tx: Tx,
  organizationNo: number,
  { email, types, digestAt = null, roles, name }: NewContact,
): Promise<{ id: string }> {
  await lockOrganization(tx, organizationNo);
  // Not `on conflict`, which takes an internal number also if the row exists. The organization is locked.
  const { rows } = await tx.query<{ id: string }>(
    `with given as (
       select $4::text[] as types, $5::time(0) as digest_at, case when $5::time is not null then now() end as digest_since
     ),
     updated as (
       update contacts c
       set types = g.types, digest_at = g.digest_at,
           digest_since = case when c.digest_at = g.digest_at then c.digest_since else g.digest_since end,
           roles = coalesce($6, c.roles), name = case when $8 then $7 else c.name end
       from given g where c.organization_no = $2 and c.email = $3
       returning c.id
     ),
     inserted as (
       insert into contacts (id, organization_no, email, types, digest_at, digest_since, roles, name)
       select $1, $2, $3, g.types, g.digest_at, g.digest_since, coalesce($6, '{}'), $7
       from given g where not exists (select from updated)
       returning id
     )
     select id from updated union all select id from inserted`,
    [uuid7(), organizationNo, email, types, digestAt, roles ?? null, name ?? null, name !== undefined],
  );
  return onlyRow(rows);
}

export async function listContacts(db: Db, organizationNo: number): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    `select id, email, array_to_string(types, ' ') as types, to_char(digest_at, 'HH24:MI') as digest_at,
            (select max(day)::text from digests d where d.contact_no = c.no and d.outcome = 'sent') as last_digest,
            array_to_string(roles, ' ') as roles, name, has_console, last_seen_at, created_at
     from contacts c
     where organization_no = $1 and deleted_at is null order by no desc`,
    [organizationNo],
  );
  return rows;
}

const IS_CONTACT = `organization_no = $1 and deleted_at is null and (id::text = lower($2) or email = $2)`;

/** What to change about a contact. */
export interface ContactChange {
  /** In place of the roles before. Empty: the access ends. */
  roles?: readonly ConsoleRole[] | undefined;
  name?: string | null | undefined;
}

/** Changes a contact, given by id or address. New roles count within a second, also in open sessions. */
export async function updateContact(
  tx: Tx,
  organizationNo: number,
  reference: string,
  { roles, name }: ContactChange,
): Promise<{ id: string; roles: ConsoleRole[] }> {
  await lockOrganization(tx, organizationNo);
  const { rows } = await tx.query<{ id: string; roles: ConsoleRole[] }>(
    `update contacts set roles = coalesce($3, roles), name = case when $5 then $4 else name end
     where ${IS_CONTACT} returning id, roles`,
    [organizationNo, reference, roles ?? null, name ?? null, name !== undefined],
  );
  if (rows[0] === undefined) throw noSuchContact();
  return rows[0];
}

/** The roles of a contact who may use the console: those that it has, or that of a viewer. */
export async function rolesWithConsole(db: Db, organizationNo: number, reference: string): Promise<ConsoleRole[]> {
  const { rows } = await db.query<{ roles: ConsoleRole[] }>(`select roles from contacts where ${IS_CONTACT}`, [
    organizationNo,
    reference,
  ]);
  const roles = rows[0]?.roles ?? [];
  return roles.length > 0 ? roles : ['viewer'];
}

/** Removes a contact by id or address, and deletes the stored address. */
export async function removeContact(tx: Tx, organizationNo: number, reference: string): Promise<void> {
  const { rowCount } = await tx.query(
    `update contacts set deleted_at = now(), email = null, digest_at = null, digest_since = null where ${IS_CONTACT}`,
    [organizationNo, reference],
  );
  if (!rowCount) throw noSuchContact();
}

/** The address of a contact, given by id or address, and its organization. */
export async function findContact(
  db: Db,
  organizationNo: number,
  reference: string,
): Promise<{ id: string; email: string; organization: MailOrganization }> {
  const { rows } = await db.query<{ id: string; email: string; organization: MailOrganization }>(
    `select c.id, c.email, ${MAIL_ORGANIZATION_SQL} as organization
     from (select * from contacts where ${IS_CONTACT}) as c join organizations o on o.no = c.organization_no`,
    [organizationNo, reference],
  );
  if (rows[0] === undefined) throw noSuchContact();
  return rows[0];
}

const noSuchContact = (): UserError => new UserError('there is no such contact; see: tankwatch contacts list');
