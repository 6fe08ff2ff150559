import type { DutyPlan } from '@tankwatch/client';
import { laterDay, type Part, type Shift, weekdayOf } from './duty_parts.ts';

/**
 * The plan in which the shown week, with its exceptions, is repeated every week. The part of Sunday's night shift that
 * is on Monday replaces the rest of the previous week's shift on that day.
 */
export function repeatedWeek(plan: DutyPlan, parts: readonly Part[]): DutyPlan {
  const [begin, end] = [`${plan.week_from}T00:00`, `${laterDay(plan.week_from, 7)}T00:00`];
  const lastPart = parts.at(-1);
  // A gap or an exception of several days may end long after the week. Only a night shift replaces the Monday before.
  const nextTuesday = `${laterDay(plan.week_from, 8)}T00:00`;
  const isNight = lastPart !== undefined && lastPart.contact_id !== null && lastPart.toClock <= nextTuesday;
  const last = isNight ? lastPart.toClock : end;
  const mondayFrom = last > end ? `${laterDay(last.slice(0, 10), -7)}${last.slice(10)}` : begin;
  const shifts: Shift[] = [];
  for (const { fromClock, toClock: partEnd, contact_id, next_contact_id } of parts) {
    const toClock = partEnd < last ? partEnd : last;
    if (contact_id === null || toClock <= mondayFrom) continue;
    let from = fromClock < mondayFrom ? mondayFrom : fromClock;
    // A shift lasts at most one day.
    while (from < toClock) {
      const dayLater = `${laterDay(from.slice(0, 10), 1)}${from.slice(10)}`;
      const to = dayLater < toClock ? dayLater : toClock;
      addShift(shifts, {
        weekdays: [weekdayOf(from)],
        from: from.slice(11),
        to: to.slice(11),
        contact_id,
        next_contact_id,
      });
      from = to;
    }
  }
  const exceptions = plan.exceptions.filter(({ from, to }) => from < begin || to > (last > end ? last : end));
  return { ...plan, shifts, exceptions };
}

/** Adds a shift. The same shift on several days becomes one shift with several weekdays. */
function addShift(shifts: Shift[], shift: Shift): void {
  const keyOf = (one: Shift): string => JSON.stringify({ ...one, weekdays: [] });
  const same = shifts.find((one) => keyOf(one) === keyOf(shift));
  if (same === undefined) shifts.push(shift);
  else same.weekdays = [...same.weekdays, ...shift.weekdays];
}
