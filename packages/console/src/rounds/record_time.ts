import { offsetMs, zonedMinute, zonedTimeMs } from '../../../../src/values/zoned_time.ts';

/** The time of day that a clock of the organization shows, such as 10:35. */
export const clockIn = (zone: string, atMs: number): string => zonedMinute(atMs, zone).slice(11);

/** Whether the other times on the page, which are in the zone of the browser, would be read differently. */
export const isOtherZone = (zone: string): boolean =>
  offsetMs(Date.now(), zone) !== -new Date().getTimezoneOffset() * 60_000;

/** When the clock of the organization shows this time on the day of the round. Of an hour that comes twice, one of both. */
export function timeOnDay(date: string, clock: string, zone: string): number {
  const localMs = Date.parse(`${date}T${clock}:00Z`);
  const at = zonedTimeMs(localMs, zone);
  return typeof at === 'number' ? at : localMs - offsetMs(localMs, zone);
}
