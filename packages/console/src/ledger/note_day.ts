import { zonedDate } from '../../../../src/values/zoned_time.ts';

/** The day of a note without a time. It is stored as the beginning of that day in the zone of the organization. */
export const dayOf = (at: string, zone: string): string => zonedDate(Date.parse(at), zone);
