import { zonedDate } from '../../../../src/values/zoned_time.ts';

interface Timed {
  at: string;
  delivery: { notes: readonly { precision: string }[] } | null;
}

/** False for a note without a time, which is stored with the start of its day in the organization's time zone. */
export const hasTime = ({ delivery }: Timed): boolean => delivery?.notes[0]?.precision !== 'day';

/** The entries by day in the time zone of the viewer, newest first. A note without a time stays on its own day. */
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
