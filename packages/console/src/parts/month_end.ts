/**
 * Whether the month of a use is over. Months are those of the time zone of the viewer. The first one of a tank starts with its
 * first reading, on any day, and of a tank without readings of this month all are over.
 */
export function isOver(startsAt: string, nowMs: number): boolean {
  const start = new Date(startsAt);
  return nowMs >= new Date(start.getFullYear(), start.getMonth() + 1, 1).getTime();
}
