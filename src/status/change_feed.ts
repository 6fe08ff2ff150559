import { customerEtag, tankEtag } from '../catalog/etags.ts';
import {
  type CustomerObject,
  MANAGED_CUSTOMER_COLUMNS,
  MANAGED_TANK_COLUMNS,
  type ManagedTankObject,
} from '../catalog/v1_columns.ts';
import type { Reads, Statement } from '../db/readers.ts';
import { isUuid } from '../values/uuid7.ts';
import { decodeCursor, encodeCursor, InvalidCursorError } from './cursor.ts';
import { checkPosition, type FeedState, readFeedState } from './feed_state.ts';
import { beginFollowing, type FollowReadings, keepFollowing, waitForOlderTransactions } from './reading_followers.ts';

/** A changed object, as it is now. */
export interface Change<Kind extends string = string> {
  kind: Kind;
  id: string;
  /** Null if the object was deleted. */
  object: object | null;
}

export interface NumberedChange<Kind extends string> extends Change<Kind> {
  /** The same for all changes of a transaction. */
  number: string;
}

type ReadChanges<Kind extends string> = (
  readers: Reads,
  organizationNo: number,
  refs: readonly string[],
) => Promise<Map<string, Change<Kind>[]>>;

/** Reads an object as it is now. Null if it was deleted. */
type ReadOne = (readers: Reads, organizationNo: number, id: string) => Promise<object | null>;

/** A source of changes: their positions in the feed, and their objects. Cursors contain its index, so new sources come last. */
export interface FeedSource<Kind extends string = string> {
  kind: Kind;
  key: 'bigint' | 'uuid';
  /**
   * Selects `key` and `ref` as texts, `no` or `id` to sort by, and `change_number`, along an index: $1 organization, $2 the number
   * after which to continue, $3 the number of rows, $4 the first number of levels, and the given parameter the key with this number.
   */
  positions: (afterKey: string) => string;
  /** Changes by `ref`. */
  read: ReadChanges<Kind>;
  /** Reads the object of a message. Exactly one source of each kind has it. */
  readOne?: ReadOne;
  /** The days for which positions are kept. Absent if they are kept for ever. A reader that stays away longer misses changes. */
  keptDays?: number;
}

export interface ChangePage<Kind extends string> {
  changes: Change<Kind>[];
  /** The position after the last change. */
  next: string | null;
  hasMore: boolean;
}

/**
 * Positions along the index of changes of a table, below the first number that a running transaction may still use: see
 * `eventsAfter`. An object has one row, so its changes coalesce, and the first page of a new reader is the beginning of everything.
 */
export const alongIndex =
  (
    table: string,
    { key = 'no', ref = key, condition = '' }: { key?: 'no' | 'id'; ref?: string; condition?: string } = {},
  ) =>
  (afterKey: string): string =>
    `select ${key}::text as key, ${ref}::text as ref,
       ${key === 'no' ? 'no::bigint as no, null::uuid as id' : 'null::bigint as no, id'}, change_number
     from ${table}
     where organization_no = $1 ${condition} and (change_number, ${key}) > ($2::bigint, ${afterKey}::${key === 'no' ? 'bigint' : 'uuid'})
       and change_number < final_change_number($1)
     -- Sorted by the columns of the table, because the columns of the result have no index.
     order by ${table}.change_number, ${table}.${key} limit $3`;

/** A row of an item, with two columns that the interface does not show. */
type Found<Item> = Item & { ref: string; is_deleted: boolean };

/** Makes the object of the interface from a row. */
type MakeObject<Item> = (row: Item) => object;
const unchanged = (row: object): object => row;

/** Reads one object for each number. */
export const readByNumber =
  <Kind extends string, Item extends { id: string }>(
    kind: Kind,
    statement: Statement,
    toObject: MakeObject<Item> = unchanged,
  ): ReadChanges<Kind> =>
  async (readers, _organizationNo, refs) => {
    const rows = await readers.query<Found<Item>>(statement, [refs]);
    return new Map(rows.map((row) => [row.ref, [{ kind, id: row.id, object: row.is_deleted ? null : toObject(row) }]]));
  };

/** Reads one object by its id. */
export const readById =
  <Item extends object>(statement: Statement, toObject: MakeObject<Item> = unchanged): ReadOne =>
  async (readers, _organizationNo, id) => {
    const [row] = await readers.query<Found<Item>>(statement, [id]);
    if (row === undefined || row.is_deleted) return null;
    return Object.fromEntries(
      Object.entries(toObject(row)).filter(([name]) => name !== 'ref' && name !== 'is_deleted'),
    );
  };

