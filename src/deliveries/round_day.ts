import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import { DAY_MS, formatIsoTime } from '../values/time.ts';
import { offsetMs, zonedTimeMs } from '../values/zoned_time.ts';

export async function timeZoneOf(db: Db, organizationNo: number): Promise<string> {
  const { rows } = await db.query<{ time_zone: string }>('select time_zone from organizations where no = $1', [
    organizationNo,
  ]);
  return onlyRow(rows).time_zone;
}

/** A date of the calendar, such as 2026-11-17, in the years 2000 to 2999. */
export const isDate = (text: string): boolean =>
  /^2\d{3}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(Date.parse(`${text}T00:00:00Z`)) &&
  new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);

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
