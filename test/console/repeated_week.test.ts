import type { DutyPlan } from '@tankwatch/client';
import { expect, test } from 'vitest';
import { type Part } from '../../packages/console/src/duty/duty_parts.ts';
import { repeatedWeek } from '../../packages/console/src/duty/repeated_week.ts';

const [DANA, MARC, PRIYA] = ['dana', 'marc', 'priya'] as const;
const part = (fromClock: string, toClock: string, contactId: string | null, nextId: string | null = null): Part => ({
  from: fromClock,
  to: toClock,
  fromClock,
  toClock,
  contact_id: contactId,
  next_contact_id: nextId,
  name: contactId,
  next_name: nextId,
  is_exception: false,
  isNow: false,
  isOver: false,
});
const exception = (from: string, to: string) => ({ from, to, contact_id: PRIYA, next_contact_id: null });

test('the shown week becomes the weekly plan, with swaps, nights over its end and long parts, but without gaps', () => {
  const within = exception('2026-11-17T07:00', '2026-11-17T19:00');
  const after = exception('2026-12-24T07:00', '2026-12-25T07:00');
  const plan = { week_from: '2026-11-16', shifts: [], exceptions: [within, after] } as unknown as DutyPlan;
  const { shifts, exceptions } = repeatedWeek(plan, [
    // The rest of a shift of the Sunday before.
    part('2026-11-16T00:00', '2026-11-16T07:00', DANA),
    part('2026-11-16T07:00', '2026-11-16T19:00', DANA, MARC),
    part('2026-11-16T19:00', '2026-11-17T07:00', MARC),
    part('2026-11-17T07:00', '2026-11-17T19:00', PRIYA),
    part('2026-11-17T19:00', '2026-11-18T07:00', MARC),
    part('2026-11-18T07:00', '2026-11-18T19:00', DANA, MARC),
    part('2026-11-18T19:00', '2026-11-20T07:00', null),
    part('2026-11-20T07:00', '2026-11-22T19:00', PRIYA),
    part('2026-11-22T19:00', '2026-11-23T07:00', MARC),
  ]);
  const nobody = { next_contact_id: null };
  expect(shifts).toEqual([
    { weekdays: [1, 3], from: '07:00', to: '19:00', contact_id: DANA, next_contact_id: MARC },
    { weekdays: [1, 2, 7], from: '19:00', to: '07:00', contact_id: MARC, ...nobody },
    { weekdays: [2, 7], from: '07:00', to: '19:00', contact_id: PRIYA, ...nobody },
    { weekdays: [5, 6], from: '07:00', to: '07:00', contact_id: PRIYA, ...nobody },
  ]);
  expect(exceptions).toEqual([after]);
});

test('a gap or an exception that lasts into the next week does not replace the first days of the shown one', () => {
  const monday = exception('2026-11-16T08:00', '2026-11-16T18:00');
  const long = exception('2026-11-22T08:00', '2026-11-26T08:00');
  const plan = { week_from: '2026-11-16', shifts: [], exceptions: [monday, long] } as unknown as DutyPlan;
  const days = [
    part('2026-11-16T08:00', '2026-11-16T18:00', PRIYA),
    part('2026-11-20T08:00', '2026-11-20T18:00', DANA),
  ];
  const shift = (weekday: number, to: string, contact_id: string) => ({
    weekdays: [weekday],
    from: '08:00',
    to,
    contact_id,
    next_contact_id: null,
  });
  const repeated = (last: Part) => repeatedWeek(plan, [...days, last]);
  const shown = [shift(1, '18:00', PRIYA), shift(5, '18:00', DANA)];
  expect(repeated(part('2026-11-20T18:00', '2026-11-24T08:00', null))).toMatchObject({
    shifts: shown,
    exceptions: [long],
  });
  // Of the exception, only the part in the week is repeated. It stays, because it goes on after the week.
  expect(repeated(part('2026-11-22T08:00', '2026-11-26T08:00', PRIYA))).toMatchObject({
    shifts: [...shown, shift(7, '00:00', PRIYA)],
    exceptions: [long],
  });
});
