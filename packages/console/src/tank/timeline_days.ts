import { zonedDate } from '../../../../src/values/zoned_time.ts';

interface Timed {
  at: string;
  delivery: { notes: readonly { precision: string }[] } | null;
}

/** A note that has only a day is stored as the midnight at which that day begins for the organization. */
export const hasTime = ({ delivery }: Timed): boolean => delivery?.notes[0]?.precision !== 'day';

/** The entries by the day of the viewer, newest first. A note without a time stays on the day that is written on it. */
export function daysOf<Entry extends Timed>(
  entries: readonly Entry[],
  zones: { browser: string; organization: string },
): [day: string, entries: Entry[]][] {
  const days = new Map<string, Entry[]>();
  for (const entry of entries) {
    const day = zonedDate(Date.parse(entry.at), hasTime(entry) ? zones.browser : zones.organization);
    const ofDay = days.get(day);
    if (ofDay === undefined) days.set(day, [entry]);
    else ofDay.push(entry);
  }
  return [...days].toSorted(([one], [other]) => (one < other ? 1 : -1));
}
