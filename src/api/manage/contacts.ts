import { type Static, Type } from 'typebox';
import type { Db } from '../../db/pool.ts';
import { EVENT_TYPES } from '../../evaluation/pure/alerts/event_types.ts';
import { notFound } from '../../http/problem.ts';
import { CONSOLE_ROLES } from '../../keys/console_roles.ts';
import {
  CONTACT_FIELDS,
  type Contact as ContactObject,
  createContact,
  findContact,
  inviteContact,
  listContacts,
  MAX_CONTACTS,
  NO_VALUES,
  removeContact,
  updateContact,
} from '../../mail/contacts.ts';
import { LANGUAGES } from '../../mail/locale.ts';
import { INVITATION_DAYS } from '../../mail/person_invitations.ts';
import { etagOf } from '../../values/etag.ts';
import { isUuid } from '../../values/uuid7.ts';
import { Named, NullableEnum, NullableString, NullableTime, optional, Time } from '../schemas/values.ts';
import { parseValidValues } from './body_values.ts';
import { compare } from './conditions.ts';
import {
  deletion,
  type ManageOperation,
  type ManageResponse,
  read,
  respondWith,
  withEtag,
  write,
} from './manage_operation.ts';

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
  language: NullableEnum(LANGUAGES, "The language of mails to the person. Null: the organization's language."),
};
const email = Type.String({ description: 'Mail address. It cannot be changed: add another contact.' });

const Contact = Named('Contact', {
  id: Type.String({ description: 'ID of the contact.' }),
  object: Type.Literal('contact'),
  email,
  ...fields,
  invited_at: NullableTime('When the person was invited last. Null: never. Read-only.'),
  last_seen_at: NullableTime('When the person used the console last, to the minute. Null: never. Read-only.'),
  created_at: Time('When it was created. Read-only.'),
  etag: Type.String({ description: 'Send it as `If-Match`.' }),
});
const EXAMPLE: Static<typeof Contact> = {
  id: '01989f31-7a11-7c55-9d20-6c1f4be0a3d2',
  object: 'contact',
  email: 'ana@example.com',
  name: 'Ana Torres',
  types: ['tank.low_fill', 'tank.rapid_loss'],
  digest_at: '07:00',
  roles: ['dispatcher'],
  language: 'es',
  invited_at: '2025-11-02T08:14:09.514Z',
  last_seen_at: '2025-11-02T09:31:00.000Z',
  created_at: '2025-11-02T08:14:09.514Z',
  etag: '"Zk2vR8tY1uP0nQ4sXc7L5w"',
};

const contactEtag = ({ id, email: address, name, types, digest_at, roles, language }: ContactObject): string =>
  etagOf([id, address, name, types, digest_at, roles, language]);

async function respondWithContact(
  db: Db,
  organizationNo: number,
  id: string,
  status: 200 | 201 | 202,
): Promise<ManageResponse> {
  const found = await findContact(db, organizationNo, id);
  if (typeof found !== 'object') throw notFound('contact');
  return respondWith(found, contactEtag, status);
}

/** The ID of the contact in a path, which must not be an address. Throws 404. */
export function contactIn({ id = '' }: Readonly<Record<string, string>>): string {
  if (!isUuid(id)) throw notFound('contact');
  return id;
}

const idOfContact = { id: 'ID of the contact.' };
const common = {
  tag: 'manage contacts',
  allowedCallers: ['key', 'administrator'],
  item: Contact,
  example: EXAMPLE,
} as const;
// These changes wait in the queue of the catalog, because they lock the organization to count its administrators.
const writing = { ...common, queue: 'catalog' } as const;

export const CONTACT_OPERATIONS: readonly ManageOperation[] = [
  write({
    ...writing,
    method: 'POST',
    path: '/manage/v1/contacts',
    operationId: 'createContact',
    summary: 'Add a contact',
    description: `Adds a person who gets mails or uses the console. An address that exists is a conflict. At most ${MAX_CONTACTS}.`,
    statuses: [201],
    body: Named('NewContact', {
      email,
      ...optional(fields),
      types: fields.types,
      invite: Type.Optional(
        Type.Boolean({
          description: 'True: also mails an invitation, as `/contacts/{id}/invite` does. It needs a role.',
        }),
      ),
    }),
    async handle({ values: { invite = false, ...values }, ...change }) {
      const { id } = await createContact(change, { ...NO_VALUES, ...parseValidValues(CONTACT_FIELDS, values) });
      if (invite) await inviteContact(change, id);
      return respondWithContact(change.tx, change.organizationNo, id, 201);
    },
  }),
  read({
    ...common,
    path: '/manage/v1/contacts',
    operationId: 'listContacts',
    summary: 'List contacts',
    description: 'Returns all contacts, newest first.',
    item: Named('Contacts', { object: Type.Literal('list'), data: Type.Array(Contact) }),
    example: { object: 'list', data: [EXAMPLE] },
    async read({ db, organizationNo }) {
      const contacts = await listContacts(db, organizationNo);
      const data = contacts.map((contact) => withEtag(contact, contactEtag));
      return { status: 200, body: { object: 'list', data } };
    },
  }),
  read({
    ...common,
    path: '/manage/v1/contacts/:id',
    pathParameters: idOfContact,
    operationId: 'retrieveContact',
    summary: 'Retrieve a contact',
    description: 'Returns the contact with its ETag.',
    read: ({ db, organizationNo, path }) => respondWithContact(db, organizationNo, contactIn(path), 200),
  }),
  write({
    ...writing,
    method: 'PATCH',
    path: '/manage/v1/contacts/:id',
    pathParameters: idOfContact,
    operationId: 'updateContact',
    summary: 'Change a contact',
    description:
      'Changes the given fields (JSON Merge Patch, RFC 7396). New roles count within a second. The last administrator ' +
      'stays one; only a sign-in with an issuer that gives the roles, or the removal of an issuer, can take this one too.',
    body: Named('ContactPatch', optional(fields)),
    condition: 'required',
    async handle({ path, values, condition, ...change }) {
      const { id } = await updateContact(
        change,
        contactIn(path),
        parseValidValues(CONTACT_FIELDS, values),
        compare(condition, contactEtag),
      );
      return respondWithContact(change.tx, change.organizationNo, id, 200);
    },
  }),
  write({
    ...writing,
    method: 'POST',
    path: '/manage/v1/contacts/:id/invite',
    pathParameters: idOfContact,
    operationId: 'inviteContact',
    summary: 'Invite a person to the console',
    description: `Mails the person a link that signs in, once and within ${INVITATION_DAYS} days; with a sign-in service for the address, a link to the console. An earlier link ends. At most 5 mails to a person and 100 of an organization in a day, and 10 to one address by all organizations.`,
    statuses: [202],
    body: Named('Invitation', {}),
    async handle({ path, ...change }) {
      const { id } = await inviteContact(change, contactIn(path));
      return respondWithContact(change.tx, change.organizationNo, id, 202);
    },
  }),
  write({
    ...writing,
    ...deletion,
    path: '/manage/v1/contacts/:id',
    pathParameters: idOfContact,
    operationId: 'deleteContact',
    summary: 'Remove a contact',
    description:
      'Erases the address and the name, and ends the sessions of the person. Removing again changes nothing.',
    condition: 'required',
    async handle({ path, condition, ...change }) {
      await removeContact(change, contactIn(path), compare(condition, contactEtag));
      return { status: 204, body: null };
    },
  }),
];
