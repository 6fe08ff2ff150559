import { USE_CASES, type UseCase } from '../catalog/use_case.ts';
import type { Readers, Statement } from '../db/readers.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { type FleetSort, orderOf } from './fleet_order.ts';
import { likePattern } from './search_words.ts';
import {
  REFILLED_DAYS,
  STATUS_COLUMNS,
  STATUS_CONDITIONS,
  STATUS_JOINS,
  type TankStatusName,
  type TankStatusRow,
} from './status_object.ts';

/** Whose tanks: an organization's, or one customer's of it. */
export interface FleetScope {
  organizationNo: number;
  customerNo: number | null;
}

export interface FleetFilter {
  status?: TankStatusName;
  /** Tanks that reach their threshold within so many days, and those that are low. */
  withinDays?: number;
  useCase?: UseCase;
  city?: string;
  ownerId?: string;
  ids?: readonly string[];
  /** Folded words, each at least one character; see `searchWords`. */
  words?: readonly string[];
  near?: { latitude: number; longitude: number; km: number };
}

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

type PageRow = TankStatusRow & { sort_values: (string | number)[] };

/** More tanks, and more tanks of matching customers, are neither sorted nor counted: the words are too common. */
export const MAX_SEARCH_MATCHES = 1_000;

/** Collects the values of a statement. */
class Values {
  readonly list: unknown[] = [];
  add = (value: unknown, type: string): string => `$${this.list.push(value)}::${type}`;
}

/** The condition on rows `f` of fleet_tanks. The scope comes first in every statement. */
function conditionOf({ organizationNo, customerNo }: FleetScope, filter: FleetFilter, { add }: Values): string {
  const organization = add(organizationNo, 'int');
  const conditions = [`f.organization_no = ${organization}`];
  if (customerNo !== null) conditions.push(`f.owner_no = ${add(customerNo, 'int')}`);
  const { status, withinDays, useCase, city, ownerId, ids, words, near } = filter;
  if (status !== undefined) conditions.push(STATUS_CONDITIONS[status]);
  if (withinDays !== undefined)
    conditions.push(`f.threshold_on <= (now() at time zone 'UTC')::date + ${add(withinDays, 'int')}`);
  // Not a parameter: without its value PostgreSQL does not know that it may use the index of the rarer uses.
  const literalUse = USE_CASES.find((known) => known === useCase);
  if (literalUse !== undefined) conditions.push(`f.use_case = '${literalUse}'`);
  if (city !== undefined) conditions.push(`f.city = ${add(city, 'text')}`);
  if (ownerId !== undefined) {
    const owner = `select no from customers where organization_no = ${organization} and id = ${add(ownerId, 'uuid')}`;
    conditions.push(`f.owner_no = (${owner})`);
  }
  if (ids !== undefined) {
    const tanks = `select no from tanks where organization_no = ${organization} and id = any (${add(ids, 'uuid[]')})`;
    conditions.push(`f.tank_no in (${tanks})`);
  }
  if (words !== undefined) {
    // One condition per word: PostgreSQL uses no index for `like all`.
    const patterns = words.map((word) => add(likePattern(word), 'text'));
    const contains = (text: string): string => patterns.map((pattern) => `${text} like ${pattern}`).join(' and ');
    // Each part has a limit of its own, so that a word that most tanks contain stops after a few rows.
    conditions.push(`f.tank_no in (
      (
        select t.no from tanks t where t.organization_no = ${organization} and t.deleted_at is null
          and ${contains('tank_search_text(t.name, t.custom_id, t.assigned_device_id, t.city, t.postal_code)')}
        limit ${MAX_SEARCH_MATCHES}
      ) union all (
        select t.no from customers o join tanks t on t.owner_no = o.no and t.deleted_at is null
        where o.organization_no = ${organization} and o.deleted_at is null
          and ${contains('customer_search_text(o.name, o.email, o.phone, o.external_key)')}
        limit ${MAX_SEARCH_MATCHES}
      )
    )`);
  }
  if (near !== undefined) conditions.push(nearCondition(organization, near, add));
  return conditions.join(' and ');
}

const KM_PER_DEGREE = 111.2;

/** A box of latitudes and longitudes for the index, then the distance on a sphere. */
function nearCondition(
  organization: string,
  { latitude, longitude, km }: { latitude: number; longitude: number; km: number },
  add: Values['add'],
): string {
  const latitudes = km / KM_PER_DEGREE;
  const longitudes = Math.min(180, km / (KM_PER_DEGREE * Math.max(0.01, Math.cos((latitude * Math.PI) / 180))));
  const between = (column: string, middle: number, spread: number): string =>
    `${column} between ${add(middle - spread, 'float8')} and ${add(middle + spread, 'float8')}`;
  const [lat, lon] = [add(latitude, 'float8'), add(longitude, 'float8')];
  return `f.tank_no in (
    select t.no from tanks t
    where t.organization_no = ${organization} and t.deleted_at is null
      and t.latitude is not null and t.longitude is not null
      and ${between('t.latitude', latitude, latitudes)} and ${between('t.longitude', longitude, longitudes)}
      and 2 * 6371 * asin(sqrt(power(sind((t.latitude - ${lat}) / 2), 2)
        + cosd(${lat}) * cosd(t.latitude) * power(sind((t.longitude - ${lon}) / 2), 2))) <= ${add(km, 'float8')}
  )`;
}

