import { type Static, Type } from 'typebox';
import { muteTank, unmuteTank } from '../../status/mutes.ts';
import { HANDLED_TIME, MAX_COMMENT_LENGTH } from '../../values/handling_limits.ts';
import { Named, NullableString, Time } from '../schemas/values.ts';
import { deletion, type ManageOperation, write } from './manage_operation.ts';

const until = Time(`When it ends: ${HANDLED_TIME} from now.`);
const reason = NullableString(
  `Why the tank is muted, in 1 to ${MAX_COMMENT_LENGTH} characters. A person must give a reason. Null: a key gave none.`,
);

const Mute = Named('Mute', {
  id: Type.String({ description: 'ID of the mute.' }),
  object: Type.Literal('mute'),
  tank_id: Type.String({ description: 'ID of the tank.' }),
  until,
  reason,
  muted_by: Type.String({ description: 'The key or the contact that began it.' }),
  created_at: Time('When it began.'),
});
const EXAMPLE: Static<typeof Mute> = {
  id: '01989f37-0a6e-7b90-8c44-93d5e1f7a208',
  object: 'mute',
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  until: '2025-11-03T18:00:00.000Z',
  reason: 'New valve',
  muted_by: 'contact 01989f31-7a11-7c55-9d20-6c1f4be0a3d2',
  created_at: '2025-11-02T08:14:09.514Z',
};

const common = {
  path: '/manage/v1/tanks/:id/mute',
  pathParameters: { id: 'ID of the tank.' },
  tag: 'manage tanks',
  allowedCallers: ['key', 'administrator', 'dispatcher'],
  queue: 'other',
} as const;

export const MUTE_OPERATIONS: readonly ManageOperation[] = [
  write({
    ...common,
    method: 'PUT',
    operationId: 'muteTank',
    summary: 'Mute a tank',
    description:
      'Mutes a tank that is worked on, or changes its mute. Nobody gets mails about it until the time is over; webhooks go on, ' +
      'with `muted_until`. What is open then is mailed once. A tank with a detected loss cannot be muted (409), and a loss that ' +
      'begins meanwhile is mailed as always.',
    item: Mute,
    example: EXAMPLE,
    statuses: [200, 201],
    body: Named('NewMute', { until, reason: Type.Optional(reason) }),
    async handle({ path: { id = '' }, values, ...change }) {
      const { isNew, object, no } = await muteTank(change, id, { reason: null, ...values });
      return { status: isNew ? 201 : 200, body: object, about: { object: 'mute', no } };
    },
  }),
  write({
    ...common,
    ...deletion,
    operationId: 'unmuteTank',
    summary: 'End the mute of a tank',
    description: 'What is open is mailed once. A tank that is not muted stays as it is.',
    async handle({ path: { id = '' }, ...change }) {
      await unmuteTank(change, id);
      return { status: 204, body: null };
    },
  }),
];
