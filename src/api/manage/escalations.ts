import { type Static, Type } from 'typebox';
import { listEscalations, MAX_ESCALATIONS } from '../../duty/list_escalations.ts';
import { tellNow } from '../../duty/tell_now.ts';
import { Closed, Named, NullableEnum, NullableString, NullableTime, Time } from '../schemas/values.ts';
import { type ManageOperation, read, write } from './manage_operation.ts';
import { TextStatus } from './reach.ts';

const Escalation = Named('Escalation', {
  id: Type.String({ description: 'ID of the escalation.' }),
  object: Type.Literal('escalation'),
  tank_id: Type.String({ description: 'ID of the tank.' }),
  tank_name: NullableString('Name of the tank.'),
  condition: Type.Enum(['losing', 'low'], { description: '`low`: the tank is empty.' }),
  began_at: Time('When it began.'),
  next: NullableEnum(['on_duty', 'next', 'all'], 'Who is told by the next step. Null: there is no next step.'),
  next_at: NullableTime('When the next step is made.'),
  taken_at: NullableTime(
    'Since when somebody handles the condition. Meanwhile nobody is told. Null: nobody handles it.',
  ),
  ended_at: NullableTime('When it ended.'),
  ended_because: NullableEnum(
    ['over', 'told', 'unreachable', 'failed'],
    '`told`: all were told as often as planned. `unreachable`: nobody could be told. `failed`: no attempt succeeded.',
  ),
  texts: Type.Array(
    Closed({
      contact_id: Type.String({ description: 'ID of the contact who got the text.' }),
      name: NullableString('Name or address of the contact.'),
      step: Type.Integer({
        description: 'The step of the escalation, from 1 on. -1 says that it was a false alarm.',
      }),
      status: TextStatus,
      created_at: Time('When the step was made.'),
      finished_at: NullableTime('When the text arrived or failed.'),
      error: NullableString('Why it failed.'),
    }),
    { description: 'The texts of this escalation.' },
  ),
});
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
      contact_id: '01989f31-7a11-7c55-9d20-6c1f4be0a3d2',
      name: 'Ana Torres',
      step: 1,
      status: 'delivered',
      created_at: '2025-11-02T08:19:09.514Z',
      finished_at: '2025-11-02T08:19:13.120Z',
      error: null,
    },
  ],
};

const common = { tag: 'manage duty', allowedCallers: ['key', 'administrator', 'dispatcher'] } as const;

export const ESCALATION_OPERATIONS: readonly ManageOperation[] = [
  read({
    ...common,
    path: '/manage/v1/escalations',
    operationId: 'listEscalations',
    summary: 'List escalations',
    description: `Returns the last ${MAX_ESCALATIONS} escalations with their texts, those that have not ended first.`,
    item: Named('Escalations', { object: Type.Literal('list'), data: Type.Array(Escalation) }),
    example: { object: 'list', data: [ESCALATION_EXAMPLE] },
    async read({ db, organizationNo }) {
      return { status: 200, body: { object: 'list', data: await listEscalations(db, organizationNo) } };
    },
  }),
  write({
    ...common,
    method: 'POST',
    path: '/manage/v1/escalations/:id/step',
    pathParameters: { id: 'ID of the escalation.' },
    operationId: 'tellNow',
    summary: 'Tell the next people now',
    description: 'Makes the next step within seconds. 409: the escalation has ended, or somebody handles it.',
    queue: 'catalog',
    statuses: [202],
    body: Named('EscalationStep', {
      all: Type.Optional(Type.Boolean({ description: 'Whether all are told, and not only the next person.' })),
    }),
    item: Escalation,
    example: ESCALATION_EXAMPLE,
    async handle({ path: { id = '' }, values: { all = false }, ...change }) {
      return { status: 202, body: await tellNow(change, id, { all }) };
    },
  }),
];
