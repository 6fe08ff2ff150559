import type { ChangeContext } from '../catalog/change_context.ts';
import { lockOrganization } from '../catalog/organizations.ts';
import { insertRow } from '../db/insert_row.ts';
import { isoTimeSql } from '../db/iso_time.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import { refuseField } from '../values/change_refusal.ts';
import { CLOCK_TIME, isDay } from '../values/time.ts';
import { isUuid } from '../values/uuid7.ts';
import { markKnownConditions } from './begin_escalations.ts';

/** The person on duty, and the person who is notified next if nobody handles the condition. */
interface PeopleOnDuty {
  contact_id: string | null;
  next_contact_id: string | null;
}

/** A shift that is repeated every week. Times are local times of the organization. */
export interface Shift extends PeopleOnDuty {
  /** 1 is Monday. */
  weekdays: readonly number[];
  /** The time at which the shift begins, such as `07:00`. */
  from: string;
  /** If it is not after `from`, the shift ends on the next day. */
  to: string;
}

/** An exception, such as a holiday. It overrules all shifts. Its times are local, such as `2026-12-24T19:00`. */
export interface DutyException extends PeopleOnDuty {
  from: string;
  to: string;
}

/** The steps if nobody handles a loss or an empty tank. Times are in minutes. */
export interface EscalationSettings {
  escalates: boolean;
  /** The time until the person on duty is notified. */
  first_minutes: number;
  /** The time from the first step until the next person is notified. */
  next_minutes: number;
  /** The time from the second step until all are notified. */
  all_minutes: number;
  /** The time until all are notified again; null if they are notified once. */
  repeat_minutes: number | null;
  /** A low tank is empty at or below this level. Null if empty tanks are not escalated. */
  empty_percentage: number | null;
}

interface DutyTimes {
  shifts: readonly Shift[];
  exceptions: readonly DutyException[];
}

export interface DutyPlan extends EscalationSettings, DutyTimes {}
/** A plan whose missing settings are not changed. */
export type NewDutyPlan = DutyTimes & Partial<EscalationSettings>;

/** A period in which the same people are on duty. */
export interface PlannedDuty extends PeopleOnDuty {
  from: string;
  to: string;
  name: string | null;
  next_name: string | null;
  is_exception: boolean;
}

const DEFAULT_ESCALATION: EscalationSettings = {
  escalates: true,
  first_minutes: 5,
  next_minutes: 5,
  all_minutes: 5,
  repeat_minutes: 10,
  empty_percentage: 5,
};
const SETTINGS = [
  'escalates',
  'first_minutes',
  'next_minutes',
  'all_minutes',
  'repeat_minutes',
  'empty_percentage',
] as const;

export const MAX_STEP_MINUTES = 120;
export const MAX_SHIFTS = 50;
export const MAX_EXCEPTIONS = 100;
const LOCAL_TIME = /^(?!0000)\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d$/;
const DAY_MINUTES = 1_440;
const WEEK_MINUTES = 7 * DAY_MINUTES;

const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

