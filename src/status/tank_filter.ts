import { USE_CASES, type UseCase } from '../catalog/use_case.ts';
import type { Readers } from '../db/readers.ts';
import { indexedSequences, likePattern } from './search_words.ts';
import { handledSetSql, isInSectionBySetsSql, isInSectionSql, isWithinDaysSql, type Section } from './sections.ts';
import { HAS_NEVER_REPORTED_SQL, STATUS_CONDITIONS, type TankStatusName } from './tank_statuses.ts';

/** The owner of the tanks that are read: an organization, or one of its customers. */
export interface FleetScope {
  organizationNo: number;
  customerNo: number | null;
}

interface Circle {
  latitude: number;
  longitude: number;
  km: number;
}

/** An area of a map, in degrees. */
export interface Box {
  west: number;
  south: number;
  east: number;
  north: number;
}

export interface FleetFilter {
  status?: TankStatusName;
  section?: Section;
  /** Selects only tanks without a reading so far. */
  reporting?: 'never';
  /** Selects only tanks without a sensor that need a dip. */
  dip?: 'wanted';
  /** Selects only tanks at or below their order threshold. */
  order?: 'due';
  /** Selects tanks that are low or reach their threshold within this many days. */
  withinDays?: number;
  useCase?: UseCase;
  city?: string;
  ownerId?: string;
  externalKey?: string;
  ids?: readonly string[];
  /** Folded words, each at least one character; see `searchWords`. */
  words?: readonly string[];
  /** The largest number of tanks that are found by `words`, before they are sorted. */
  maxMatches?: number;
  near?: Circle;
  box?: Box;
}

/** If more tanks than this are near a place or in an area, they are not read one by one. */
const MANY_NEAR = 5_000;

/** The largest number of tanks or customers with all words that are sorted or counted. */
const MAX_MATCHES = 1_000;

/** Collects the values of a statement. */
export class SqlValues {
  readonly list: unknown[] = [];
  add = (value: unknown, type: string): string => `$${this.list.push(value)}::${type}`;
}

type Add = SqlValues['add'];

/** Returns true if only the tanks of one customer can match. They are few, and there is an index by customer. */
export const matchesOneOwner = ({ customerNo }: FleetScope, { ownerId }: FleetFilter): boolean =>
  customerNo !== null || ownerId !== undefined;

/** Returns true if more than 5,000 tanks are near the place or in the area. Reading all tanks in order is faster then. */
export async function areManyNear(readers: Readers, scope: FleetScope, filter: FleetFilter): Promise<boolean> {
  if ((filter.near === undefined && filter.box === undefined) || matchesOneOwner(scope, filter)) return false;
  const values = new SqlValues();
  const placed = tanksPlaced(`organization_no = ${values.add(scope.organizationNo, 'int')}`, filter, values.add);
  const text = `select count(*)::int as n from (${placed} limit ${MANY_NEAR + 1}) as found`;
  const [row] = await readers.query<{ n: number }>({ text }, values.list);
  return (row?.n ?? 0) > MANY_NEAR;
}

/** Begins each statement with a condition of `conditionOf`. */
export const handledSetOf = ({ organizationNo }: FleetScope, { add }: SqlValues): string =>
  handledSetSql(add(organizationNo, 'int'));

/** SQL condition on rows `f` of fleet_tanks on the day `today`. The statement begins with `handledSetOf`. */
export function conditionOf(
  { organizationNo, customerNo }: FleetScope,
  filter: FleetFilter,
  { add }: SqlValues,
  { areManyNear: isWide, today, isCount = false }: { areManyNear: boolean; today: string; isCount?: boolean },
): string {
  const {
    status,
    section,
    reporting,
    dip,
    order,
    withinDays,
    useCase,
    city,
    ownerId,
    externalKey,
    ids,
    words,
    maxMatches,
    near,
    box,
  } = filter;
  const organization = `organization_no = ${add(organizationNo, 'int')}`;
  const owners = [
    ...(customerNo === null ? [] : [`owner_no = ${add(customerNo, 'int')}`]),
    ...(ownerId === undefined
      ? []
      : [`owner_no = (select no from customers where ${organization} and id = ${add(ownerId, 'uuid')})`]),
  ];
  const conditions = [organization, ...owners].map((condition) => `f.${condition}`);
  if (status !== undefined) conditions.push(STATUS_CONDITIONS[status]);
  if (reporting !== undefined) conditions.push(HAS_NEVER_REPORTED_SQL);
  if (order !== undefined) conditions.push('f.is_order_due');
  // Few tanks need a dip, and there is an index of them.
  if (dip !== undefined)
    conditions.push(
      `f.tank_no in (select e.tank_no from estimated_tanks e where e.${organization} and e.is_dip_wanted)`,
    );
  if (section !== undefined) {
    const day = (): string => add(today, 'date');
    const isBySets = isCount && owners.length === 0;
    const ofOwner = { isForOwner: customerNo !== null };
    conditions.push(
      isBySets ? isInSectionBySetsSql(section, day, organization) : isInSectionSql(section, day, ofOwner),
    );
  }
  if (withinDays !== undefined) conditions.push(isWithinDaysSql(add(today, 'date'), add(withinDays, 'int')));
  // The use is not a parameter, because without its value PostgreSQL does not know that it may use the index of the rarer uses.
  const literalUse = USE_CASES.find((known) => known === useCase);
  if (literalUse !== undefined) conditions.push(`f.use_case = '${literalUse}'`);
  if (city !== undefined) conditions.push(`f.city = ${add(city, 'text')}`);
  if (ids !== undefined) {
    const tanks = `select no from tanks where ${organization} and id = any (${add(ids, 'uuid[]')})`;
    conditions.push(`f.tank_no in (${tanks})`);
  }
  if (externalKey !== undefined) {
    const tank = `select no from tanks where ${organization} and external_key = ${add(externalKey, 'text')}`;
    conditions.push(`f.tank_no = (${tank})`);
  }
  const scope = [organization, ...owners].join(' and ');
  if (words !== undefined) {
    const matches =
      owners.length > 0
        ? ownTanksWith(scope, words, add)
        : findByWords('tanks', organizationNo, words, add, maxMatches);
    conditions.push(`f.tank_no in (${matches})`);
  }
  if (near !== undefined || box !== undefined) {
    const isNear = `f.tank_no in (${tanksPlaced(scope, filter, add, { areFew: owners.length > 0 })})`;
    // `coalesce` keeps PostgreSQL from joining the tanks near the place one by one: it hashes their numbers.
    conditions.push(isWide ? `coalesce(${isNear}, false)` : isNear);
  }
  return conditions.join(' and ');
}

