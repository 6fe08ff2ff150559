import { onlyRow } from '../db/only_row.ts';
import { arrayLiteral } from '../db/pool.ts';
import type { Readers } from '../db/readers.ts';
import { decodeCursor, encodeCursor, InvalidCursorError, type SortType } from './cursor.ts';
import { type FleetSort, orderOf } from './fleet_order.ts';
import { organizationToday } from './organization_day.ts';
import { IS_LOSING_SQL } from './sections.ts';
import { dayKeySql, type NumberPiece, pieceSql } from './sorted_numbers.ts';
import { STATUSES_OF_TANKS, type TankStatusRow } from './status_rows.ts';
import {
  areManyNear,
  conditionOf,
  type FleetFilter,
  type FleetScope,
  handledSetOf,
  matchesOneOwner,
  SqlValues,
} from './tank_filter.ts';
import { REFILLED_DAYS } from './tank_statuses.ts';

export interface PageRequest {
  scope: FleetScope;
  filter: FleetFilter;
  sort: FleetSort;
  size: number;
  /** A cursor that an earlier page returned. */
  after?: string;
  before?: string;
}

export interface TankPage {
  rows: TankStatusRow[];
  next: string | null;
  previous: string | null;
}

type Position = (string | number)[];
/** The columns of the order, and the rank if losing tanks come first. */
type PageRow = { tank_no: number } & Record<string, string | number>;

/** The parts of the statement of a page that do not depend on its access path. */
interface PageParts {
  /** The table of the rows `f`. */
  rows: string;
  /** The condition on the rows `f`. */
  condition: string;
  /** The columns of the order. */
  keys: string;
  /** The position of the cursor, as a condition that begins with `and`; empty for the first page. */
  position: string;
  order: string;
  limit: number;
}

/** SQL: the days on which a refill counts. Tomorrow is one of them, because the clock of a device may be ahead. */
const REFILL_DAYS = `generate_series((now() at time zone 'UTC')::date - ${REFILLED_DAYS},
  (now() at time zone 'UTC')::date + 1, interval '1 day')`;

/** The access paths to the rows `f` of a page, as SQL after `from`. */
const ACCESS_PATHS = {
  /** Walks along the index of the order until the page is full. */
  inOrder: ({ rows, condition, position }: PageParts) => `${rows} as f where ${condition} ${position}`,
  /** Reads all tanks that match, and then sorts them. `offset 0` keeps PostgreSQL from walking along the index of the order. */
  allFirst: ({ rows, condition, position }: PageParts) =>
    `(select f.* from ${rows} as f where ${condition} offset 0) as f where true ${position}`,
  /**
   * Looks up each tank from the lowest level on until the page is full. Without `offset 0`, PostgreSQL joins and sorts all low
   * tanks, because it does not know that low tanks have the lowest levels.
   */
  alongLevels: ({ condition, position }: PageParts) => `(select * from fleet_levels join lateral (
      select * from fleet_tanks t
      where t.organization_no = fleet_levels.organization_no and t.tank_no = fleet_levels.tank_no offset 0
    ) as t using (organization_no, tank_no)) as f where ${condition} ${position}`,
  /** Reads the most urgent tanks of each day of refills, and then merges them. */
  byRefillDay: ({ condition, position, order, limit }: PageParts) => `${REFILL_DAYS} as day cross join lateral (
      select f.* from fleet_tanks f where ${condition} and f.refilled_on = day::date ${position}
      order by ${order} limit ${limit}
    ) as f`,
} satisfies Record<string, (parts: PageParts) => string>;

/**
 * Chooses the path that reads the fewest rows. Words, ids and a place select few tanks. There are indexes by owner and by
 * status in the order of urgency. PostgreSQL does not know how a status correlates with another order: it would search for
 * low tanks from the fullest tank on, through a million rows (1.6 s). Losing tanks are so few that all of them are read.
 * Recently refilled tanks are the least urgent ones.
 */
function accessPathOf(
  { scope, filter, sort }: PageRequest,
  { areManyNear: isWide }: { areManyNear: boolean },
): keyof typeof ACCESS_PATHS {
  const { status, section, withinDays, words, ids, near, box, dip } = filter;
  const isByUrgency = /^-?urgency$/.test(sort);
  const areFewSelected =
    words !== undefined || ids !== undefined || dip !== undefined || ((near ?? box) !== undefined && !isWide);
  if (areFewSelected || status === 'losing' || section === 'losing' || section === 'handled') return 'allFirst';
  if (matchesOneOwner(scope, filter)) return isByUrgency ? 'inOrder' : 'allFirst';
  // Nearly all tanks with the lowest levels are low.
  if (sort === 'level' && (status === 'low' || section === 'low')) return 'alongLevels';
  const areRefilled = status === 'refilled' || section === 'refilled';
  if (areRefilled && isByUrgency) return Object.keys(filter).length === 1 ? 'byRefillDay' : 'inOrder';
  if (isByUrgency || (areRefilled && sort.endsWith('last_refill'))) return 'inOrder';
  return status === undefined && section === undefined && withinDays === undefined ? 'inOrder' : 'allFirst';
}