/** Returns the minutes of the week that a shift covers, from Monday on. A shift that reaches into the next week has two parts. */
function partsOf({ weekdays, from, to }: Shift): [number, number][] {
  return weekdays.flatMap((weekday): [number, number][] => {
    const begin = (weekday - 1) * DAY_MINUTES + minutesOf(from);
    const length = (minutesOf(to) - minutesOf(from) + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES;
    const end = begin + length;
    return end <= WEEK_MINUTES
      ? [[begin, end]]
      : [
          [begin, WEEK_MINUTES],
          [0, end - WEEK_MINUTES],
        ];
  });
}

function overlaps<T>(parts: readonly (readonly [T, T])[]): boolean {
  const sorted = parts.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted.some(([, end], index) => {
    const next = sorted[index + 1];
    return next !== undefined && next[0] < end;
  });
}

const isLocalTime = (time: string): boolean => LOCAL_TIME.test(time) && isDay(time.slice(0, 10));

/** Throws if the plan is not valid. At each time there is at most one shift and one exception. */
function checkPlan({
  shifts,
  exceptions,
  repeat_minutes = null,
  empty_percentage = null,
  ...steps
}: NewDutyPlan): void {
  for (const field of ['first_minutes', 'next_minutes', 'all_minutes'] as const) {
    const { [field]: minutes = 0 } = steps;
    if (!(minutes >= 0 && minutes <= MAX_STEP_MINUTES)) refuseField(field, `must be from 0 to ${MAX_STEP_MINUTES}`);
  }
  if (repeat_minutes !== null && !(repeat_minutes >= 0 && repeat_minutes <= 1_440))
    refuseField('repeat_minutes', 'must be from 0 to 1440');
  if (
    empty_percentage !== null &&
    !(Number.isInteger(empty_percentage) && empty_percentage >= 0 && empty_percentage <= 50)
  )
    refuseField('empty_percentage', 'must be a whole number from 0 to 50');
  if (shifts.length > MAX_SHIFTS) refuseField('shifts', `must be at most ${MAX_SHIFTS}`);
  if (exceptions.length > MAX_EXCEPTIONS) refuseField('exceptions', `must be at most ${MAX_EXCEPTIONS}`);
  for (const { from, to, weekdays } of shifts) {
    if (![from, to].every((time) => CLOCK_TIME.test(time)))
      refuseField('shifts', 'must begin and end at times such as 07:00');
    if (weekdays.length === 0 || weekdays.some((day) => !Number.isInteger(day) || day < 1 || day > 7))
      refuseField('shifts', 'must name weekdays from 1, Monday, to 7');
  }
  for (const { from, to } of exceptions) {
    if (![from, to].every(isLocalTime))
      refuseField('exceptions', 'must begin and end at times such as 2026-12-24T19:00');
    if (to <= from) refuseField('exceptions', 'must end after they begin');
  }
  if (overlaps(shifts.flatMap(partsOf))) refuseField('shifts', 'must not overlap');
  if (overlaps(exceptions.map(({ from, to }) => [from, to] as const))) refuseField('exceptions', 'must not overlap');
  for (const [field, list] of Object.entries({ shifts, exceptions }))
    if (list.some(({ contact_id, next_contact_id }) => contact_id === null && next_contact_id !== null))
      refuseField(field, 'must name who is on duty before who is next');
}

/** Reads the plan of an organization; an empty plan if it has none. */
export async function readDutyPlan(db: Db, organizationNo: number): Promise<{ no: number | null; plan: DutyPlan }> {
  const { rows } = await db.query<DutyPlan & { no: number }>(
    `select no, shifts, exceptions, ${SETTINGS.join(', ')} from duty_plans where organization_no = $1`,
    [organizationNo],
  );
  if (rows[0] === undefined) return { no: null, plan: { shifts: [], exceptions: [], ...DEFAULT_ESCALATION } };
  const { no, ...plan } = rows[0];
  return { no, plan };
}

/** Replaces the whole plan. The caller omits exceptions that ended long ago. */
export async function setDutyPlan(
  { tx, organizationNo, isDryRun }: ChangeContext,
  given: NewDutyPlan,
  check?: (current: DutyPlan) => void,
): Promise<void> {
  const { shifts, exceptions } = given;
  checkPlan(given);
  await lockOrganization(tx, organizationNo);
  const { no, plan: current } = await readDutyPlan(tx, organizationNo);
  check?.(current);
  const idsOf = (plan: DutyTimes): string[] =>
    [...plan.shifts, ...plan.exceptions].flatMap(({ contact_id, next_contact_id }) =>
      [contact_id, next_contact_id].flatMap((id) => (id === null ? [] : [id.toLowerCase()])),
    );
  const { rows } = await tx.query<{ id: string }>(
    'select id from contacts where organization_no = $1 and deleted_at is null and id = any ($2::uuid[])',
    [organizationNo, idsOf(given).filter(isUuid)],
  );
  // Contacts of the current plan are accepted even if they were removed meanwhile.
  const known = new Set([...rows.map(({ id }) => id), ...idsOf(current)]);
  for (const [field, list] of Object.entries({ shifts, exceptions }))
    for (const { contact_id, next_contact_id } of list)
      for (const id of [contact_id, next_contact_id])
        if (id !== null && !known.has(id.toLowerCase()))
          refuseField(field, `must name contacts of the organization, not ${id}`);
  const settings = { ...current, ...given };
  const columns = ['organization_no', 'shifts', 'exceptions', ...SETTINGS];
  const values = [
    organizationNo,
    JSON.stringify(shifts),
    JSON.stringify(exceptions),
    ...SETTINGS.map((name) => settings[name]),
  ];
  if (no === null) await tx.query(insertRow('duty_plans', columns, { isDryRun }), values);
  else
    await tx.query(
      `update duty_plans set updated_at = now(), ${columns
        .map((column, index) => `${column} = $${index + 1}`)
        .slice(1)
        .join(', ')}
       where organization_no = $1`,
      values,
    );
  if (settings.escalates && !isDryRun)
    await markKnownConditions(tx, organizationNo, {
      above: no === null || !current.escalates ? null : (current.empty_percentage ?? -1),
      upTo: settings.empty_percentage,
    });
}

const NAMES = `c.id as contact_id, coalesce(c.name, c.email) as name, n.id as next_contact_id, coalesce(n.name, n.email) as next_name`;

/** Reads who is on duty at a time. The fields are null if nobody is on duty. */
export async function whoIsOnDuty(
  db: Db,
  organizationNo: number,
  at: string,
): Promise<Omit<PlannedDuty, 'from' | 'to'>> {
  const { rows } = await db.query<Omit<PlannedDuty, 'from' | 'to'>>(
    `select ${NAMES}, d.is_exception from on_duty($1, $2) d
     left join contacts c on c.no = d.contact_no left join contacts n on n.no = d.next_contact_no`,
    [organizationNo, at],
  );
  return rows[0] ?? { contact_id: null, name: null, next_contact_id: null, next_name: null, is_exception: false };
}

/**
 * Reads who is on duty in the seven days from a day on, or from Monday of this week on. A new part begins where a shift or an exception
 * begins or ends; nobody is on duty in gaps. The last part may end after these days, because a night shift does not end at midnight.
 * The function on_duty returns who is on duty at the beginning of a part.
 */
export async function readDutyWeek(
  db: Db,
  organizationNo: number,
  from: string | null,
): Promise<{ from: string; time_zone: string; parts: PlannedDuty[] }> {
  const { rows } = await db.query<{ day: string; time_zone: string; parts: PlannedDuty[] | null }>(
    `with zone as (
       select o.time_zone, coalesce($2::date, date_trunc('week', now() at time zone o.time_zone)::date) as day
       from organizations o where o.no = $1
     ), plan as (
       select zone.*, p.shifts, p.exceptions from zone left join duty_plans p on p.organization_no = $1
     ), cuts as (
       select day::timestamp as clock from zone
       union
       select cut.clock from plan cross join jsonb_array_elements(shifts) as shift
       cross join generate_series(-1, 13) as later
       cross join lateral (values
         (day + later + (shift ->> 'from')::time),
         (day + later + (shift ->> 'to')::time + make_interval(days => case when shift ->> 'to' <= shift ->> 'from' then 1 else 0 end))
       ) as cut (clock)
       where shift -> 'weekdays' @> to_jsonb(extract(isodow from day + later)::int)
       union
       select cut.clock::timestamp from plan cross join jsonb_array_elements(exceptions) as exception
       cross join lateral (values (exception ->> 'from'), (exception ->> 'to')) as cut (clock)
     ), parts as (
       select clock, coalesce(lead(clock) over (order by clock), day + 7) as until from cuts, zone where clock >= day
     )
     select zone.day::text as day, zone.time_zone, (
       select json_agg(json_build_object(
         'from', ${isoTimeSql('(p.clock at time zone zone.time_zone)')},
         'to', ${isoTimeSql('(p.until at time zone zone.time_zone)')},
         'contact_id', x.contact_id, 'name', x.name, 'next_contact_id', x.next_contact_id, 'next_name', x.next_name,
         'is_exception', coalesce(x.is_exception, false)
       ) order by p.clock)
       from parts p
       left join lateral (
         select ${NAMES}, d.is_exception from on_duty($1, p.clock at time zone zone.time_zone) d
         left join contacts c on c.no = d.contact_no left join contacts n on n.no = d.next_contact_no
       ) as x on true
       where p.clock < zone.day + 7
     ) as parts
     from zone`,
    [organizationNo, from],
  );
  const { day, time_zone, parts } = onlyRow(rows);
  return { from: day, time_zone, parts: parts ?? [] };
}
