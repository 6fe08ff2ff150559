/**
 * Whether the month of a use is over, in the time zone of the viewer. `startsAt` can be any day of the month, because the
 * first month of a tank starts with its first reading.
 */
export function isOver(startsAt: string, nowMs: number): boolean {
  const start = new Date(startsAt);
  return nowMs >= new Date(start.getFullYear(), start.getMonth() + 1, 1).getTime();
}
