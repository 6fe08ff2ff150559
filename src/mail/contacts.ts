import type { ChangeContext } from '../catalog/change_context.ts';
import { CUSTOMER_FIELDS } from '../catalog/customer_fields.ts';
import { type Field, orNull, text } from '../catalog/field.ts';
import { lockOrganization } from '../catalog/organizations.ts';
import { dryRunNo } from '../db/insert_row.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { EVENT_TYPES, type EventType } from '../evaluation/pure/alerts/event_types.ts';
import { CONSOLE_ROLES, type ConsoleRole } from '../keys/console_roles.ts';
import { ChangeRefusedError, NoSuchObjectError } from '../values/change_refusal.ts';
import { CLOCK_TIME } from '../values/time.ts';
import { isUuid, uuid7 } from '../values/uuid7.ts';
import type { Language } from './locale.ts';

const timeOfDay: Field<string> = (given) =>
  CLOCK_TIME.test(given.trim())
    ? { value: given.trim() }
    : { reason: 'must be a time from 00:00 to 23:59, such as 07:00' };

/** The fields of a person who gets mails or uses the console. */
export const CONTACT_FIELDS = {
  email: CUSTOMER_FIELDS.email,
  name: orNull(text(200)),
  digest_at: orNull(timeOfDay),
};

/** The limit per organization. A dispatch office has fewer people. */
export const MAX_CONTACTS = 500;

/** A contact, as /manage/v1 returns it. */
export interface Contact {
  id: string;
  object: 'contact';
  email: string;
  name: string | null;
  /** The types of events that are mailed at once. */
  types: readonly EventType[];
  /** The time of the daily digest in the organization's time zone, such as `07:00`. Null for no digest. */
  digest_at: string | null;
  /** What the contact may do in the console. A contact without roles cannot sign in. */
  roles: readonly ConsoleRole[];
  /** The language of mails to the contact. Null for the language of the organization. */
  language: Language | null;
  /** When the contact was invited last. */
  invited_at: string | null;
  /** When the contact used the console last, to the minute. */
  last_seen_at: string | null;
  created_at: string;
}
export type ContactValues = Pick<Contact, 'email' | 'name' | 'types' | 'digest_at' | 'roles' | 'language'>;

export interface StoredContact {
  no: number;
  object: Contact;
}

const COLUMNS = `no, id, 'contact' as object, email, name, types, to_char(digest_at, 'HH24:MI') as digest_at, roles, language,
  invited_at, last_seen_at, created_at`;
const stored = ({ no, ...object }: Contact & { no: number }): StoredContact => ({ no, object });

/**
 * Finds a contact. The result is `deleted` for the ID of a removed contact; an address finds existing contacts only.
 * With `isLocked`, the contact is locked until the end of the transaction, and read after the lock was waited for.
 */