const catalogSource = <Kind extends 'customer' | 'tank', Item extends { id: string }>(
  kind: Kind,
  columns: string,
  toObject: MakeObject<Item>,
): FeedSource<Kind> => {
  const sqlOf = (condition: string): string =>
    `select i.no::text as ref, i.deleted_at is not null as is_deleted, ${columns} from ${kind}s i where ${condition}`;
  return {
    kind,
    key: 'bigint',
    positions: alongIndex(`${kind}s`),
    read: readByNumber(kind, { name: `changed_${kind}s`, text: sqlOf('i.no = any ($1::int[])') }, toObject),
    readOne: readById({ name: `changed_${kind}`, text: sqlOf('i.id = $1::uuid') }, toObject),
  };
};
export const CUSTOMER_SOURCE = catalogSource('customer', MANAGED_CUSTOMER_COLUMNS, (row: CustomerObject) => ({
  ...row,
  etag: customerEtag(row),
}));
export const TANK_SOURCE = catalogSource('tank', MANAGED_TANK_COLUMNS, (row: ManagedTankObject) => ({
  ...row,
  etag: tankEtag(row),
}));
const DEFAULT_KINDS: readonly string[] = ['customer', 'tank'];

export interface SourcePosition {
  number: string | number;
  /** The index of the source. */
  source: number;
  key: string;
}

interface FeedPosition extends SourcePosition {
  /** The first number of levels that the reader gets. Levels that were stored earlier are the ones it begins with. */
  levelsFrom: string | number;
  /** When the reader last reached the end of the feed. */
  readMs: string | number;
}

interface FoundPosition {
  source: number;
  key: string;
  ref: string;
  change_number: string;
}

const BEFORE_ALL = { bigint: '-1', uuid: '00000000-0000-0000-0000-000000000000' } as const;
const AFTER_ALL = { bigint: '9223372036854775807', uuid: 'ffffffff-ffff-ffff-ffff-ffffffffffff' } as const;

export interface FeedRequest<Kind extends string> {
  sources: readonly FeedSource<Kind>[];
  /** The kinds that the reader chose. Undefined for customers and tanks, with the cursors of 0.3. */
  kinds: readonly Kind[] | undefined;
  after: string | undefined;
  size: number;
  follow: FollowReadings;
}

/**
 * Reads one page of the feed. It must be read on the primary, because a standby does not know which transactions run. Throws
 * HistoryChangedError and FeedExpiredError.
 */
export async function readChangeFeed<Kind extends string>(
  readers: Reads,
  organizationNo: number,
  { sources, kinds, after, size, follow }: FeedRequest<Kind>,
): Promise<ChangePage<Kind>> {
  const identity = JSON.stringify(['changes', organizationNo, ...(kinds ?? [])]);
  const state = await readFeedState(readers, organizationNo);
  const position = readPosition(state, identity, { sources, kinds, after });
  const hasLevels = kinds?.some((kind) => kind === 'level') ?? false;
  if (hasLevels && after === undefined) position.levelsFrom = await beginFollowing(state, follow);
  else if (hasLevels) await keepFollowing(state, follow);
  if (hasLevels && position.number === BEFORE_ALL.bigint) {
    const from = position.levelsFrom;
    if (!(await waitForOlderTransactions(readers, organizationNo, { state, from })))
      return { changes: [], next: encodePosition(state, position, kinds, identity), hasMore: false };
  }
  const { changes, last, hasMore } = await readChangesAfter(readers, organizationNo, {
    sources,
    kinds: kinds ?? DEFAULT_KINDS,
    position,
    size,
  });
  const next: FeedPosition = { ...position, ...last, ...(hasMore ? {} : { readMs: state.now_ms }) };
  return {
    changes,
    next: kinds === undefined && last === undefined ? (after ?? null) : encodePosition(state, next, kinds, identity),
    hasMore,
  };
}

