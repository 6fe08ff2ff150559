import { type Static, Type } from 'typebox';
import { conflict, notFound } from '../../http/problem.ts';
import { lockConditions } from '../../status/acknowledgements.ts';
import { findMute, muteTank, unmuteTank } from '../../status/mutes.ts';
import { NullableString, Time } from '../schemas/values.ts';
import { MAX_COMMENT_LENGTH, MAX_HANDLED_MS, parseComment, parseUntil } from './handling_body.ts';
import { type ManageOperation, write } from './operation.ts';
import { dryRun } from './parameters.ts';
import { liveTankNo } from './tanks.ts';

const closed = { additionalProperties: false };
const until = Time('When it ends: 5 minutes to 14 days from now.');
const reason = NullableString(`Why, in at most ${MAX_COMMENT_LENGTH} characters.`);

const Mute = Type.Object(
  {
    id: Type.String({ description: 'ID of the mute.' }),
    object: Type.Literal('mute'),
    tank_id: Type.String({ description: 'ID of the tank.' }),
    until,
    reason,
    muted_by: Type.String({ description: 'The key or the contact that began it.' }),
    created_at: Time('When it began.'),
  },
  { title: 'Mute', ...closed },
);
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
  parameters: { dry_run: dryRun },
  queue: 'other',
  condition: 'none',
} as const;

export const MUTE_OPERATIONS: readonly ManageOperation[] = [
  write({
    ...common,
    method: 'PUT',
    operationId: 'muteTank',
    summary: 'Mute a tank',
    description:
      'Mutes a tank that is worked on, or changes its mute. Nobody gets mails about it until the time is over; webhooks go on, ' +
      'with `muted_until`. What is open then is mailed once. A tank that loses gas cannot be muted (409), and a loss that ' +
      'begins meanwhile is mailed as always.',
    item: Mute,
    example: EXAMPLE,
    statuses: [200, 201],
    body: Type.Object({ until, reason: Type.Optional(reason) }, { title: 'NewMute', ...closed }),
    async handle({ tx, organizationNo, path, values, isDryRun }) {
      const mute = { until: parseUntil(values.until, MAX_HANDLED_MS), reason: parseComment('reason', values.reason) };
      const tankNo = await liveTankNo(tx, { organizationNo, path });
      const { open } = await lockConditions(tx, tankNo);
      if (open.includes('losing')) throw conflict('This tank loses gas. It cannot be muted.');
      const isNew = await muteTank(tx, { organizationNo, tankNo, ...mute }, { isDryRun });
      const now = await findMute(tx, tankNo);
      if (now === undefined) throw notFound('mute');
      return {
        status: isNew ? 201 : 200,
        body: now.object,
        about: { object: 'mute', no: now.no },
      };
    },
  }),
  write({
    ...common,
    method: 'DELETE',
    operationId: 'unmuteTank',
    summary: 'End the mute of a tank',
    description: 'What is open is mailed once. A tank that is not muted stays as it is.',
    item: null,
    example: null,
    statuses: [204],
    body: null,
    async handle({ tx, organizationNo, path, isDryRun }) {
      const tankNo = await liveTankNo(tx, { organizationNo, path });
      await lockConditions(tx, tankNo);
      await unmuteTank(tx, tankNo, { isDryRun });
      return { status: 204, body: null };
    },
  }),
];
