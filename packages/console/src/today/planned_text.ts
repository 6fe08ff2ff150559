import type { Format } from '../format.ts';
import type { Translation } from '../translations/translation.ts';

/** The fields of a tank that the text about its next delivery needs. */
interface PlannedTank {
  status: readonly string[];
  planned_delivery: { date: string } | null;
  empty: { earliest_at: string | null } | null;
}

/**
 * The day on which a truck comes, and whether the tank may be empty before that day. Empty if no delivery is planned,
 * or if the tank loses gas.
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

/** The date of a time in the time zone of the browser, such as 2026-11-17. */
function localDay(at: string): string {
  const date = new Date(at);
  return new Date(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())).toISOString().slice(0, 10);
}
