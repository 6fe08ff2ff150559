import { zonedDate, zonedMinute } from '../../../../src/values/zoned_time.ts';

/** The day of a note without a time. It is stored as the beginning of that day in the zone of the organization. */
export const dayOf = (at: string, zone: string): string => zonedDate(Date.parse(at), zone);

/** A time as the value of an input of type datetime-local, as a clock of the organization shows it. */
export const localTime = (ms: number, zone: string): string => zonedMinute(ms, zone).replace(' ', 'T');