export async function findContact(
  db: Db,
  organizationNo: number,
  reference: string,
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<StoredContact | 'deleted' | undefined> {
  const { rows } = await db.query<Contact & { no: number; is_deleted: boolean }>(
    `select ${COLUMNS}, deleted_at is not null as is_deleted from contacts
     where organization_no = $1 and ${isUuid(reference) ? 'id' : 'email'} = $2 ${isLocked ? 'for no key update' : ''}`,
    [organizationNo, reference],
  );
  if (rows[0] === undefined) return undefined;
  const { is_deleted, ...row } = rows[0];
  return is_deleted ? 'deleted' : stored(row);
}

/** All contacts of an organization, newest first. */
export async function listContacts(db: Db, organizationNo: number): Promise<Contact[]> {
  const { rows } = await db.query<Contact & { no: number }>(
    `select ${COLUMNS} from contacts where organization_no = $1 and deleted_at is null order by no desc`,
    [organizationNo],
  );
  return rows.map((row) => stored(row).object);
}

/** Checks a contact before it is changed, under its lock. Throws, for example, if it has changed. */
type Check = (current: Contact) => void;

/**
 * Locks the organization, then the contact. The lock of the organization is not enough: a sign-in by an issuer changes
 * roles without it.
 */
export async function findContactToChange(
  { tx, organizationNo }: ChangeContext,
  reference: string,
): ReturnType<typeof findContact> {
  await lockOrganization(tx, organizationNo);
  return findContact(tx, organizationNo, reference, { isLocked: true });
}

/** Returns each choice once, in a fixed order, so that the ETag is the same for the same choices. */
export const normalizeChoices = <T>(choices: readonly T[], given: readonly T[]): T[] =>
  choices.filter((choice) => given.includes(choice));

/** Creates a contact with an address that no other contact has. */
export async function createContact(
  change: ChangeContext,
  { email, name, types, digest_at, roles, language }: ContactValues,
): Promise<{ id: string }> {
  const { tx, organizationNo, isDryRun } = change;
  refuseRolesByKey(change, roles);
  const other = await findContactToChange(change, email);
  if (typeof other === 'object')
    throw new ChangeRefusedError('contact_exists', 'a contact has this address', other.object.id);
  const { rows } = await tx.query<{ n: number }>(
    'select count(*)::int as n from contacts where organization_no = $1 and deleted_at is null',
    [organizationNo],
  );
  if (onlyRow(rows).n >= MAX_CONTACTS)
    throw new ChangeRefusedError('too_many_contacts', `the organization has ${MAX_CONTACTS} contacts already`);
  const id = uuid7();
  await tx.query(
    `insert into contacts (${isDryRun ? 'no, ' : ''}id, organization_no, email, name, types, digest_at, digest_since, roles,
       language)
     ${isDryRun ? 'overriding system value' : ''}
     values (${isDryRun ? `${dryRunNo()}, ` : ''}$1, $2, $3, $4, $5, $6::time, case when $6::time is not null then now() end, $7, $8)`,
    [
      id,
      organizationNo,
      email,
      name,
      normalizeChoices(EVENT_TYPES, types),
      digest_at,
      normalizeChoices(CONSOLE_ROLES, roles),
      language,
    ],
  );
  return { id };
}

/** The values of a new contact for fields that are not given. */
export const NO_VALUES = { name: null, types: [], digest_at: null, roles: [], language: null } as const;

/** Creates a contact, or changes the contact that has this address. */
export async function addContact(
  change: ChangeContext,
  { email, ...values }: Pick<ContactValues, 'email'> & Partial<ContactValues>,
): Promise<{ id: string }> {
  const known = await findContactToChange(change, email);
  if (typeof known !== 'object') return createContact(change, { ...NO_VALUES, ...values, email });
  return updateContact(change, email, values);
}

/**
 * Changes the given fields of a contact, by ID or address. A new time of the digest applies from now on. New roles take
 * effect within a second, also in open sessions: touch_sessions_of_contact (migration 0029) changes these sessions, and
 * end_sign_ins (migrations/functions) ends them if the first role is given or the last one is taken.
 */
export async function updateContact(
  change: ChangeContext,
  reference: string,
  changes: Partial<Omit<ContactValues, 'email'>>,
  check?: Check,
): Promise<{ id: string; roles: readonly ConsoleRole[] }> {
  const current = await findContactToChange(change, reference);
  if (typeof current !== 'object') throw new NoSuchObjectError('contact');
  const { no, object } = current;
  const { id, name, types, digest_at, roles, language } = { ...object, ...changes };
  refuseRolesByKey(change, object.roles, roles);
  check?.(object);
  await keepAdministrator(change, object.roles, roles);
  await change.tx.query(
    `update contacts set name = $2, types = $3, roles = $5, digest_at = $4::time, language = $6,
       digest_since = case when digest_at = $4::time then digest_since when $4::time is not null then now() end
     where no = $1`,
    [no, name, normalizeChoices(EVENT_TYPES, types), digest_at, normalizeChoices(CONSOLE_ROLES, roles), language],
  );
  return { id, roles };
}

/**
 * Mails a contact with a role a link that signs in, once and within a week. The link of the previous invitation ends,
 * and so does this one when the contact loses the access. An API key may invite too, because an invitation gives no
 * rights.
 */
export async function inviteContact(change: ChangeContext, reference: string): Promise<{ id: string }> {
  const current = await findContactToChange(change, reference);
  if (typeof current !== 'object') throw new NoSuchObjectError('contact');
  const { no, object } = current;
  if (object.roles.length === 0) throw new ChangeRefusedError('no_console_role', 'this contact has no role');
  const { rows } = await change.tx.query<{ is_invited: boolean }>('select invite_contact($1, $2) as is_invited', [
    change.organizationNo,
    no,
  ]);
  if (!onlyRow(rows).is_invited)
    throw new ChangeRefusedError('too_many_invitations', 'too many invitations were sent today');
  return { id: object.id };
}

/** Removes a contact, by ID or address. Removing again changes nothing. */
export async function removeContact(change: ChangeContext, reference: string, check?: Check): Promise<void> {
  const current = await findContactToChange(change, reference);
  if (current === undefined) throw new NoSuchObjectError('contact');
  if (current === 'deleted') return;
  const { no, object } = current;
  refuseRolesByKey(change, object.roles);
  check?.(object);
  await keepAdministrator(change, object.roles, []);
  await eraseContacts(change.tx, 'no', no);
}

/**
 * Erases a contact or all contacts of an organization, and returns their number. A restore gives the time of the
 * deletion. Triggers erase the name (keep_console_roles, migration 0029), end the sessions (end_sign_ins,
 * migrations/functions), and erase the number for texts (migration 0142) and stored answers (migration 0079).
 */
export async function eraseContacts(
  tx: Tx,
  column: 'no' | 'id' | 'organization_no',
  value: number | string,
  deletedAt: string | null = null,
): Promise<number> {
  const { rowCount } = await tx.query(
    `update contacts set deleted_at = coalesce($2, now()), email = null, digest_at = null, digest_since = null
     where ${column} = $1 and deleted_at is null`,
    [value, deletedAt],
  );
  return rowCount ?? 0;
}

/** Throws if an API key would give roles or change people who have one: they have more rights than the key. */
function refuseRolesByKey({ callerRoles }: ChangeContext, ...roles: readonly (readonly ConsoleRole[])[]): void {
  if (callerRoles.includes('key') && roles.some((some) => some.length > 0))
    throw new ChangeRefusedError(
      'people_only',
      'an API key can neither give console roles nor change people who have one',
    );
}

/**
 * Throws if no administrator would be left to give roles. Two administrators who remove each other at the same time are
 * serialized by the lock of the organization. A sign-in by an issuer and the removal of an issuer can take the role of
 * the last one. Operators can always give roles.
 */
async function keepAdministrator(
  { tx, organizationNo, callerRoles }: ChangeContext,
  before: readonly ConsoleRole[],
  after: readonly ConsoleRole[],
): Promise<void> {
  if (!before.includes('administrator') || after.includes('administrator') || callerRoles.includes('operator')) return;
  const { rows } = await tx.query<{ n: number }>(
    `select count(*)::int as n from contacts
     where organization_no = $1 and deleted_at is null and 'administrator' = any (roles)`,
    [organizationNo],
  );
  if (onlyRow(rows).n === 1) throw new ChangeRefusedError('last_administrator', 'this is the last administrator');
}

/** The contacts of an organization as the command line shows them, newest first. */
export async function listContactRows(db: Db, organizationNo: number): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    `select id, email, array_to_string(types, ' ') as types, to_char(digest_at, 'HH24:MI') as digest_at,
            (select max(day)::text from digests d where d.contact_no = c.no and d.outcome = 'sent') as last_digest,
            array_to_string(roles, ' ') as roles, name, has_console, last_seen_at, created_at, language, invited_at
     from contacts c
     where organization_no = $1 and deleted_at is null order by no desc`,
    [organizationNo],
  );
  return rows;
}
