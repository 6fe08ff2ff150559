import type { Readers, Statement } from '../db/readers.ts';
import { cutPage, decodeCursor } from './cursor.ts';
import type { FleetScope } from './tank_filter.ts';
import {
  COUNTED_SOURCES,
  OWNER_KINDS,
  TIMELINE_KINDS,
  TIMELINE_SOURCES,
  type TimelineKind,
} from './timeline_sources.ts';

export interface TimelineRow {
  kind: TimelineKind;
  at: string;
  key: string;
  data: object;
}

type TimelineCounts = Record<TimelineKind, number>;

/**
 * The entries of a tank, newest first, by time and key. A tank has some hundred entries. Each kind is read by the index of its tank
 * and cut to a page, and then the kinds are merged. Parameters beside those of the sources: $3 and $4 the position before which to
 * continue, $5 the number of rows, $7 the kind or null.
 */
const pageStatement = (name: string, kinds: readonly TimelineKind[]): Statement => ({
  name,
  text: `select * from (${kinds
    .map(
      (kind) => `(select '${kind}' as kind, x.at, x.key, x.data from (${TIMELINE_SOURCES[kind]}) as x
        where ($7::text is null or $7 = '${kind}') and (x.at, x.key) < ($3::timestamptz, $4::text)
        order by x.at desc, x.key desc limit $5)`,
    )
    .join(' union all ')}) as entries
    order by at desc, key desc limit $5`,
});

const PAGES = {
  organization: pageStatement('timeline_page', TIMELINE_KINDS),
  owner: pageStatement('timeline_page_of_owner', OWNER_KINDS),
};

/** The numbers of entries of the whole history. $3 stands for $6 of the sources. */
const countStatement = (name: string, kinds: readonly TimelineKind[]): Statement => ({
  name,
  text: kinds
    .map(
      (kind) =>
        `select '${kind}' as kind, count(*)::int as n from (${COUNTED_SOURCES[kind].replaceAll('$6', '$3')}) as x`,
    )
    .join(' union all '),
});

const COUNTS = {
  organization: countStatement('timeline_counts', TIMELINE_KINDS),
  owner: countStatement('timeline_counts_of_owner', OWNER_KINDS),
};

export interface TimelinePage {
  rows: TimelineRow[];
  next: string | null;
}

/** One page of the timeline of a tank that the scope can see. */
export async function readTimelinePage(
  readers: Readers,
  scope: FleetScope,
  { tankNo, kind, after, size }: { tankNo: number; kind: TimelineKind | null; after: string | undefined; size: number },
): Promise<TimelinePage> {
  const identity = JSON.stringify(['timeline', scope, tankNo, kind]);
  const [beforeMs, beforeKey = ''] = after === undefined ? [] : decodeCursor(after, identity, ['unix_ms', 'text']);
  const isOrganization = scope.customerNo === null;
  const rows = await readers.query<TimelineRow>(PAGES[isOrganization ? 'organization' : 'owner'], [
    tankNo,
    scope.organizationNo,
    beforeMs === undefined ? 'infinity' : new Date(Number(beforeMs)).toISOString(),
    beforeKey,
    size + 1,
    isOrganization,
    kind,
  ]);
  const { page, next } = cutPage(rows, size, identity, ({ at, key }) => [String(Date.parse(at)), key]);
  return { rows: page, next };
}

export async function countTimeline(readers: Readers, scope: FleetScope, tankNo: number): Promise<TimelineCounts> {
  const isOrganization = scope.customerNo === null;
  const rows = await readers.query<{ kind: TimelineKind; n: number }>(
    COUNTS[isOrganization ? 'organization' : 'owner'],
    [tankNo, scope.organizationNo, isOrganization],
  );
  const countOf = (kind: TimelineKind): number => rows.find((row) => row.kind === kind)?.n ?? 0;
  return {
    level: countOf('level'),
    event: countOf('event'),
    mail: countOf('mail'),
    text: countOf('text'),
    act: countOf('act'),
    delivery: countOf('delivery'),
    note: countOf('note'),
  };
}
