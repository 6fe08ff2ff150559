import { type Static, Type } from 'typebox';
import type { Db } from '../../db/pool.ts';
import {
  type DutyPlan as DutyPlanObject,
  MAX_EXCEPTIONS,
  MAX_SHIFTS,
  MAX_STEP_MINUTES,
  readDutyPlan,
  readDutyWeek,
  setDutyPlan,
  whoIsOnDuty,
} from '../../duty/duty_plan.ts';
import { readTextChannel } from '../../duty/text_channel.ts';
import { etagOf } from '../../values/etag.ts';
import { dateParameter } from '../fleet/filters.ts';
import { Closed, Named, NullableNumber, NullableString, optional, Time } from '../schemas/values.ts';
import { compare } from './conditions.ts';
import { type ManageOperation, type ManageResponse, read, write } from './manage_operation.ts';

const people = {
  contact_id: NullableString('ID of the contact who is on duty. Null: nobody is on duty.'),
  next_contact_id: NullableString('ID of the contact who is told next. Null: nobody is told next.'),
};
const names = {
  name: NullableString('Name or address of who is on duty.'),
  next_name: NullableString('Name or address of who is next.'),
  is_exception: Type.Boolean({ description: 'Whether this comes from an exception and not from a shift.' }),
};
const plan = {
  shifts: Type.Array(
    Named('Shift', {
      weekdays: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
        minItems: 1,
        maxItems: 7,
        description: 'The days on which the shift begins: 1 is Monday, 7 is Sunday.',
      }),
      from: Type.String({ description: "When it begins by a clock in the organization's time zone, such as 07:00." }),
      to: Type.String({ description: 'When it ends. On the next day, if it is not after `from`.' }),
      ...people,
    }),
    { maxItems: MAX_SHIFTS, description: 'The parts of every week. They do not overlap.' },
  ),
  exceptions: Type.Array(
    Named('DutyException', {
      from: Type.String({
        description: 'When it begins, in the time of the organization, such as 2026-12-24T19:00.',
      }),
      to: Type.String({ description: 'When it ends.' }),
      ...people,
    }),
    { maxItems: MAX_EXCEPTIONS, description: 'What differs from the week. It overrules shifts.' },
  ),
};

const minutes = (description: string) => Type.Number({ minimum: 0, maximum: MAX_STEP_MINUTES, description });
const settings = {
  escalates: Type.Boolean({ description: 'Whether people are told of losses and empty tanks that nobody handles.' }),
  first_minutes: minutes('Minutes until the person on duty is told.'),
  next_minutes: minutes('Minutes after that until the next person is told.'),
  all_minutes: minutes('Minutes after that until all are told.'),
  repeat_minutes: NullableNumber('Minutes until all are told again, at most 1440. Null: they are told once.'),
  empty_percentage: NullableNumber(
    'At or below this level, at most 50, a low tank counts as empty. Null: people are told of losses only.',
  ),
};

const DutyPlan = Named('DutyPlan', {
  object: Type.Literal('duty_plan'),
  ...plan,
  ...settings,
  time_zone: Type.String({ description: 'Time zone of the organization. Read-only.' }),
  sends_texts: Type.Boolean({ description: 'Whether a provider of texts is set up. Read-only.' }),
  now: Closed({ ...people, ...names }, 'Who is on duty now. Read-only.'),
  week_from: Type.String({ format: 'date', description: 'First day of `week`. Read-only.' }),
  week: Type.Array(Closed({ from: Time('When it begins.'), to: Time('When it ends.'), ...people, ...names }), {
    description:
      'Seven days, divided where the person on duty changes. The last part can end after the seven days. Read-only.',
  }),
  etag: Type.String({ description: 'Send it as `If-Match`.' }),
});
const ANA = '01989f31-7a11-7c55-9d20-6c1f4be0a3d2';
const onDuty = { contact_id: ANA, next_contact_id: null, name: 'Ana Torres', next_name: null, is_exception: false };
const EXAMPLE: Static<typeof DutyPlan> = {
  object: 'duty_plan',
  shifts: [{ weekdays: [1, 2, 3, 4, 5, 6, 7], from: '07:00', to: '07:00', contact_id: ANA, next_contact_id: null }],
  exceptions: [{ from: '2025-12-24T19:00', to: '2025-12-26T07:00', contact_id: ANA, next_contact_id: null }],
  escalates: true,
  first_minutes: 5,
  next_minutes: 5,
  all_minutes: 5,
  repeat_minutes: 10,
  empty_percentage: 5,
  time_zone: 'America/New_York',
  sends_texts: true,
  now: onDuty,
  week_from: '2025-11-03',
  week: [{ from: '2025-11-03T05:00:00.000Z', to: '2025-11-03T12:00:00.000Z', ...onDuty }],
  etag: '"mX4rT9vB2kQ7wL1zC6nH8d"',
};

const planEtag = (stored: DutyPlanObject): string => etagOf(Object.values(stored));

async function respondWithPlan(db: Db, organizationNo: number, from: string | null): Promise<ManageResponse> {
  const { plan: stored } = await readDutyPlan(db, organizationNo);
  const week = await readDutyWeek(db, organizationNo, from);
  const etag = planEtag(stored);
  const body = {
    object: 'duty_plan',
    ...stored,
    time_zone: week.time_zone,
    sends_texts: (await readTextChannel(db, organizationNo)) !== undefined,
    now: await whoIsOnDuty(db, organizationNo, new Date().toISOString()),
    week_from: week.from,
    week: week.parts,
    etag,
  };
  return { status: 200, body, etag };
}

const from = dateParameter('First day of `week`. Default: Monday of this week.', '2025-11-17');

const common = { path: '/manage/v1/duty', tag: 'manage duty', item: DutyPlan, example: EXAMPLE };

export const DUTY_OPERATIONS: readonly ManageOperation[] = [
  read({
    ...common,
    allowedCallers: ['key', 'administrator', 'dispatcher'],
    operationId: 'getDutyPlan',
    summary: 'Get who is on duty',
    description: 'Returns the plan of who is on duty, who is on duty now, and a week with its gaps.',
    parameters: { from },
    async read({ db, organizationNo, parameters }) {
      // The header ETag is not sent. Who is on duty now changes while the plan and its ETag stay the same, so a browser
      // would show the old response.
      const { status, body } = await respondWithPlan(db, organizationNo, parameters.from ?? null);
      return { status, body };
    },
  }),
  write({
    ...common,
    method: 'PUT',
    allowedCallers: ['key', 'administrator'],
    operationId: 'setDutyPlan',
    summary: 'Plan who is on duty',
    description:
      'Replaces the plan; other settings that are missing stay. Shifts that overlap, and contacts that do not exist, are 422.',
    queue: 'catalog',
    body: Named('NewDutyPlan', { ...plan, ...optional(settings) }),
    maxBodyBytes: 65_536,
    condition: 'optional',
    async handle({ values, condition, ...change }) {
      await setDutyPlan(change, values, compare(condition, planEtag));
      return respondWithPlan(change.tx, change.organizationNo, null);
    },
  }),
];
