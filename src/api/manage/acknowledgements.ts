import { type Static, Type } from 'typebox';
import { acknowledgeTank, withdrawAcknowledgement } from '../../status/acknowledge_tank.ts';
import { listAcknowledgements } from '../../status/acknowledgements.ts';
import { ACKNOWLEDGED_CONDITIONS } from '../../status/sections.ts';
import { HANDLED_TIME, MAX_COMMENT_LENGTH, MAX_LOSING_HOURS } from '../../values/handling_limits.ts';
import { Named, NullableEnum, NullableNumber, NullableString, NullableTime, Time } from '../schemas/values.ts';
import { deletion, type ManageOperation, read, write } from './manage_operation.ts';
import { liveTankNo } from './tanks.ts';

const Acknowledgement = Named('Acknowledgement', {
  id: Type.String({ description: 'ID of the acknowledgement.' }),
  object: Type.Literal('acknowledgement'),
  tank_id: Type.String({ description: 'ID of the tank.' }),
  condition: Type.Enum([...ACKNOWLEDGED_CONDITIONS], { description: 'The condition that is handled.' }),
  until: Time('When the acknowledgement ends at the latest.'),
  comment: NullableString('What is done.'),
  returns_at_percentage: NullableNumber(
    'For a low tank, the level at which the acknowledgement ends. Null: the level does not end it.',
  ),
  acknowledged_by: Type.String({ description: 'The key or the contact.' }),
  name: NullableString('Name or address of the contact, until the acknowledgement ends. Null for a key.'),
  created_at: Time('When it was acknowledged.'),
  ended_at: NullableTime('When its end was recorded, a few seconds after the end. Null: it has not ended.'),
  ended_because: NullableEnum(
    ['resolved', 'new_event', 'worse', 'expired', 'withdrawn', 'replaced'],
    'Why it ended. Null: it has not ended.',
  ),
});
const EXAMPLE: Static<typeof Acknowledgement> = {
  id: '01989f36-52c4-7d3a-9b17-1f0c6a2e8d55',
  object: 'acknowledgement',
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  condition: 'low',
  until: '2025-11-02T14:00:00.000Z',
  comment: 'Pedro is there at 14:00.',
  returns_at_percentage: 13,
  acknowledged_by: 'contact 01989f31-7a11-7c55-9d20-6c1f4be0a3d2',
  name: 'Ana Torres',
  created_at: '2025-11-02T08:14:09.514Z',
  ended_at: null,
  ended_because: null,
};
const Acknowledgements = Named('Acknowledgements', { object: Type.Literal('list'), data: Type.Array(Acknowledgement) });
const LIST_EXAMPLE: Static<typeof Acknowledgements> = { object: 'list', data: [EXAMPLE] };

const NewAcknowledgement = Named('NewAcknowledgement', {
  conditions: Type.Array(Type.Enum([...ACKNOWLEDGED_CONDITIONS]), {
    minItems: 1,
    maxItems: ACKNOWLEDGED_CONDITIONS.length,
    description: 'What you take care of. Each must be true now.',
  }),
  until: Time(
    `When the acknowledgement ends at the latest: ${HANDLED_TIME} from now; at most ${MAX_LOSING_HOURS} hours for a loss.`,
  ),
  comment: Type.Optional(NullableString(`What is done, in at most ${MAX_COMMENT_LENGTH} characters.`)),
  replaces: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: ACKNOWLEDGED_CONDITIONS.length,
      description: 'IDs of the acknowledgements of these conditions that you have seen and replace.',
    }),
  ),
});

const common = { tag: 'manage tanks', allowedCallers: ['key', 'administrator', 'dispatcher', 'technician'] } as const;
const idOfTank = { id: 'ID of the tank.' };

export const ACKNOWLEDGEMENT_OPERATIONS: readonly ManageOperation[] = [
  write({
    ...common,
    method: 'POST',
    path: '/manage/v1/tanks/:id/acknowledgements',
    pathParameters: idOfTank,
    operationId: 'acknowledgeTank',
    summary: 'Take care of a tank',
    description:
      'Says that somebody takes care of conditions of a tank until a time. Mails and reminders to your people about them stop; ' +
      'webhooks go on. A condition returns by itself when the time is over, when a low tank falls further (5 points, or below ' +
      '10 % to half), when a loss gets faster by half, or with a new loss. A condition that is not true now is 409 `not_open`. ' +
      'One that somebody handles already is 409 with that acknowledgement as `conflicting_id`, unless `replaces` names it. ' +
      '`device` is a fault, a low battery, a weak signal, or no reading so far. Technicians take care of `silent`, ' +
      '`gauge_unreliable` and `device` only.',
    item: Acknowledgements,
    example: LIST_EXAMPLE,
    statuses: [201],
    queue: 'other',
    body: NewAcknowledgement,
    async handle({ path: { id = '' }, values, ...change }) {
      const stored = await acknowledgeTank(change, id, { comment: null, replaces: [], ...values });
      const [first] = stored;
      return {
        status: 201,
        body: { object: 'list', data: stored.map(({ object }) => object) },
        ...(first === undefined ? {} : { about: { object: 'acknowledgement', no: first.no } }),
      };
    },
  }),
  read({
    ...common,
    path: '/manage/v1/tanks/:id/acknowledgements',
    pathParameters: idOfTank,
    operationId: 'listAcknowledgements',
    summary: 'List the acknowledgements of a tank',
    description: 'Returns the last 200 acknowledgements of the tank with those that ended, newest first.',
    item: Acknowledgements,
    example: LIST_EXAMPLE,
    async read({ db, organizationNo, path }) {
      const tankNo = await liveTankNo(db, { organizationNo, path });
      return { status: 200, body: { object: 'list', data: await listAcknowledgements(db, tankNo) } };
    },
  }),
  write({
    ...common,
    ...deletion,
    path: '/manage/v1/acknowledgements/:id',
    pathParameters: { id: 'ID of the acknowledgement.' },
    operationId: 'withdrawAcknowledgement',
    summary: 'Withdraw an acknowledgement',
    description: 'The condition returns at once, if it is still true. Withdrawing again changes nothing.',
    queue: 'other',
    async handle({ path: { id = '' }, ...change }) {
      await withdrawAcknowledgement(change, id);
      return { status: 204, body: null };
    },
  }),
];
