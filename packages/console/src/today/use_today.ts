import type { TankStatus, TankStatusPage } from '@tankwatch/client';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { fleet } from '../api.ts';
import { useLive } from '../live/use_live.ts';
import { useWhenIdle } from '../parts/reorder.ts';
import { countOf, SECTION_KEY, SECTIONS, type SectionName, sectionQuery } from '../sections.ts';
import { MAX_IDS } from '../tank_query.ts';
import { isTankMissing } from './missing_tank.ts';
import { mergeRows, reorderRows, type ShownRow } from './today_rows.ts';

export interface TodaySection {
  name: SectionName;
  rows: readonly ShownRow[];
  /** Null if the count is not known. Rows that were read before are still shown. */
  count: number | null;
  error: Error | null;
  isLoading: boolean;
  retry: () => void;
}

type ShownRows = Partial<Record<SectionName, readonly ShownRow[]>>;

/** The sections of the page Today. They are kept current without moving shown rows. */
export function useToday(): TodaySection[] {
  const queryClient = useQueryClient();
  const queries = useQueries({ queries: SECTIONS.map((name) => sectionQuery(name)) });
  const [shown, setShown] = useState<ShownRows>({});
  const [urgent, setUrgent] = useState<readonly TankStatus[]>([]);
  /** The events and pages that the shown rows already contain. */
  const merged = useRef({ urgent, pages: new Map<SectionName, TankStatusPage>() });

  // A layout effect runs before the browser paints, so that a count and its rows appear together.
  useLayoutEffect(() => {
    const isNewEvent = merged.current.urgent !== urgent;
    const arrived = SECTIONS.flatMap((name, index) => {
      const page = queries[index]?.data;
      return page === undefined || (!isNewEvent && merged.current.pages.get(name) === page) ? [] : [{ name, page }];
    });
    if (arrived.length === 0) return;
    merged.current.urgent = urgent;
    for (const { name, page } of arrived) merged.current.pages.set(name, page);
    const moment = { urgent, heldId: heldTank(), nowMs: Date.now() };
    setShown((before) => {
      const next = { ...before };
      for (const { name, page } of arrived) {
        const rows = before[name];
        next[name] = rows === undefined ? reorderRows([], page) : mergeRows(rows, { section: name, page, ...moment });
      }
      return next;
    });
  });

  const readAgain = useCallback(
    () => Promise.all([SECTION_KEY, ['summary']].map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
    [queryClient],
  );

  const shownBefore = useRef(shown);
  useEffect(() => {
    if (isTankMissing(shownBefore.current, shown)) void readAgain();
    shownBefore.current = shown;
  }, [shown, readAgain]);

  const watched = SECTIONS.flatMap((name) => (shown[name] ?? []).map(({ status }) => status.tank.id));
  useLive({
    tankIds: [...new Set(watched)].slice(0, MAX_IDS),
    onChanged(ids) {
      const wanted = ids.filter((id) => watched.includes(id)).slice(0, MAX_IDS);
      if (wanted.length === 0) return;
      void readTanks(wanted, (rows) => {
        const fresh = new Map(rows.map((status) => [status.tank.id, status]));
        setUrgent((before) => before.map((status) => fresh.get(status.tank.id) ?? status));
        setShown((before) => withValues(before, fresh));
        const hasMoved = SECTIONS.some((name) =>
          shown[name]?.some(({ status }) => (fresh.get(status.tank.id) ?? status).section !== name),
        );
        if (hasMoved) void readAgain();
      });
    },
    // The alarm of the frame reads the sections again. The tank may be beyond the first page of its section.
    onUrgent: ({ tankId }) =>
      void readTanks([tankId], (rows) =>
        setUrgent((before) => [...rows, ...before.filter(({ tank }) => tank.id !== tankId)]),
      ),
  });
  const reorder = async (): Promise<void> => {
    await readAgain();
    const pageOf = (name: SectionName): TankStatusPage | undefined =>
      queryClient.getQueryData(sectionQuery(name).queryKey);
    setUrgent([]);
    setShown((before) => reordered(before, pageOf));
  };
  useWhenIdle(() => void reorder());

  const seen = new Set<string>();
  return SECTIONS.map((name, index) => {
    const query = queries[index];
    // Two sections that were read one after the other can contain the same tank. The more urgent one shows it.
    const ofSection = shown[name] ?? [];
    const rows = ofSection.filter(({ status }) => !seen.has(status.tank.id));
    for (const { status } of rows) seen.add(status.tank.id);
    const error = query?.error ?? null;
    const page = query?.data;
    const count =
      page === undefined || error !== null
        ? null
        : countOf(page) + newRows(rows, page) - (ofSection.length - rows.length);
    return {
      name,
      rows,
      count,
      error,
      isLoading: page === undefined && error === null,
      retry: () => void query?.refetch(),
    };
  });
}

/** The number of rows of new events that a complete page does not contain yet. They are added to its count. */
const newRows = (rows: readonly ShownRow[], { data, next }: TankStatusPage): number =>
  next !== null ? 0 : rows.filter(({ status }) => !data.some(({ tank }) => tank.id === status.tank.id)).length;

const heldTank = (): string | null =>
  document.querySelector('tr[data-tank]:hover, tr[data-tank]:focus-within')?.getAttribute('data-tank') ?? null;

async function readTanks(ids: readonly string[], onRows: (rows: TankStatus[]) => void): Promise<void> {
  try {
    onRows((await fleet.tanks({ ids: ids.join(','), size: MAX_IDS })).data);
  } catch {
    // The state of the connection shows the failure, and the next change or poll reads again.
  }
}

function withValues(shown: ShownRows, fresh: ReadonlyMap<string, TankStatus>): ShownRows {
  return Object.fromEntries(
    SECTIONS.flatMap((name) => {
      const rows = shown[name]?.map((row) => ({ ...row, status: fresh.get(row.status.tank.id) ?? row.status }));
      return rows === undefined ? [] : [[name, rows]];
    }),
  );
}

function reordered(shown: ShownRows, pageOf: (name: SectionName) => TankStatusPage | undefined): ShownRows {
  return Object.fromEntries(
    SECTIONS.flatMap((name) => {
      const page = pageOf(name);
      return page === undefined ? [] : [[name, reorderRows(shown[name] ?? [], page)]];
    }),
  );
}