/** One page of tanks in the order of `sort`, found by its first or last key: any page costs the same. */
export async function findTankPage(readers: Readers, request: PageRequest): Promise<TankPage> {
  const { scope, filter, sort, size, after, before } = request;
  const { rows: fleetRows, columns } = orderOf(sort);
  const names = columns.map(([name]) => `f.${name}`);
  const types = columns.map(([, type]) => type);
  const isBackwards = before !== undefined;
  const isDescending = sort.startsWith('-') !== isBackwards;

  const values = new Values();
  const condition = conditionOf(scope, filter, values);
  const cursor = after ?? before;
  const from = cursor === undefined ? null : decodeCursor(cursor, identity(request), types);
  const position =
    from === null
      ? ''
      : `and (${names.join(', ')}) ${isDescending ? '<' : '>'} (${from
          .map((value, at) => values.add(value, types[at] ?? 'text'))
          .join(', ')})`;
  const order = (row: string): string =>
    columns.map(([name]) => `${row}.${name} ${isDescending ? 'desc' : 'asc'}`).join(', ');
  const fleetTanks = {
    in_order: `${fleetRows} as f where ${condition} ${position}`,
    // `offset 0` keeps PostgreSQL from walking along the order of the list.
    all_first: `(select f.* from ${fleetRows} as f where ${condition} offset 0) as f where true ${position}`,
    by_refill_day: `${REFILL_DAYS} as day cross join lateral (
          select f.* from fleet_tanks f where ${condition} and f.refilled_on = day::date ${position}
          order by ${order('f')} limit ${size + 1}
        ) as f`,
  }[accessOf(request)];
  const statement: Statement = {
    // The limit is not a parameter: without its value PostgreSQL plans for a tenth of all tanks, and reads them all.
    text: `with page as materialized (
        select f.* from ${fleetTanks}
        order by ${order('f')} limit ${size + 1}
      )
      select ${STATUS_COLUMNS}, json_build_array(${names.join(', ')}) as sort_values
      from page f ${STATUS_JOINS}
      order by ${order('f')}`,
  };
  const found = await readers.query<PageRow>(statement, values.list);
  const rows = found.slice(0, size);
  if (isBackwards) rows.reverse();
  const hasMore = found.length > size;
  // All tanks may have moved away from a page since its cursor was made. Then the way back begins at that cursor, and
  // includes the tank that it was made from: the page on that side may still end with it.
  const emptyPagePosition = from && [...from.slice(0, -1), Number(from.at(-1)) + (isDescending ? -1 : 1)];
  const cursorAt = (row: PageRow | undefined): string | null => {
    const place = row?.sort_values ?? emptyPagePosition;
    return place === null ? null : encodeCursor(place, identity(request));
  };
  return {
    rows: rows.map(({ sort_values: _sortValues, ...row }) => row),
    next: hasMore || isBackwards ? cursorAt(rows.at(-1)) : null,
    previous: (isBackwards ? hasMore : after !== undefined) ? cursorAt(rows[0]) : null,
  };
}

/** Days of refills that count. A device whose clock is ahead may have seen one tomorrow. */
const REFILL_DAYS = `generate_series((now() at time zone 'UTC')::date - ${REFILLED_DAYS},
  (now() at time zone 'UTC')::date + 1, interval '1 day')`;

/**
 * How to find the tanks of a status. An index has those of a status in the order of urgency, and PostgreSQL knows nothing
 * of how a status depends on another order: it would look for low tanks among the fullest, through a million rows (1.6 s).
 * So in any other order all tanks of the status are read and sorted. Losing tanks are so few that this is always best.
 * Tanks that were refilled lately are the least urgent ones: those of each day are read by urgency, and merged.
 */
function accessOf({ scope, filter, sort }: PageRequest): 'in_order' | 'all_first' | 'by_refill_day' {
  const { status, withinDays } = filter;
  const isByUrgency = /^-?urgency$/.test(sort);
  if (status === 'losing') return 'all_first';
  if (status === 'refilled' && isByUrgency) {
    const isOnlyFilter = scope.customerNo === null && Object.keys(filter).length === 1;
    return isOnlyFilter ? 'by_refill_day' : 'in_order';
  }
  if (isByUrgency || (status === 'refilled' && sort.endsWith('last_refill'))) return 'in_order';
  return status === undefined && withinDays === undefined ? 'in_order' : 'all_first';
}

/** What a cursor belongs to: with another scope, filter or order, its position has no meaning. */
const identity = ({ scope, filter, sort }: PageRequest): string => JSON.stringify([scope, filter, sort]);

/** The number of tanks that match. Without a filter it is the sum of the exact counters. */
export async function countTanks(readers: Readers, scope: FleetScope, filter: FleetFilter): Promise<number> {
  const values = new Values();
  const isUnfiltered = Object.values(filter).every((value) => value === undefined);
  const text = isUnfiltered
    ? `select coalesce(sum(n), 0)::int as n from catalog_month_counters
       where list = ${values.add(scope.customerNo === null ? 'organization_tanks' : 'owner_tanks', 'catalog_list')}
         and scope_no = ${values.add(scope.customerNo ?? scope.organizationNo, 'int')}`
    : `select count(*)::int as n from fleet_tanks f where ${conditionOf(scope, filter, values)}`;
  const [row] = await readers.query<{ n: number }>({ text }, values.list);
  return row?.n ?? 0;
}
