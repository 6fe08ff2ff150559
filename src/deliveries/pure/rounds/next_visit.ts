import { DAY_MS, HOUR_MS } from '../../../values/time.ts';
import { zonedTimeMs } from '../../../values/zoned_time.ts';

/** 1 is Monday, 7 is Sunday, as in ISO 8601. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** A city without delivery days is visited on every day except Sunday. */
export const DEFAULT_DELIVERY_DAYS: readonly Weekday[] = [1, 2, 3, 4, 5, 6];

/** Trucks have finished their rounds at this hour of the organization's clock. */
const END_OF_ROUND_HOUR = 18;

/**
 * The days from now until the end of the next delivery day of the tank after a round. A tank that is left out of this
 * round waits until then.
 */
export function daysToNextVisit(
  nowMs: number,
  round: { date: string; timeZone: string },
  deliveryDays: readonly Weekday[],
): number {
  const wanted = deliveryDays.length === 0 ? DEFAULT_DELIVERY_DAYS : deliveryDays;
  const roundDayMs = Date.parse(`${round.date}T00:00:00Z`);
  const daysAfter = [1, 2, 3, 4, 5, 6, 7].find((days) => wanted.includes(weekdayOf(roundDayMs + days * DAY_MS))) ?? 7;
  const localMs = roundDayMs + daysAfter * DAY_MS + END_OF_ROUND_HOUR * HOUR_MS;
  const visitMs = zonedTimeMs(localMs, round.timeZone);
  // No time zone changes its clock at 18:00, and an hour would not matter here.
  const endMs = typeof visitMs === 'number' ? visitMs : localMs;
  return (endMs - nowMs) / DAY_MS;
}

/** The weekdays of ISO 8601, in the order of JavaScript, which begins with Sunday. */
const WEEKDAYS: readonly Weekday[] = [7, 1, 2, 3, 4, 5, 6];

export const weekdayOf = (dayMs: number): Weekday => WEEKDAYS[new Date(dayMs).getUTCDay()] ?? 7;
