import type { Format } from '../format.ts';
import type { Translation } from '../translations/translation.ts';

/** What is known of a tank about its next delivery. */
interface PlannedTank {
  status: readonly string[];
  planned_delivery: { date: string } | null;
  empty: { earliest_at: string | null } | null;
}

/**
 * On which day a truck comes, and whether the tank may be empty before that day. Empty text: none is planned, or the tank
 * loses gas, and nothing is delivered.
 */
export function plannedText(
  tank: PlannedTank,
  nowMs: number,
  { values }: { values: Pick<Translation['values'], 'planned' | 'emptyBefore'> },
  format: Format,
): string {
  const { planned_delivery: planned, empty } = tank;
  if (planned === null || tank.status.includes('losing')) return '';
  const text = values.planned(format.dayToCome(planned.date, nowMs));
  const earliest = empty?.earliest_at ?? null;
  return earliest !== null && localDay(earliest) < planned.date ? `${text}, ${values.emptyBefore}` : text;
}

/** The day of a time in the zone of the browser, such as 2026-11-17. */
function localDay(at: string): string {
  const date = new Date(at);
  return new Date(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())).toISOString().slice(0, 10);
}
