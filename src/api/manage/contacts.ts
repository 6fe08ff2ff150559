import { type Static, Type } from 'typebox';
import { CONTACT_FIELDS, CUSTOMER_FIELDS } from '../../catalog/fields.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { EVENT_TYPES } from '../../evaluation/pure/alerts/event_types.ts';
import { conflict, invalidParameters, notFound, type ParameterError, peopleOnly } from '../../http/problem.ts';
import { CONSOLE_ROLES } from '../../keys/console_roles.ts';
import { removeContact } from '../../mail/contacts.ts';
import {
  type Contact as ContactObject,
  type ContactValues,
  changeContact,
  countAdministrators,
  createContact,
  findManagedContact,
  listManagedContacts,
  MAX_CONTACTS,
  type StoredContact,
} from '../../mail/managed_contacts.ts';
import { isUuid } from '../../values/uuid7.ts';
import { NullableString, Time } from '../schemas.ts';
import { readFields } from './body.ts';
import { checkCondition, etagOf } from './conditions.ts';
import type { ManageOperation, ManageResponse } from './operation.ts';
import { dryRun } from './parameters.ts';

const closed = { additionalProperties: false };
const WHO = ['key', 'administrator'] as const;

const fields = {
  name: NullableString('Name of the person.'),
  types: Type.Array(Type.Enum([...EVENT_TYPES]), {
    maxItems: EVENT_TYPES.length,
    description: 'The types of events that are mailed at once.',
  }),
  digest_at: NullableString(
    "Time of the daily digest in the organization's time zone, such as 07:00. Null: no digest.",
  ),
  roles: Type.Array(Type.Enum([...CONSOLE_ROLES]), {
    maxItems: CONSOLE_ROLES.length,
    description: 'What the person may do in the console. Only an administrator can give or change roles, not a key.',
  }),
};
const email = Type.String({ description: 'Mail address. It cannot be changed: add another contact.' });

const Contact = Type.Object(
  {
    id: Type.String({ description: 'ID of the contact.' }),
    object: Type.Literal('contact'),
    email,
    ...fields,
    created_at: Time('When it was created. Read-only.'),
    etag: Type.String({ description: 'Send it as `If-Match`.' }),
  },
  { title: 'Contact', ...closed },
);
const EXAMPLE: Static<typeof Contact> = {
  id: '01989f31-7a11-7c55-9d20-6c1f4be0a3d2',
  object: 'contact',
  email: 'ana@example.com',
  name: 'Ana Torres',
  types: ['tank.low_fill', 'tank.rapid_loss'],
  digest_at: '07:00',
  roles: ['dispatcher'],
  created_at: '2025-11-02T08:14:09.514Z',
  etag: '"Zk2vR8tY1uP0nQ4sXc7L5w"',
};

const withEtag = (contact: ContactObject): Static<typeof Contact> => {
  const { id, email: address, name, types, digest_at, roles } = contact;
  return { ...contact, etag: etagOf([id, address, name, types, digest_at, roles]) };
};

async function answer(db: Db, organizationNo: number, id: string, status: 200 | 201): Promise<ManageResponse> {
  const found = await findManagedContact(db, organizationNo, { id });
  if (found === undefined || found.object === null) throw notFound('contact');
  const body = withEtag(found.object);
  return { status, body, etag: body.etag, about: { object: 'contact', no: found.no } };
}

const find = (tx: Tx, organizationNo: number, id: string): Promise<StoredContact | undefined> =>
  isUuid(id) ? findManagedContact(tx, organizationNo, { id }) : Promise.resolve(undefined);

/** What the body says, and else as before. The schema has checked the types. Throws 422. */
function readValues(body: Readonly<Record<string, unknown>>, before: Omit<ContactValues, 'email'>) {
  const errors: ParameterError[] = [];
  const text = (given: unknown, kept: string | null): string | null =>
    given === undefined ? kept : typeof given === 'string' ? given.trim() || null : null;
  const { values: named, errors: errorsOfName } = readFields(CONTACT_FIELDS, body);
  errors.push(...errorsOfName);
  const digestAt = text(body['digest_at'], before.digest_at);
  if (digestAt !== null && !/^([01]\d|2[0-3]):[0-5]\d$/.test(digestAt))
    errors.push({ param: 'digest_at', code: 'invalid', detail: 'Must be a time from 00:00 to 23:59, such as 07:00.' });
  const chosen = <T extends string>(known: readonly T[], given: unknown, kept: T[]): T[] =>
    Array.isArray(given) ? known.filter((one) => given.includes(one)) : kept;
  const types = chosen(EVENT_TYPES, body['types'], before.types);
  const roles = chosen(CONSOLE_ROLES, body['roles'], before.roles);
  if (errors.length > 0) throw invalidParameters(errors);
  return { name: named.name === undefined ? before.name : named.name, types, digest_at: digestAt, roles };
}

function readEmail(given: unknown): string {
  const parsed = CUSTOMER_FIELDS.email(String(given));
  if ('value' in parsed) return parsed.value;
  throw invalidParameters([{ param: 'email', code: 'invalid', detail: `The address ${parsed.reason}.` }]);
}

