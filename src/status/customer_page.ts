import { CUSTOMER_COLUMNS } from '../catalog/v1_columns.ts';
import type { Readers } from '../db/readers.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { likePattern } from './search_words.ts';
import { type FleetScope, findByWords, SqlValues } from './tank_filter.ts';
import { STATUS_CONDITIONS, TANK_STATUSES, type TankStatusName } from './tank_statuses.ts';

/** The statuses of a customer's tanks that need attention, the most important first. A refilled tank needs none. */
export const CUSTOMER_STATUSES: readonly TankStatusName[] = TANK_STATUSES.filter((name) => name !== 'refilled');

/** The worst status of a customer comes from this many tanks, the most urgent ones. Only a loss counts for every tank. */
const MAX_TANKS_PER_CUSTOMER = 500;

/** The columns of a row `i` of customers. The statement has the CTE `losing`. */
const COLUMNS = `${CUSTOMER_COLUMNS}, i.external_key,
  (select u.at from reminder_unsubscribes u where u.customer_no = i.no) as reminders_off_since,
  case when i.no in (select owner_no from losing) then 'losing' else (
    select case ${CUSTOMER_STATUSES.map((name) => `when bool_or(${STATUS_CONDITIONS[name]}) then '${name}'`).join(' ')} end
    from (
      select * from fleet_tanks where owner_no = i.no order by threshold_on, empty_on, tank_no limit ${MAX_TANKS_PER_CUSTOMER}
    ) as f
  ) end as worst_status`;

/**
 * The owners of losing tanks. An index finds these tanks, which need not be among the most urgent ones. If the caller is
 * an owner, only the owner's tanks are read.
 */
const losingOwners = ({ organizationNo, customerNo }: FleetScope, { add }: SqlValues): string => {
  const scope =
    customerNo === null
      ? `f.organization_no = ${add(organizationNo, 'int')}`
      : `f.owner_no = ${add(customerNo, 'int')}`;
  return `losing as materialized (select f.owner_no from fleet_tanks f where ${scope} and ${STATUS_CONDITIONS.losing})`;
};

export interface CustomerFilter {
  words?: readonly string[];
  /** The largest number of customers that are found by `words`, before they are sorted. */
  maxMatches?: number;
  externalKey?: string;
}

interface CustomerPageRequest {
  scope: FleetScope;
  filter: CustomerFilter;
  size: number;
  /** A cursor that an earlier page returned. */
  after?: string | undefined;
  before?: string | undefined;
}

interface CustomerPage {
  customers: { id: string }[];
  next: string | null;
  previous: string | null;
}

type Position = readonly (string | number)[];
type PageRow = { id: string; sort_values: [string, number] };

/**
 * SQL after `from`: the live customers of the scope and the filter, as rows `x` of customer_texts, which has an index by name.
 * Matches of words are found before they are sorted (`offset 0`). Otherwise PostgreSQL would walk the index by name, and read all
 * customers to find one match.
 */
function customersOf({ organizationNo, customerNo }: FleetScope, filter: CustomerFilter, { add }: SqlValues): string {
  const { words, maxMatches, externalKey } = filter;
  const conditions = [`x.organization_no::bigint = ${add(organizationNo, 'bigint')}`];
  if (customerNo !== null) conditions.push(`x.no = ${add(customerNo, 'int')}`);
  if (externalKey !== undefined)
    conditions.push(
      `x.no = (select no from customers where organization_no = ${add(organizationNo, 'int')}
         and external_key = ${add(externalKey, 'text')})`,
    );
  // An owner is found by its number, because the index of texts would first find the other customers.
  if (words !== undefined && customerNo === null)
    conditions.push(`x.no in (${findByWords('customers', organizationNo, words, add, maxMatches)})`);
  if (words !== undefined && customerNo !== null)
    conditions.push(...words.map((word) => `x.text like ${add(likePattern(word), 'text')}`));
  const rows = `customer_texts x where ${conditions.join(' and ')}`;
  return words === undefined ? rows : `(select x.* from ${rows} offset 0) as x where true`;
}

/** Reads one page of customers by name. It starts at the position of the cursor, so that every page costs the same. */
export async function findCustomerPage(readers: Readers, request: CustomerPageRequest): Promise<CustomerPage> {
  const { scope, filter, size, after, before } = request;
  const identity = JSON.stringify(['customers', scope, filter]);
  const cursor = after ?? before;
  const from = cursor === undefined ? null : decodeCursor(cursor, identity, ['text', 'int']);
  const isBackwards = before !== undefined;
  const direction = isBackwards ? 'desc' : 'asc';
  const values = new SqlValues();
  const rows = customersOf(scope, filter, values);
  const position =
    from === null
      ? ''
      : `and (x.sort_name, x.no) ${isBackwards ? '<' : '>'} (${values.add(from[0], 'text')}, ${values.add(from[1], 'int')})`;
  // The limit is not a parameter, because without its value PostgreSQL plans for a tenth of all customers and sorts them.
  const text = `with ${losingOwners(scope, values)}, page as materialized (
      select x.no, x.sort_name from ${rows} ${position}
      order by x.sort_name ${direction}, x.no ${direction} limit ${size + 1}
    )
    select ${COLUMNS}, json_build_array(p.sort_name, p.no) as sort_values
    from page p join customers i on i.no = p.no order by p.sort_name ${direction}, p.no ${direction}`;
  const found = await readers.query<PageRow>({ text }, values.list);
  const shown = isBackwards ? found.slice(0, size).toReversed() : found.slice(0, size);
  const hasMore = found.length > size;
  const cursorAt = (place: Position | null | undefined): string | null =>
    place === null || place === undefined ? null : encodeCursor(place, identity);
  return {
    customers: shown.map(({ sort_values: _sortValues, ...customer }) => customer),
    next: hasMore || isBackwards ? cursorAt(shown.at(-1)?.sort_values ?? from) : null,
    previous: (isBackwards ? hasMore : after !== undefined) ? cursorAt(shown[0]?.sort_values ?? from) : null,
  };
}

/** The number of customers that match. Without a filter it is the sum of the exact counters. */
export async function countCustomers(readers: Readers, scope: FleetScope, filter: CustomerFilter): Promise<number> {
  const values = new SqlValues();
  const isWhole = scope.customerNo === null && filter.words === undefined && filter.externalKey === undefined;
  const text = isWhole
    ? `select coalesce(sum(n), 0)::int as n from catalog_month_counters
       where list = 'organization_customers' and scope_no = ${values.add(scope.organizationNo, 'int')}`
    : `select count(*)::int as n from ${customersOf(scope, filter, values)}`;
  const [row] = await readers.query<{ n: number }>({ text }, values.list);
  return row?.n ?? 0;
}