/** The ranks of an order in which losing tanks come first. */
const RANKS = [
  { rank: 0, hasRank: IS_LOSING_SQL },
  { rank: 1, hasRank: `not ${IS_LOSING_SQL}` },
] as const;

const RANK_COLUMN: [string, SortType] = ['rank', 'smallint'];
/** The rows of an order in which losing tanks come first, with their ranks. */
const RANKED_ROWS = `(select f.*, case when ${IS_LOSING_SQL} then 0 else 1 end as rank from fleet_tanks f)`;

/** The ranks that tanks of this filter can have. A handled loss does not decide the section of its tank. */
const ranksOf = ({ status, section }: FleetFilter) => {
  if (status === 'losing' || section === 'losing') return [RANKS[0]];
  return section === 'due' || section === 'refilled' ? [RANKS[1]] : RANKS;
};

/** Reads what the condition of a filter depends on. */
async function readFacts(readers: Readers, scope: FleetScope, filter: FleetFilter) {
  const [isWide, today] = await Promise.all([
    areManyNear(readers, scope, filter),
    organizationToday(readers, scope.organizationNo),
  ]);
  return { areManyNear: isWide, today };
}

/** Reads one page of tanks in the order of `sort`. It starts at the position of the cursor, so that every page costs the same. */
export async function findTankPage(readers: Readers, request: PageRequest): Promise<TankPage> {
  const { scope, filter, sort, size, after, before } = request;
  const { rows, columns, areLosingFirst } = orderOf(sort);
  const types: SortType[] = [...(areLosingFirst ? (['smallint'] as const) : []), ...columns.map(([, type]) => type)];
  const isDescending = sort.startsWith('-') !== (before !== undefined);
  const cursor = after ?? before;
  const from = cursor === undefined ? null : decodeCursor(cursor, identity(request), types);
  const facts = await readFacts(readers, scope, filter);
  const path = accessPathOf(request, facts);
  const ranks = areLosingFirst ? ranksOf(filter) : [];
  if (areLosingFirst && from !== null && ranks.every(({ rank }) => rank !== from[0])) throw new InvalidCursorError();
  // If all matching tanks are read anyway, the rank is one more column: two parts would search for the same words twice.
  const areRanksApart = areLosingFirst && path !== 'allFirst';
  const ordered: [string, SortType][] = areLosingFirst && !areRanksApart ? [RANK_COLUMN, ...columns] : columns;
  const values = new SqlValues();
  const condition = conditionOf(scope, filter, values, facts);
  const keys = ordered.map(([name]) => `f.${name}`).join(', ');
  const fromKeys = areRanksApart ? from?.slice(1) : from;
  const position = fromKeys?.map((value, index) => values.add(value, ordered[index]?.[1] ?? 'text')).join(', ');
  const afterPosition = position === undefined ? '' : `and (${keys}) ${isDescending ? '<' : '>'} (${position})`;
  const parts = {
    rows: areLosingFirst && !areRanksApart ? RANKED_ROWS : rows,
    condition,
    keys,
    position: afterPosition,
    order: ordered.map(([name]) => `f.${name} ${isDescending ? 'desc' : 'asc'}`).join(', '),
    // The limit is not a parameter, because without its value PostgreSQL plans for a tenth of all tanks and reads them all.
    limit: size + 1,
  };
  const found = areRanksApart
    ? inRanks(path, parts, { ranks, fromRank: from?.[0], isDescending })
    : `${ACCESS_PATHS[path](parts)} order by ${parts.order} limit ${parts.limit}`;
  // Dates are selected as texts, because the driver would convert them to times.
  const selected = columns.map(([name, type]) => (type === 'date' ? `f.${name}::text` : `f.${name}`));
  const text = `${handledSetOf(scope, values)}
    select ${[...(areLosingFirst ? ['f.rank'] : []), ...selected].join(', ')} from ${found}`;
  const { shown, ...page } = pageOf(await readers.query<PageRow>({ text }, values.list), request, from, isDescending);
  const tankNos = shown.map(({ tank_no }) => tank_no);
  return { rows: await readStatuses(readers, scope, tankNos, facts.today), ...page };
}

/** The statuses of tanks by their numbers, in this order. Tanks that are no longer in the scope are left out. */
export async function readStatuses(
  readers: Readers,
  scope: FleetScope,
  tankNos: readonly number[],
  today?: string,
): Promise<TankStatusRow[]> {
  if (tankNos.length === 0) return [];
  return readers.query<TankStatusRow>(STATUSES_OF_TANKS, [
    scope.organizationNo,
    scope.customerNo,
    arrayLiteral(tankNos),
    today ?? (await organizationToday(readers, scope.organizationNo)),
  ]);
}

/**
 * Reads one piece of the numbers of all tanks that match, with their urgency. An export that pages through a list by urgency would miss
 * tanks that become urgent meanwhile. The piece is one text, because the driver would parse a row for each tank without a pause.
 */