/** Selects the numbers of tanks or customers of an organization with all words. */
export function findByWords(
  list: 'tanks' | 'customers',
  organizationNo: number,
  words: readonly string[],
  add: Add,
  maxMatches = MAX_MATCHES,
): string {
  const sequences = indexedSequences(words);
  return `select find_first_by_words('${list}', ${add(organizationNo, 'int')}, ${add(words.map(likePattern), 'text[]')},
    ${add(sequences.patterns, 'text[]')}, ${add(sequences.words, 'int[]')}, ${add(maxMatches, 'int')})`;
}

/** Compares all tanks of one owner, because the index of texts would first find the tanks of other owners. */
function ownTanksWith(scope: string, words: readonly string[], add: Add): string {
  const contains = words.map((word) => `x.text like ${add(likePattern(word), 'text')}`);
  return `select t.no from ${ownTanks(scope)} where ${contains.join(' and ')}`;
}

/** SQL after `from`: the tanks of an owner, as rows `t` of tanks and `x` of tank_texts. */
export const ownTanks = (
  scope: string,
): string => `(select no from tanks where ${scope} and deleted_at is null offset 0) as t
    cross join lateral (select text from tank_texts where no = t.no offset 0) as x`;

const KM_PER_DEGREE = 111.2;

/** Selects the tanks near the place and in the area of a filter. The index finds latitudes, and then the distance is computed. */
function tanksPlaced(
  scope: string,
  { near, box }: FleetFilter,
  add: Add,
  { areFew }: { areFew: boolean } = { areFew: false },
): string {
  const conditions = [
    ...(near === undefined ? [] : [isInside(boxAround(near), 't', add), isWithin(near, add)]),
    ...(box === undefined ? [] : [isInside(box, 't', add)]),
  ];
  // `offset 0`: the few tanks of an owner are found by their owner and not by their place.
  return `select t.no
    from (
      select no, latitude, longitude from tanks
      where ${scope} and deleted_at is null and latitude is not null and longitude is not null ${areFew ? 'offset 0' : ''}
    ) as t
    where ${conditions.join(' and ')}`;
}

/** SQL condition: a row of `tanks` is in an area. */
export function isInside({ west, south, east, north }: Box, row: string, add: Add): string {
  const [w, s, e, n] = [west, south, east, north].map((degrees) => add(degrees, 'float8'));
  return `${row}.latitude between ${s} and ${n} and ${row}.longitude between ${w} and ${e}`;
}

function boxAround({ latitude, longitude, km }: Circle): Box {
  const latitudes = km / KM_PER_DEGREE;
  const longitudes = Math.min(180, km / (KM_PER_DEGREE * Math.max(0.01, Math.cos((latitude * Math.PI) / 180))));
  return {
    west: longitude - longitudes,
    south: latitude - latitudes,
    east: longitude + longitudes,
    north: latitude + latitudes,
  };
}

/** SQL condition: the distance on a sphere is within the radius. */
function isWithin({ latitude, longitude, km }: Circle, add: Add): string {
  const [lat, lon] = [add(latitude, 'float8'), add(longitude, 'float8')];
  return `2 * 6371 * asin(sqrt(power(sind((t.latitude - ${lat}) / 2), 2)
      + cosd(${lat}) * cosd(t.latitude) * power(sind((t.longitude - ${lon}) / 2), 2))) <= ${add(km, 'float8')}`;
}