/** Somebody must be able to give roles. Two administrators who remove each other wait for the lock. Throws 409. */
async function keepAdministrator(
  tx: Tx,
  organizationNo: number,
  { roles: before }: ContactObject,
  after: readonly string[],
): Promise<void> {
  if (!before.includes('administrator') || after.includes('administrator')) return;
  if ((await countAdministrators(tx, organizationNo)) === 1)
    throw conflict('This is the last administrator. Make another person administrator first.');
}

/** A key must not make itself a person with more rights. Throws 403. */
function checkPeople(callerRoles: readonly string[], ...roles: readonly (readonly unknown[])[]): void {
  if (callerRoles.includes('key') && roles.some((some) => some.length > 0)) throw peopleOnly();
}

const idOfContact = { id: 'ID of the contact.' };
const common = { tag: 'manage contacts', who: WHO, item: Contact, example: EXAMPLE } as const;
// The line of the catalog, because the organization is locked: its last administrator is counted.
const writing = {
  ...common,
  kind: 'write',
  line: 'catalog',
  locksFirst: true,
  parameters: { dry_run: dryRun },
} as const;

export const CONTACT_OPERATIONS: readonly ManageOperation[] = [
  {
    ...writing,
    method: 'POST',
    path: '/manage/v1/contacts',
    pathParameters: {},
    operationId: 'createContact',
    summary: 'Add a contact',
    description: `Adds a person who gets mails or uses the console. An address that exists is a conflict. At most ${MAX_CONTACTS}.`,
    statuses: [201],
    body: Type.Object(
      {
        email,
        name: Type.Optional(fields.name),
        types: fields.types,
        digest_at: Type.Optional(fields.digest_at),
        roles: Type.Optional(fields.roles),
      },
      { title: 'NewContact', ...closed },
    ),
    condition: 'none',
    async handle({ tx, organizationNo, body, isDryRun, callerRoles }) {
      const address = readEmail(body['email']);
      const values = readValues(body, { name: null, types: [], digest_at: null, roles: [] });
      checkPeople(callerRoles, values.roles);
      const other = await findManagedContact(tx, organizationNo, { email: address });
      if (other?.object) throw conflict('A contact has this address.', other.object.id);
      if ((await listManagedContacts(tx, organizationNo)).length >= MAX_CONTACTS)
        throw conflict(`The organization has ${MAX_CONTACTS} contacts already.`);
      const id = await createContact(tx, organizationNo, { email: address, ...values }, { isDryRun });
      return answer(tx, organizationNo, id, 201);
    },
  },
  {
    ...common,
    kind: 'read',
    method: 'GET',
    path: '/manage/v1/contacts',
    pathParameters: {},
    operationId: 'listContacts',
    summary: 'List contacts',
    description: 'Returns all contacts, newest first.',
    parameters: {},
    item: Type.Object({ object: Type.Literal('list'), data: Type.Array(Contact) }, { title: 'Contacts', ...closed }),
    example: { object: 'list', data: [EXAMPLE] },
    async read({ db, organizationNo }) {
      const contacts = await listManagedContacts(db, organizationNo);
      return { status: 200, body: { object: 'list', data: contacts.map(withEtag) } };
    },
  },
  {
    ...writing,
    method: 'PATCH',
    path: '/manage/v1/contacts/:id',
    pathParameters: idOfContact,
    operationId: 'updateContact',
    summary: 'Change a contact',
    description:
      'Changes the given fields (JSON Merge Patch, RFC 7396). New roles count within a second. The last administrator stays one.',
    statuses: [200],
    body: Type.Object(
      {
        name: Type.Optional(fields.name),
        types: Type.Optional(fields.types),
        digest_at: Type.Optional(fields.digest_at),
        roles: Type.Optional(fields.roles),
      },
      { title: 'ContactPatch', ...closed },
    ),
    condition: 'required',
    async handle({ tx, organizationNo, path: { id = '' }, body, condition, callerRoles }) {
      const current = await find(tx, organizationNo, id);
      if (current === undefined || current.object === null) throw notFound('contact');
      const values = readValues(body, current.object);
      checkPeople(callerRoles, current.object.roles, values.roles);
      checkCondition(condition, withEtag(current.object).etag, { isRequired: true });
      await keepAdministrator(tx, organizationNo, current.object, values.roles);
      await changeContact(tx, current.no, values);
      return answer(tx, organizationNo, id, 200);
    },
  },
  {
    ...writing,
    method: 'DELETE',
    path: '/manage/v1/contacts/:id',
    pathParameters: idOfContact,
    operationId: 'deleteContact',
    summary: 'Remove a contact',
    description:
      'Erases the address and the name, and ends the sessions of the person. Removing again changes nothing.',
    item: null,
    example: null,
    statuses: [204],
    body: null,
    condition: 'required',
    async handle({ tx, organizationNo, path: { id = '' }, condition, callerRoles }) {
      const current = await find(tx, organizationNo, id);
      if (current === undefined) throw notFound('contact');
      if (current.object === null) return { status: 204, body: null };
      checkPeople(callerRoles, current.object.roles);
      checkCondition(condition, withEtag(current.object).etag, { isRequired: true });
      await keepAdministrator(tx, organizationNo, current.object, []);
      await removeContact(tx, organizationNo, id);
      await tx.query(`update idempotency_keys set answer = null where object = 'contact' and object_no = $1`, [
        current.no,
      ]);
      return { status: 204, body: null };
    },
  },
];
