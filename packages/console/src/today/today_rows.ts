import type { TankStatus, TankStatusPage } from '@tankwatch/client';
import { isUrgent, type SectionName } from '../sections.ts';

export interface ShownRow {
  status: TankStatus;
  /** When the row was added, if it was added while the page was open. */
  newAtMs: number | null;
}

interface Arrival {
  section: SectionName;
  page: TankStatusPage;
  /** Tanks of new events. They may be in their section but beyond its first page. */
  urgent: readonly TankStatus[];
  /** The tank whose row is below the pointer. The row stays even if the tank has left the section. */
  heldId: string | null;
  nowMs: number;
}

const idOf = ({ tank }: TankStatus): string => tank.id;

/**
 * Shown rows keep their order. A new tank is added at the top of an urgent section, and at the end of other sections. A
 * tank that has left the section is removed.
 */
export function mergeRows(shown: readonly ShownRow[], { section, page, urgent, heldId, nowMs }: Arrival): ShownRow[] {
  const here = [...urgent.filter((status) => status.section === section), ...page.data];
  const fresh = new Map(here.map((status) => [idOf(status), status]));
  const isComplete = page.next === null;
  const kept = shown
    .filter(({ status }) => {
      if (fresh.has(idOf(status)) || idOf(status) === heldId) return true;
      // If the page does not contain the whole section, a tank that is not on it may still be in the section.
      return !isComplete && status.section === section;
    })
    .map((row) => ({ ...row, status: fresh.get(idOf(row.status)) ?? row.status }));
  const known = new Set(shown.map(({ status }) => idOf(status)));
  const added = [...fresh.values()].filter((status) => !known.has(idOf(status)));
  if (!isUrgent(section)) return [...kept, ...added.map((status) => ({ status, newAtMs: null }))];
  // An incomplete page is filled up with tanks that have been low for a long time. They are not marked as new.
  const events = new Set(urgent.map(idOf));
  const isNew = (status: TankStatus): boolean => isComplete || section === 'losing' || events.has(idOf(status));
  return [
    ...added.filter(isNew).map((status) => ({ status, newAtMs: nowMs })),
    ...kept,
    ...added.filter((status) => !isNew(status)).map((status) => ({ status, newAtMs: null })),
  ];
}

/** Sorts the rows as the service does. Marks of new rows stay. */
export function reorderRows(shown: readonly ShownRow[], page: TankStatusPage): ShownRow[] {
  const marks = new Map(shown.map(({ status, newAtMs }) => [idOf(status), newAtMs]));
  return page.data.map((status) => ({ status, newAtMs: marks.get(idOf(status)) ?? null }));
}
