import { offsetMs, zonedMinute, zonedTimeMs } from '../../../../src/values/zoned_time.ts';

/** The time of day in a time zone, such as 10:35. */
export const clockIn = (zone: string, atMs: number): string => zonedMinute(atMs, zone).slice(11);

/** Whether the browser, in whose time zone the page shows other times, has another offset now than this zone. */
export const isOtherZone = (zone: string): boolean =>
  offsetMs(Date.now(), zone) !== -new Date().getTimezoneOffset() * 60_000;

/** The moment of a local time on a date in a time zone. If the local time occurs twice, one of the two moments. */
export function timeOnDay(date: string, clock: string, zone: string): number {
  const localMs = Date.parse(`${date}T${clock}:00Z`);
  const at = zonedTimeMs(localMs, zone);
  return typeof at === 'number' ? at : localMs - offsetMs(localMs, zone);
}
