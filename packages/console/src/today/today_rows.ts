import type { TankStatus, TankStatusPage } from '@tankwatch/client';
import { isUrgent, type SectionName } from '../sections.ts';

export interface ShownRow {
  status: TankStatus;
  /** When it came, if it came while the viewer was looking. */
  newAtMs: number | null;
}

interface Arrival {
  section: SectionName;
  page: TankStatusPage;
  /** Tanks of new events. They may stand further below than the page reaches. */
  urgent: readonly TankStatus[];
  /** The row under the pointer. It stays also if its tank has left the section. */
  heldId: string | null;
  nowMs: number;
}

const idOf = ({ tank }: TankStatus): string => tank.id;

/**
 * Rows that are there keep their order. A tank that newly stands in an urgent section comes on top, in other sections at
 * the end. A tank that has left the section goes.
 */
export function mergeRows(shown: readonly ShownRow[], { section, page, urgent, heldId, nowMs }: Arrival): ShownRow[] {
  const here = [...urgent.filter((status) => status.section === section), ...page.data];
  const fresh = new Map(here.map((status) => [idOf(status), status]));
  const isComplete = page.next === null;
  const kept = shown
    .filter(({ status }) => {
      if (fresh.has(idOf(status)) || idOf(status) === heldId) return true;
      // Below a page that does not reach it, a tank can stand for longer.
      return !isComplete && status.section === section;
    })
    .map((row) => ({ ...row, status: fresh.get(idOf(row.status)) ?? row.status }));
  const known = new Set(shown.map(({ status }) => idOf(status)));
  const added = [...fresh.values()].filter((status) => !known.has(idOf(status)));
  if (!isUrgent(section)) return [...kept, ...added.map((status) => ({ status, newAtMs: null }))];
  // A page that does not reach all tanks also fills up with tanks that have been low for long.
  const events = new Set(urgent.map(idOf));
  const isNew = (status: TankStatus): boolean => isComplete || section === 'losing' || events.has(idOf(status));
  return [
    ...added.filter(isNew).map((status) => ({ status, newAtMs: nowMs })),
    ...kept,
    ...added.filter((status) => !isNew(status)).map((status) => ({ status, newAtMs: null })),
  ];
}

/** The order of the service. Marks stay. */
export function reorderRows(shown: readonly ShownRow[], page: TankStatusPage): ShownRow[] {
  const marks = new Map(shown.map(({ status, newAtMs }) => [idOf(status), newAtMs]));
  return page.data.map((status) => ({ status, newAtMs: marks.get(idOf(status)) ?? null }));
}
