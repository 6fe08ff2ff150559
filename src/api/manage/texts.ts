import { type Static, Type } from 'typebox';
import type { Db } from '../../db/pool.ts';
import {
  CODE_MINUTES,
  type ContactReach as ContactReachObject,
  listReach,
  sendTestText,
  setReach,
  verifyPhone,
} from '../../duty/contact_reach.ts';
import { type Escalation as EscalationObject, listEscalations, MAX_ESCALATIONS } from '../../duty/list_escalations.ts';
import {
  DEFAULT_DAILY_LIMIT,
  findChannelProblem,
  readTextChannel,
  removeTextChannel,
  setTextChannel,
} from '../../duty/text_channel.ts';
import { TEXT_PROVIDERS } from '../../duty/text_providers.ts';
import { invalidParameters, notFound } from '../../http/problem.ts';
import { findContact } from '../../mail/contacts.ts';
import { isUuid } from '../../values/uuid7.ts';
import { Nullable, NullableString, NullableTime, Time } from '../schemas/values.ts';
import { sentence } from './body_values.ts';
import { deletion, type ManageOperation, type ManageResponse, type WriteRequest, write } from './operation.ts';
import { dryRun } from './parameters.ts';

const closed = { additionalProperties: false };
const channel = {
  provider: Type.Enum([...TEXT_PROVIDERS], { description: '`gateway` is any other that answers as documented.' }),
  from: Type.String({ maxLength: 20, description: 'The sender: a number such as +18025550100, or a name.' }),
};
const ACCOUNT = 'Account SID of Twilio, API key of Vonage.';
const ADDRESS = 'Address of a gateway, or another one than usual of a provider.';
const dailyLimit = Type.Integer({
  minimum: 1,
  maximum: 100_000,
  description: `The largest number of requests to the provider in a day (UTC), ${DEFAULT_DAILY_LIMIT} if missing.`,
});
const TextChannel = Type.Object(
  {
    object: Type.Literal('text_channel'),
    ...channel,
    account: NullableString(ACCOUNT),
    url: NullableString(ADDRESS),
    daily_limit: dailyLimit,
    used_today: Type.Integer({
      description: 'Requests to the provider today (UTC), without those that it refused. Read-only.',
    }),
  },
  { title: 'TextChannel', ...closed },
);
const CHANNEL_EXAMPLE: Static<typeof TextChannel> = {
  object: 'text_channel',
  provider: 'twilio',
  from: '+18025550100',
  account: 'AC0123456789abcdef0123456789abcdef',
  url: null,
  daily_limit: 200,
  used_today: 4,
};

