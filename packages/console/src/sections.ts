import { SECTIONS, type TankStatus, type TankStatusPage } from '@tankwatch/client';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { fleet } from './api.ts';
import type { MarkName } from './parts/marks.tsx';

/** The sections of the page Today, the most urgent first. The service puts each tank into one section. */
export { SECTIONS };
export type SectionName = NonNullable<TankStatus['section']>;

/** A new tank in an urgent section is shown at once, before the viewer asks for the new order. */
export const isUrgent = (name: SectionName): boolean => name === 'losing' || name === 'low';

export const SECTION_MARKS: Readonly<Record<SectionName, MarkName>> = {
  losing: 'losing',
  low: 'low',
  unusual_use: 'unusual_use',
  gauge: 'gauge_unreliable',
  silent_low: 'silent',
  handled: 'handled',
  due: 'soon',
  refilled: 'refilled',
};

/** The number of rows of each section. All losses are shown. The other sections link to a list with all tanks. */
const ROWS: Readonly<Record<SectionName, number>> = {
  losing: 100,
  low: 15,
  unusual_use: 8,
  gauge: 8,
  silent_low: 8,
  handled: 15,
  due: 8,
  refilled: 8,
};

/** How often sections are read. The live stream reports new losses and low tanks at once. */
const REFRESH_MS = 30_000;
export const SECTION_KEY = ['section'] as const;

/**
 * The sections from which a tank moves to `handled` when somebody handles it. Each section is a separate request.
 * `handled` is read after these sections; otherwise a tank that moves between two requests would be in no section.
 */
export const BEFORE_HANDLED: readonly SectionName[] = ['losing', 'low', 'gauge', 'silent_low'];

/** Waits until the running requests of these sections have ended, with or without success. */
const untilRead = (client: QueryClient, names: readonly SectionName[]): Promise<unknown> =>
  Promise.allSettled(
    names.flatMap((name) => client.getQueryCache().find({ queryKey: [...SECTION_KEY, name] })?.promise ?? []),
  );

/** With `ofOwner`, a loss is included until it is over, even if somebody handles it. */
export const sectionQuery = (name: SectionName, ofOwner = false) =>
  queryOptions({
    queryKey: [...SECTION_KEY, name],
    queryFn: async ({ client, signal }): Promise<TankStatusPage> => {
      if (name === 'handled') await untilRead(client, BEFORE_HANDLED);
      const sort = name === 'refilled' ? '-last_refill' : 'urgency';
      const filter = ofOwner && name === 'losing' ? { status: name } : { section: name };
      return fleet.tanks({ ...filter, sort, size: ROWS[name] }, { signal });
    },
    refetchInterval: REFRESH_MS,
  });

/** The link to the list of all tanks of a section. */
export const sectionHref = (name: SectionName): string =>
  `/fleet?section=${name}${name === 'refilled' ? '&sort=-last_refill' : ''}`;

/** The number of tanks in the section. A complete page is counted, because the total of the service is older. */
export const countOf = ({ data, next, total_items }: TankStatusPage): number =>
  next === null ? data.length : Math.max(data.length + 1, total_items);