export async function findTankPiece(
  readers: Readers,
  scope: FleetScope,
  filter: FleetFilter,
  after: number,
): Promise<NumberPiece> {
  const facts = await readFacts(readers, scope, filter);
  const values = new SqlValues();
  const condition = conditionOf(scope, filter, values, facts);
  const key = `(f.rank::bigint * 1048576 + ${dayKeySql('f.threshold_on')}) * 1048576 + ${dayKeySql('f.empty_on')}`;
  const text = `${handledSetOf(scope, values)} ${pieceSql(
    (end) => `select f.tank_no, ${key} as key from ${RANKED_ROWS} as f
      where ${condition} and f.tank_no > ${values.add(after, 'int')} ${end}`,
  )}`;
  return onlyRow(await readers.query<NumberPiece>({ text }, values.list));
}

/**
 * SQL after `from`: losing tanks and then the others, or the reverse. Losing tanks are so few that all of them are read and
 * sorted. A page that begins after them reads none.
 */
function inRanks(
  path: keyof typeof ACCESS_PATHS,
  { keys, position, condition, ...parts }: PageParts,
  {
    ranks,
    fromRank,
    isDescending,
  }: { ranks: ReturnType<typeof ranksOf>; fromRank: string | number | undefined; isDescending: boolean },
): string {
  const direction = isDescending ? 'desc' : 'asc';
  const isPassed = (rank: number): boolean =>
    fromRank !== undefined && (isDescending ? rank > Number(fromRank) : rank < Number(fromRank));
  const rows = ranks
    .filter(({ rank }) => !isPassed(rank))
    .map(({ rank, hasRank }) => {
      const ofRank = {
        ...parts,
        keys,
        condition: `${condition} and ${hasRank}`,
        position: rank === fromRank ? position : '',
      };
      const found = ACCESS_PATHS[rank === 0 ? 'allFirst' : path](ofRank);
      return `(select ${keys}, ${rank} as rank from ${found} order by ${parts.order} limit ${parts.limit})`;
    });
  return `(${rows.join(' union all ')}) as f order by f.rank ${direction}, ${parts.order} limit ${parts.limit}`;
}

/** The tanks of a page, and the cursors to the next and the previous page. `found` has one more row if there is another page. */
function pageOf(
  found: readonly PageRow[],
  request: PageRequest,
  from: Position | null,
  isDescending: boolean,
): Pick<TankPage, 'next' | 'previous'> & { shown: PageRow[] } {
  const { sort, size, after, before } = request;
  const isBackwards = before !== undefined;
  const shown = isBackwards ? found.slice(0, size).toReversed() : found.slice(0, size);
  const hasMore = found.length > size;
  // The page can be empty because its tanks moved after the cursor was made. The cursor for going back then starts at
  // the same position and includes the tank at that position, which may be the last row of the previous page.
  const emptyPagePosition = from && [...from.slice(0, -1), Number(from.at(-1)) + (isDescending ? -1 : 1)];
  const cursorAt = (row: PageRow | undefined): string | null => {
    const place = row === undefined ? emptyPagePosition : positionOf(row, sort);
    return place === null ? null : encodeCursor(place, identity(request));
  };
  return {
    shown,
    next: hasMore || isBackwards ? cursorAt(shown.at(-1)) : null,
    previous: (isBackwards ? hasMore : after !== undefined) ? cursorAt(shown[0]) : null,
  };
}

function positionOf(row: PageRow, sort: FleetSort): Position {
  const { columns, areLosingFirst } = orderOf(sort);
  return [...(areLosingFirst ? ['rank'] : []), ...columns.map(([name]) => name)].flatMap((name) => row[name] ?? []);
}

/** The identity of the list of a cursor. With another scope, filter or order, the position of the cursor has no meaning. */
const identity = ({ scope, filter, sort }: PageRequest): string => JSON.stringify([scope, filter, sort]);

/** Counts the tanks that match. Without a filter, the count is the sum of exact counters. */
export async function countTanks(readers: Readers, scope: FleetScope, filter: FleetFilter): Promise<number> {
  const isUnfiltered = Object.values(filter).every((value) => value === undefined);
  const isOnlyNeverReported =
    scope.customerNo === null && filter.reporting !== undefined && Object.keys(filter).length === 1;
  const facts = await readFacts(readers, scope, filter);
  const values = new SqlValues();
  const countSql = (): string => {
    if (isUnfiltered)
      return `select coalesce(sum(n), 0)::int as n from catalog_month_counters
        where list = ${values.add(scope.customerNo === null ? 'organization_tanks' : 'owner_tanks', 'catalog_list')}
          and scope_no = ${values.add(scope.customerNo ?? scope.organizationNo, 'int')}`;
    if (isOnlyNeverReported)
      return `select count(*)::int as n from fleet_levels
        where organization_no = ${values.add(scope.organizationNo, 'int')} and latest_on = '-infinity'`;
    return `${handledSetOf(scope, values)}
      select count(*)::int as n from fleet_tanks f
      where ${conditionOf(scope, filter, values, { ...facts, isCount: true })}`;
  };
  const [row] = await readers.query<{ n: number }>({ text: countSql() }, values.list);
  return row?.n ?? 0;
}