const status = Type.Enum(['waiting', 'sent', 'delivered', 'failed', 'canceled'], {
  description: '`sent`: the provider has accepted it. `delivered`: it says that it arrived.',
});
const reach = {
  phone: NullableString('Number with its country (E.164), such as +18025550111.'),
  by_text: Type.Boolean({ description: 'Whether the person wants texts.' }),
  by_mail: Type.Boolean({ description: 'Whether the person wants mails when told by an escalation.' }),
  quiet_from: NullableString("Since when nothing but losses is told, in the organization's time, such as 22:00."),
  quiet_to: NullableString('Until when. Null: there are no quiet hours.'),
};
const ContactReach = Type.Object(
  {
    object: Type.Literal('contact_reach'),
    contact_id: Type.String({ description: 'ID of the contact.' }),
    name: Type.String({ description: 'Name or address of the contact.' }),
    ...reach,
    verified_at: NullableTime('When the code was entered. Null: no texts but the code are sent. Read-only.'),
    last_text: Nullable('The last text to the person. Read-only.', {
      status,
      purpose: Type.Enum(['alert', 'code', 'test'], { description: 'What it was for.' }),
      at: Time('When it was made.'),
      error: NullableString('Why it failed.'),
    }),
  },
  { title: 'ContactReach', ...closed },
);
const REACH_EXAMPLE: Static<typeof ContactReach> = {
  object: 'contact_reach',
  contact_id: '01989f31-7a11-7c55-9d20-6c1f4be0a3d2',
  name: 'Ana Torres',
  phone: '+18025550111',
  by_text: true,
  by_mail: true,
  quiet_from: '22:00',
  quiet_to: '06:00',
  verified_at: '2025-11-02T08:14:09.514Z',
  last_text: { status: 'delivered', purpose: 'test', at: '2025-11-02T08:15:00.000Z', error: null },
};
const Escalation = Type.Object(
  {
    id: Type.String({ description: 'ID of the escalation.' }),
    object: Type.Literal('escalation'),
    tank_id: Type.String({ description: 'ID of the tank.' }),
    tank_name: NullableString('Name of the tank.'),
    condition: Type.Enum(['losing', 'low'], { description: '`low`: the tank is empty.' }),
    began_at: Time('When it began.'),
    next: Type.Unsafe<EscalationObject['next']>({
      type: ['string', 'null'],
      enum: ['on_duty', 'next', 'all', null],
      description: 'Whom the next step tells. Null: nobody.',
    }),
    next_at: NullableTime('When.'),
    taken_at: NullableTime('Since when somebody handles it. Meanwhile nobody is told.'),
    ended_at: NullableTime('When it ended.'),
    ended_because: Type.Unsafe<EscalationObject['ended_because']>({
      type: ['string', 'null'],
      enum: ['over', 'told', 'unreachable', 'failed', null],
      description:
        '`told`: all were told as often as planned. `unreachable`: nobody could be told. `failed`: no attempt succeeded.',
    }),
    texts: Type.Array(
      Type.Object(
        {
          contact_id: Type.String({ description: 'Who got it.' }),
          name: NullableString('Name or address.'),
          step: Type.Integer({ description: 'The step of the escalation.' }),
          status,
          created_at: Time('When the step was made.'),
          finished_at: NullableTime('When it arrived or failed.'),
          error: NullableString('Why it failed.'),
        },
        closed,
      ),
      { description: 'The texts about it.' },
    ),
  },
  { title: 'Escalation', ...closed },
);
const ESCALATION_EXAMPLE: Static<typeof Escalation> = {
  id: '01989f39-52c4-7d3a-9b17-1f0c6a2e8d55',
  object: 'escalation',
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  tank_name: 'House',
  condition: 'losing',
  began_at: '2025-11-02T08:14:09.514Z',
  next: 'next',
  next_at: '2025-11-02T08:24:09.514Z',
  taken_at: null,
  ended_at: null,
  ended_because: null,
  texts: [
    {
      contact_id: REACH_EXAMPLE.contact_id,
      name: 'Ana Torres',
      step: 1,
      status: 'delivered',
      created_at: '2025-11-02T08:19:09.514Z',
      finished_at: '2025-11-02T08:19:13.120Z',
      error: null,
    },
  ],
};

const withObject = (one: ContactReachObject): ContactReachObject & { object: 'contact_reach' } => ({
  object: 'contact_reach',
  ...one,
});
/** The stored answer has the number of the person, and is deleted with the person. */
async function reached(
  { tx, organizationNo }: Pick<WriteRequest, 'tx' | 'organizationNo'>,
  one: ContactReachObject,
  code: 200 | 202,
): Promise<ManageResponse> {
  const found = await findContact(tx, organizationNo, one.contact_id);
  if (typeof found !== 'object') throw notFound('contact');
  return { status: code, body: withObject(one), about: { object: 'contact', no: found.no } };
}

async function channelAnswer(db: Db, organizationNo: number): Promise<ManageResponse> {
  const found = await readTextChannel(db, organizationNo);
  if (found === undefined) throw notFound('text channel');
  return { status: 200, body: { object: 'text_channel', ...found } };
}

/** A path has the ID of a contact, never an address. Throws 404. */
function contactIn({ id = '' }: Readonly<Record<string, string>>): string {
  if (!isUuid(id)) throw notFound('contact');
  return id;
}

const common = { tag: 'manage duty', allowedCallers: ['key', 'administrator'] } as const;
const ofChannel = {
  ...common,
  path: '/manage/v1/text-channel',
  pathParameters: {},
  item: TextChannel,
  example: CHANNEL_EXAMPLE,
} as const;
const ofContact = {
  ...common,
  pathParameters: { id: 'ID of the contact.' },
  item: ContactReach,
  example: REACH_EXAMPLE,
} as const;
const writing = { parameters: { dry_run: dryRun }, queue: 'catalog', condition: 'none' } as const;
const list = (title: string, item: typeof ContactReach | typeof Escalation) =>
  Type.Object({ object: Type.Literal('list'), data: Type.Array(item) }, { title, ...closed });