/** The final changes after a position, each with its number, and the position of the last one; undefined if there is none. */
export async function readChangesAfter<Kind extends string>(
  readers: Reads,
  organizationNo: number,
  {
    sources,
    kinds,
    position,
    size,
  }: {
    sources: readonly FeedSource<Kind>[];
    kinds: readonly string[];
    position: SourcePosition & { levelsFrom?: string | number };
    size: number;
  },
): Promise<{ changes: NumberedChange<Kind>[]; last: SourcePosition | undefined; hasMore: boolean }> {
  const chosen = sources.flatMap((source, index) => (kinds.includes(source.kind) ? [{ source, index }] : []));
  const keys = chosen.map(({ source: { key }, index }) =>
    index === position.source ? position.key : (index < position.source ? AFTER_ALL : BEFORE_ALL)[key],
  );
  const rows = await readers.query<FoundPosition>(positionsOf(chosen), [
    organizationNo,
    position.number,
    size + 1,
    position.levelsFrom ?? 0,
    ...keys,
  ]);
  const page = rows.slice(0, size);
  const last = page.at(-1);
  return {
    changes: await readChanges(readers, organizationNo, chosen, page),
    last: last && { number: last.change_number, source: last.source, key: last.key },
    hasMore: rows.length > size,
  };
}

function readPosition(
  state: FeedState,
  identity: string,
  { sources, kinds, after }: Pick<FeedRequest<string>, 'sources' | 'kinds' | 'after'>,
): FeedPosition {
  const begin: FeedPosition = {
    number: '-1',
    source: -1,
    key: '',
    levelsFrom: state.final_number,
    readMs: state.now_ms,
  };
  if (after === undefined) return begin;
  if (kinds === undefined) {
    const [history = '', number = '', source, no] = decodeCursor(after, identity, ['bigint', 'bigint', 'int', 'int']);
    checkPosition(state, { history, readMs: state.now_ms });
    return { ...begin, number, source: Number(source), key: String(no) };
  }
  const [history = '', readMs = '', levelsFrom = '', number = '', source, key] = decodeCursor(after, identity, [
    'bigint',
    'unix_ms',
    'bigint',
    'text',
    'int',
    'text',
  ]);
  const keptDays = sources.flatMap((feedSource) =>
    kinds.includes(feedSource.kind) ? (feedSource.keptDays ?? []) : [],
  );
  checkPosition(state, {
    history,
    readMs,
    keptDays: keptDays.length === 0 ? Infinity : Math.min(...keptDays),
    ...(kinds.includes('level') && { from: levelsFrom }),
  });
  const position = { number, source: Number(source), key: String(key), levelsFrom, readMs };
  if (position.source === -1 && number === '-1') return position;
  const keyType = sources[position.source]?.key;
  const isNumber = (text: string | number): boolean => /^[0-9]{1,18}$/.test(String(text));
  const isKey = keyType === 'uuid' ? isUuid(position.key) : isNumber(position.key);
  if (keyType === undefined || !isNumber(number) || !isKey) throw new InvalidCursorError();
  return position;
}

const encodePosition = (
  { history }: FeedState,
  { number, source, key, levelsFrom, readMs }: FeedPosition,
  kinds: readonly string[] | undefined,
  identity: string,
): string =>
  encodeCursor(
    kinds === undefined ? [history, number, source, Number(key)] : [history, readMs, levelsFrom, number, source, key],
    identity,
  );

const positionsOf = (chosen: readonly { source: FeedSource; index: number }[]): Statement => ({
  text: `select source, key, ref, change_number::text as change_number
    from (${chosen
      .map(
        ({ source, index }, position) =>
          `(select ${index} as source, key, ref, no, id, change_number from (${source.positions(`$${position + 5}`)}) as of_source)`,
      )
      .join(' union all ')}) as changed
    -- Not all sources use $4, and PostgreSQL needs its type.
    where $4::bigint is not null
    order by changed.change_number, source, no, id limit $3`,
});

/**
 * Reads the objects of a page, each once. An object may be newer than its change number: it then comes again with its own number
 * on a later page.
 */
async function readChanges<Kind extends string>(
  readers: Reads,
  organizationNo: number,
  chosen: readonly { source: FeedSource<Kind>; index: number }[],
  page: readonly FoundPosition[],
): Promise<NumberedChange<Kind>[]> {
  const found = await Promise.all(
    chosen.map(async ({ source, index }) => {
      const refs = [...new Set(page.filter((row) => row.source === index).map(({ ref }) => ref))];
      return [index, refs.length === 0 ? undefined : await source.read(readers, organizationNo, refs)] as const;
    }),
  );
  const bySource = new Map(found);
  const changes = new Map<string, NumberedChange<Kind>>();
  for (const { source, ref, change_number } of page)
    for (const change of bySource.get(source)?.get(ref) ?? []) {
      changes.delete(`${change.kind} ${change.id}`);
      changes.set(`${change.kind} ${change.id}`, { ...change, number: change_number });
    }
  return [...changes.values()];
}
