import { type Static, Type } from 'typebox';
import type { Db } from '../../db/pool.ts';
import {
  DEFAULT_DAILY_LIMIT,
  findChannelProblem,
  readTextChannel,
  removeTextChannel,
  setTextChannel,
} from '../../duty/text_channel.ts';
import { TEXT_PROVIDERS } from '../../duty/text_providers.ts';
import { invalidParameters, notFound } from '../../http/problem.ts';
import { Named, NullableString } from '../schemas/values.ts';
import { sentence } from './body_values.ts';
import { deletion, type ManageOperation, type ManageResponse, read, write } from './manage_operation.ts';

const channel = {
  provider: Type.Enum([...TEXT_PROVIDERS], {
    description: '`gateway` is any other service that answers as documented.',
  }),
  from: Type.String({ maxLength: 20, description: 'The sender: a number such as +18025550100, or a name.' }),
};
const ACCOUNT = 'Account SID of Twilio, API key of Vonage.';
const ADDRESS = 'Address of a gateway, or an address of a provider that differs from its usual one.';
const dailyLimit = Type.Integer({
  minimum: 1,
  maximum: 100_000,
  description: `The largest number of requests to the provider in a day (UTC), ${DEFAULT_DAILY_LIMIT} if missing.`,
});
const TextChannel = Named('TextChannel', {
  object: Type.Literal('text_channel'),
  ...channel,
  account: NullableString(ACCOUNT),
  url: NullableString(ADDRESS),
  daily_limit: dailyLimit,
  used_today: Type.Integer({
    description: 'Requests to the provider today (UTC), without those that it refused. Read-only.',
  }),
});
const CHANNEL_EXAMPLE: Static<typeof TextChannel> = {
  object: 'text_channel',
  provider: 'twilio',
  from: '+18025550100',
  account: 'AC0123456789abcdef0123456789abcdef',
  url: null,
  daily_limit: 200,
  used_today: 4,
};

async function respondWithChannel(db: Db, organizationNo: number): Promise<ManageResponse> {
  const found = await readTextChannel(db, organizationNo);
  if (found === undefined) throw notFound('text channel');
  return { status: 200, body: { object: 'text_channel', ...found } };
}

const ofChannel = {
  tag: 'manage duty',
  allowedCallers: ['key', 'administrator'],
  path: '/manage/v1/text-channel',
  item: TextChannel,
  example: CHANNEL_EXAMPLE,
} as const;
const writing = { queue: 'catalog' } as const;

export const TEXT_CHANNEL_OPERATIONS: readonly ManageOperation[] = [
  read({
    ...ofChannel,
    operationId: 'getTextChannel',
    summary: 'Get the provider of texts',
    description: 'Returns how texts are sent, without the secret. 404: no provider is set up.',
    read: ({ db, organizationNo }) => respondWithChannel(db, organizationNo),
  }),
  write({
    ...ofChannel,
    ...writing,
    method: 'PUT',
    operationId: 'setTextChannel',
    summary: 'Send texts through a provider',
    description: 'Replaces the settings; the secret is always given again. A private address is 422.',
    body: Named('NewTextChannel', {
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
    }),
    async prepare({ values, webhooks }) {
      const problem = await findChannelProblem(values, webhooks);
      if (problem !== undefined)
        throw invalidParameters([{ param: 'url', code: 'invalid', detail: sentence(problem) }]);
    },
    async handle({ values, secretsKey, ...change }) {
      await setTextChannel(change, values, secretsKey);
      return respondWithChannel(change.tx, change.organizationNo);
    },
  }),
  write({
    ...ofChannel,
    ...writing,
    ...deletion,
    operationId: 'deleteTextChannel',
    summary: 'Send no more texts',
    description: 'Deletes the settings of the provider and its secret.',
    async handle(change) {
      await removeTextChannel(change);
      return { status: 204, body: null };
    },
  }),
];
