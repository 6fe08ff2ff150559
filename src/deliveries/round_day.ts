import { DAY_MS, formatIsoTime, isDay } from '../values/time.ts';
import { offsetMs, zonedTimeMs } from '../values/zoned_time.ts';

/** Returns true for a day of the calendar in the years 2000 to 2999, such as 2026-11-17. */
export const isDate = (text: string): boolean => text.startsWith('2') && isDay(text);

/** The start and the end of a day by the clock of the zone. */
export function dayBounds(date: string, timeZone: string): { beginsAt: string; endsAt: string } {
  const startMs = Date.parse(`${date}T00:00:00Z`);
  return {
    beginsAt: formatIsoTime(midnightMs(startMs, timeZone)),
    endsAt: formatIsoTime(midnightMs(startMs + DAY_MS, timeZone)),
  };
}

/**
 * The time of a local midnight. If a change of the clock skips or repeats midnight, the offset of the day before
 * counts: the day begins at the change, or at the first of two midnights.
 */
function midnightMs(localMs: number, timeZone: string): number {
  const at = zonedTimeMs(localMs, timeZone);
  return typeof at === 'number' ? at : localMs - offsetMs(localMs - DAY_MS, timeZone);
}