export const TEXT_OPERATIONS: readonly ManageOperation[] = [
  {
    ...ofChannel,
    kind: 'read',
    method: 'GET',
    operationId: 'getTextChannel',
    summary: 'Get the provider of texts',
    description: 'Returns how texts are sent, without the secret. 404: none are.',
    parameters: {},
    read: ({ db, organizationNo }) => channelAnswer(db, organizationNo),
  },
  write({
    ...ofChannel,
    ...writing,
    method: 'PUT',
    operationId: 'setTextChannel',
    summary: 'Send texts through a provider',
    description: 'Replaces the settings; the secret is always given again. A private address is 422.',
    statuses: [200],
    body: Type.Object(
      {
        ...channel,
        account: Type.Optional(Type.String({ maxLength: 64, description: ACCOUNT })),
        url: Type.Optional(Type.String({ maxLength: 2_000, description: ADDRESS })),
        secret: Type.String({
          maxLength: 500,
          description: 'Auth token, API secret, access key, or token of the gateway. It is stored encrypted.',
        }),
        signing_key: Type.Optional(
          Type.String({ maxLength: 500, description: 'Key with which MessageBird signs its reports.' }),
        ),
        daily_limit: Type.Optional(dailyLimit),
      },
      { title: 'NewTextChannel', ...closed },
    ),
    async prepare({ values, webhooks }) {
      const problem = await findChannelProblem(values, webhooks);
      if (problem !== undefined)
        throw invalidParameters([{ param: 'url', code: 'invalid', detail: sentence(problem) }]);
    },
    async handle({ values, secretsKey, ...change }) {
      await setTextChannel(change, values, secretsKey);
      return channelAnswer(change.tx, change.organizationNo);
    },
  }),
  write({
    ...ofChannel,
    ...writing,
    ...deletion,
    operationId: 'deleteTextChannel',
    summary: 'Send no more texts',
    description: 'Forgets the provider and its secret.',
    async handle(change) {
      await removeTextChannel(change);
      return { status: 204, body: null };
    },
  }),
  {
    ...common,
    kind: 'read',
    method: 'GET',
    path: '/manage/v1/reach',
    pathParameters: {},
    operationId: 'listReach',
    summary: 'List how people are reached',
    description: 'Returns all contacts in the order of their names.',
    parameters: {},
    item: list('ReachList', ContactReach),
    example: { object: 'list', data: [REACH_EXAMPLE] },
    async read({ db, organizationNo }) {
      const data = (await listReach(db, organizationNo)).map(withObject);
      return { status: 200, body: { object: 'list', data } };
    },
  },
  write({
    ...ofContact,
    ...writing,
    method: 'PUT',
    path: '/manage/v1/contacts/:id/reach',
    operationId: 'setReach',
    summary: 'Say how a person is reached',
    description: 'A new number gets a text with a code, and no other text before the code is entered.',
    statuses: [200],
    body: Type.Object(reach, { title: 'NewReach', ...closed }),
    async handle({ path, values, ...change }) {
      return reached(change, await setReach(change, contactIn(path), values), 200);
    },
  }),
  write({
    ...ofContact,
    ...writing,
    // A dry run would not count its tries, and so tell every code.
    parameters: {},
    method: 'POST',
    path: '/manage/v1/contacts/:id/reach/verification',
    operationId: 'verifyPhone',
    summary: 'Verify the number of a person',
    description: `Enters the code, within ${CODE_MINUTES} minutes and at most five tries. After a wrong code, \`verified_at\` is null.`,
    statuses: [200],
    body: Type.Object(
      { code: Type.String({ pattern: '^\\d{6}$', description: 'The code of the text.' }) },
      { title: 'PhoneCode', ...closed },
    ),
    async handle({ path, values, secretsKey, ...change }) {
      return reached(change, await verifyPhone(change, contactIn(path), values.code, [secretsKey]), 200);
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
    body: Type.Object({}, { title: 'TestText', ...closed }),
    async handle({ path, ...change }) {
      return reached(change, await sendTestText(change, contactIn(path)), 202);
    },
  }),
  {
    ...common,
    allowedCallers: ['key', 'administrator', 'dispatcher'],
    kind: 'read',
    method: 'GET',
    path: '/manage/v1/escalations',
    pathParameters: {},
    operationId: 'listEscalations',
    summary: 'List escalations',
    description: `Returns the last ${MAX_ESCALATIONS} with their texts, those that go on first.`,
    parameters: {},
    item: list('Escalations', Escalation),
    example: { object: 'list', data: [ESCALATION_EXAMPLE] },
    async read({ db, organizationNo }) {
      return { status: 200, body: { object: 'list', data: await listEscalations(db, organizationNo) } };
    },
  },
];
