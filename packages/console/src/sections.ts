import { SECTIONS, type TankStatus, type TankStatusPage } from '@tankwatch/client';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { fleet } from './api.ts';
import type { MarkName } from './parts/marks.tsx';

/** The sections of a day, the most urgent first. The service puts each tank into one. */
export { SECTIONS };
export type SectionName = NonNullable<TankStatus['section']>;

/** A tank that newly stands in one of them cannot wait until the viewer asks for the new order. */
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

/** All losses are shown; of the other sections about a screen, and the list of all has its own page. */
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

/** The stream tells of new losses and low tanks at once. Other sections follow within this time. */
const REFRESH_MS = 30_000;
export const SECTION_KEY = ['section'] as const;

/**
 * What a tank leaves for `handled` when somebody takes care of it. Each section is a read of its own: if `handled` were read
 * before them, a tank that moves between the two reads would be in neither.
 */
export const BEFORE_HANDLED: readonly SectionName[] = ['losing', 'low', 'gauge', 'silent_low'];

/** Waits until the reads that have begun are over, also those that fail. */
const answersOf = (client: QueryClient, names: readonly SectionName[]): Promise<unknown> =>
  Promise.allSettled(
    names.flatMap((name) => client.getQueryCache().find({ queryKey: [...SECTION_KEY, name] })?.promise ?? []),
  );

/** `ofOwner`: an owner is warned of a loss until it is over, also while somebody takes care of it. */
export const sectionQuery = (name: SectionName, ofOwner = false) =>
  queryOptions({
    queryKey: [...SECTION_KEY, name],
    queryFn: async ({ client, signal }): Promise<TankStatusPage> => {
      if (name === 'handled') await answersOf(client, BEFORE_HANDLED);
      const sort = name === 'refilled' ? '-last_refill' : 'urgency';
      const filter = ofOwner && name === 'losing' ? { status: name } : { section: name };
      return fleet.tanks({ ...filter, sort, size: ROWS[name] }, { signal });
    },
    refetchInterval: REFRESH_MS,
  });

/** The whole list of a section in the fleet. */
export const sectionHref = (name: SectionName): string =>
  `/fleet?section=${name}${name === 'refilled' ? '&sort=-last_refill' : ''}`;

/** The number of tanks in the section. What one page has is counted on it: it is newer than the count of the service. */
export const countOf = ({ data, next, total_items }: TankStatusPage): number =>
  next === null ? data.length : Math.max(data.length + 1, total_items);
