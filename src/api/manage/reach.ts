import { type Static, Type } from 'typebox';
import {
  CODE_MINUTES,
  type ContactReach as ContactReachObject,
  listReach,
  QUICK_CHANNELS,
  sendTestText,
  setReach,
  verifyPhone,
} from '../../duty/contact_reach.ts';
import { notFound } from '../../http/problem.ts';
import { findContact } from '../../mail/contacts.ts';
import { Named, Nullable, NullableString, NullableTime, optional, Time } from '../schemas/values.ts';
import { contactIn } from './contacts.ts';
import { type ManageOperation, type ManageResponse, read, type WriteRequest, write } from './manage_operation.ts';

export const TextStatus = Type.Enum(['waiting', 'sent', 'delivered', 'failed', 'canceled'], {
  description: '`sent`: the provider has accepted it. `delivered`: the provider says that it arrived.',
});
const quick = (description: string) => Type.Array(Type.Enum([...QUICK_CHANNELS]), { description, maxItems: 2 });
const chosen = {
  by_push: Type.Boolean({ description: 'Whether the browsers of the person show losses and steps of escalations.' }),
  low_by: quick(
    'How the person is told that a tank is low: `text`, `push`, both or neither. Mails are chosen by type.',
  ),
  other_by: quick(
    'How the person is told of other events whose types the person chose for mails, except events of devices.',
  ),
};
const reach = {
  phone: NullableString('Number with its country (E.164), such as +18025550111.'),
  by_text: Type.Boolean({ description: 'Whether the person wants texts.' }),
  by_mail: Type.Boolean({ description: 'Whether the person wants mails when told by an escalation.' }),
  quiet_from: NullableString(
    "When quiet hours begin, in the organization's time, such as 22:00. Only losses are told then.",
  ),
  quiet_to: NullableString('When quiet hours end. Null: there are no quiet hours.'),
};
const ContactReach = Named('ContactReach', {
  object: Type.Literal('contact_reach'),
  contact_id: Type.String({ description: 'ID of the contact.' }),
  name: Type.String({ description: 'Name or address of the contact.' }),
  ...reach,
  ...chosen,
  browsers: Type.Integer({ description: 'In how many browsers the person gets notifications. Read-only.' }),
  verified_at: NullableTime('When the code was entered. Null: no texts but the code are sent. Read-only.'),
  last_text: Nullable('The last text to the person. Read-only.', {
    status: TextStatus,
    purpose: Type.Enum(['alert', 'code', 'test'], { description: 'What the text was for.' }),
    at: Time('When the text was made.'),
    error: NullableString('Why it failed.'),
  }),
});
const REACH_EXAMPLE: Static<typeof ContactReach> = {
  object: 'contact_reach',
  contact_id: '01989f31-7a11-7c55-9d20-6c1f4be0a3d2',
  name: 'Ana Torres',
  phone: '+18025550111',
  by_text: true,
  by_mail: true,
  quiet_from: '22:00',
  quiet_to: '06:00',
  by_push: true,
  low_by: ['push'],
  other_by: [],
  browsers: 1,
  verified_at: '2025-11-02T08:14:09.514Z',
  last_text: { status: 'delivered', purpose: 'test', at: '2025-11-02T08:15:00.000Z', error: null },
};
const withObject = (one: ContactReachObject): ContactReachObject & { object: 'contact_reach' } => ({
  object: 'contact_reach',
  ...one,
});
/** The stored response contains the phone number of the person, so it is deleted with the contact. */
async function respondWithReach(
  { tx, organizationNo }: Pick<WriteRequest, 'tx' | 'organizationNo'>,
  one: ContactReachObject,
  code: 200 | 202,
): Promise<ManageResponse> {
  const found = await findContact(tx, organizationNo, one.contact_id);
  if (typeof found !== 'object') throw notFound('contact');
  return { status: code, body: withObject(one), about: { object: 'contact', no: found.no } };
}

const common = { tag: 'manage duty', allowedCallers: ['key', 'administrator'] } as const;
const ofContact = {
  ...common,
  pathParameters: { id: 'ID of the contact.' },
  item: ContactReach,
  example: REACH_EXAMPLE,
} as const;
const writing = { queue: 'catalog' } as const;

export const REACH_OPERATIONS: readonly ManageOperation[] = [
  read({
    ...common,
    path: '/manage/v1/reach',
    operationId: 'listReach',
    summary: 'List how people are reached',
    description: 'Returns all contacts in the order of their names.',
    item: Named('ReachList', { object: Type.Literal('list'), data: Type.Array(ContactReach) }),
    example: { object: 'list', data: [REACH_EXAMPLE] },
    async read({ db, organizationNo }) {
      const data = (await listReach(db, organizationNo)).map(withObject);
      return { status: 200, body: { object: 'list', data } };
    },
  }),
  write({
    ...ofContact,
    ...writing,
    method: 'PUT',
    path: '/manage/v1/contacts/:id/reach',
    operationId: 'setReach',
    summary: 'Say how a person is reached',
    description:
      'A new number gets a text with a code, and no other text before the code is entered. `by_push`, `low_by` and `other_by` stay as they are if they are missing.',
    body: Named('NewReach', { ...reach, ...optional(chosen) }),
    async handle({ path, values, ...change }) {
      return respondWithReach(change, await setReach(change, contactIn(path), values), 200);
    },
  }),
  write({
    ...ofContact,
    ...writing,
    // There is no dry run, because it would not count wrong codes, so a caller could try all codes.
    method: 'POST',
    path: '/manage/v1/contacts/:id/reach/verification',
    parameters: {},
    operationId: 'verifyPhone',
    summary: 'Verify the number of a person',
    description: `Enters the code, within ${CODE_MINUTES} minutes and at most five tries. After a wrong code, \`verified_at\` is null.`,
    body: Named('PhoneCode', { code: Type.String({ pattern: '^\\d{6}$', description: 'The code of the text.' }) }),
    async handle({ path, values, secretsKey, ...change }) {
      return respondWithReach(change, await verifyPhone(change, contactIn(path), values.code, [secretsKey]), 200);
    },
  }),
  write({
    ...ofContact,
    ...writing,
    method: 'POST',
    path: '/manage/v1/contacts/:id/reach/texts',
    operationId: 'sendTestText',
    summary: 'Send a test or another code',
    description: 'Sends a code to a number that is not verified, and a test to one that is; at most ten a day.',
    statuses: [202],
    body: Named('TestText', {}),
    async handle({ path, ...change }) {
      return respondWithReach(change, await sendTestText(change, contactIn(path)), 202);
    },
  }),
];
