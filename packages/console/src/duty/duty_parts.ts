import type { DutyPlan } from '@tankwatch/client';
import { zonedMinute } from '../../../../src/values/zoned_time.ts';

export type Shift = DutyPlan['shifts'][number];
export type DutyException = DutyPlan['exceptions'][number];
type PlannedDuty = DutyPlan['week'][number];

/** The local time in a time zone, such as `2026-11-19T07:00`. */
const clockOf = (at: string, zone: string): string => zonedMinute(Date.parse(at), zone).replace(' ', 'T');

/** The date some days after a date, such as `2026-11-19`. */
export const laterDay = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);

/** The weekday of a date or a local time. 7 is Sunday. */
export const weekdayOf = (clock: string): number => new Date(`${clock.slice(0, 10)}T00:00Z`).getUTCDay() || 7;

/** A part of the shown week, with its local times in the time zone of the organization. */
export interface Part extends PlannedDuty {
  fromClock: string;
  toClock: string;
  isNow: boolean;
  isOver: boolean;
}

export const partsOf = ({ week, time_zone: zone }: DutyPlan, nowMs: number): Part[] =>
  week.map((part) => ({
    ...part,
    fromClock: clockOf(part.from, zone),
    toClock: clockOf(part.to, zone),
    isNow: Date.parse(part.from) <= nowMs && nowMs < Date.parse(part.to),
    isOver: Date.parse(part.to) <= nowMs,
  }));

/** The times of the shown week that are not over and in which nobody is on duty. Adjacent times are joined. */
export function gapsOf(parts: readonly Part[]): Part[] {
  const gaps: Part[] = [];
  for (const part of parts) {
    if (part.contact_id !== null || part.isOver) continue;
    const last = gaps.at(-1);
    if (last?.to === part.from) gaps[gaps.length - 1] = { ...last, to: part.to, toClock: part.toClock };
    else gaps.push(part);
  }
  return gaps;
}

/**
 * The times of day at which parts begin: the rows of the week. The first part is usually the rest of a shift of the
 * previous week, and has no row of its own.
 */
export function rowsOf(parts: readonly Part[]): string[] {
  const begins = (list: readonly Part[]): string[] => list.map(({ fromClock }) => fromClock.slice(11));
  return [...new Set(begins(parts.length > 1 ? parts.slice(1) : parts))].toSorted();
}

/** The exception that applies at a time. */
export const exceptionAt = ({ exceptions }: DutyPlan, clock: string): DutyException | undefined =>
  exceptions.find(({ from, to }) => from <= clock && clock < to);

/** The weekly shift at a time, without exceptions. */
export function shiftAt({ shifts }: DutyPlan, clock: string): Shift | undefined {
  const [day, time] = [clock.slice(0, 10), clock.slice(11)];
  return shifts.find(({ weekdays, from, to }) => {
    const isLong = to <= from;
    const begunToday = weekdays.includes(weekdayOf(day)) && from <= time && (isLong || time < to);
    return begunToday || (isLong && weekdays.includes(weekdayOf(laterDay(day, -1))) && time < to);
  });
}

/** Exceptions that ended more than this many days ago are left out when the plan is saved. */
const KEPT_DAYS = 31;

/** The body of the request that stores the plan. */
export function planBody(
  plan: DutyPlan,
  changed: Partial<Pick<DutyPlan, 'shifts' | 'exceptions'>>,
  nowMs: number,
): Pick<DutyPlan, 'shifts' | 'exceptions'> {
  const since = clockOf(new Date(nowMs - KEPT_DAYS * 86_400_000).toISOString(), plan.time_zone);
  const { shifts, exceptions } = { ...plan, ...changed };
  return { shifts, exceptions: exceptions.filter(({ to }) => to > since) };
}
