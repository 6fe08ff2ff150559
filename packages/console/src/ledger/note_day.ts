import { zonedDate, zonedMinute } from '../../../../src/values/zoned_time.ts';

/** The date of a note without a time. It is stored with the start of its day in the organization's time zone. */
export const dayOf = (at: string, zone: string): string => zonedDate(Date.parse(at), zone);

/** A time in the organization's time zone, as the value of an input of type datetime-local. */
export const localTime = (ms: number, zone: string): string => zonedMinute(ms, zone).replace(' ', 'T');
