import { DAY_MS, HOUR_MS } from '../../../values/time.ts';
import { zonedTimeMs } from '../../../values/zoned_time.ts';

/** 1 is Monday, 7 is Sunday, as in ISO 8601. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** A place without delivery days of its own is visited on every day but Sunday. */
export const DEFAULT_DELIVERY_DAYS: readonly Weekday[] = [1, 2, 3, 4, 5, 6];

/** Trucks have finished their rounds at this hour of the organization's clock. */
const END_OF_ROUND_HOUR = 18;

/**
 * Days from now until the end of the place's next delivery day after a round. A tank that is left out of this round waits
 * until then.
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

/** The numbers of ISO 8601 by those of JavaScript. */
const WEEKDAYS: readonly Weekday[] = [7, 1, 2, 3, 4, 5, 6];

export const weekdayOf = (dayMs: number): Weekday => WEEKDAYS[new Date(dayMs).getUTCDay()] ?? 7;
