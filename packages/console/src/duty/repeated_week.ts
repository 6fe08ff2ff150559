import type { DutyPlan } from '@tankwatch/client';
import { laterDay, type Part, type Shift } from './duty_parts.ts';

const weekdayOf = (clock: string): number => new Date(`${clock.slice(0, 10)}T00:00Z`).getUTCDay() || 7;

/**
 * The plan with the shown week as the week that comes again and again. Its exceptions are then part of every week. Sunday's night ends on
 * Monday, in place of what was left there of the week before.
 */
export function repeatedWeek(plan: DutyPlan, parts: readonly Part[]): DutyPlan {
  const [begin, end] = [`${plan.week_from}T00:00`, `${laterDay(plan.week_from, 7)}T00:00`];
  const last = parts.at(-1)?.toClock ?? end;
  const mondayFrom = last > end ? `${laterDay(last.slice(0, 10), -7)}${last.slice(10)}` : begin;
  const shifts: Shift[] = [];
  for (const { fromClock, toClock, contact_id, next_contact_id } of parts) {
    if (contact_id === null || toClock <= mondayFrom) continue;
    let from = fromClock < mondayFrom ? mondayFrom : fromClock;
    // A shift has at most a day.
    for (let to = from; to < toClock; from = to) {
      const dayLater = `${laterDay(from.slice(0, 10), 1)}${from.slice(10)}`;
      to = dayLater < toClock ? dayLater : toClock;
      addShift(shifts, {
        weekdays: [weekdayOf(from)],
        from: from.slice(11),
        to: to.slice(11),
        contact_id,
        next_contact_id,
      });
    }
  }
  const exceptions = plan.exceptions.filter(({ from, to }) => from < begin || to > (last > end ? last : end));
  return { ...plan, shifts, exceptions };
}

/** The same shift on several days is one. */
function addShift(shifts: Shift[], shift: Shift): void {
  const keyOf = (one: Shift): string => JSON.stringify({ ...one, weekdays: [] });
  const same = shifts.find((one) => keyOf(one) === keyOf(shift));
  if (same === undefined) shifts.push(shift);
  else same.weekdays = [...same.weekdays, ...shift.weekdays];
}
