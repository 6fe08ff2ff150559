import type { Readers, Statement } from '../db/readers.ts';
import { DAY_MS } from '../values/time.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { checkPosition, type FeedState, FOLLOWED_DAYS, readFeedState } from './feed_state.ts';
import { beginFollowing, type FollowReadings, keepFollowing, waitForOlderTransactions } from './reading_followers.ts';

/** A new reader begins with the readings of this many days. */
export const BEGIN_DAYS = FOLLOWED_DAYS - 1;

export interface FeedReading {
  tank_id: string;
  custom_id: string | null;
  owner_id: string;
  external_key: string | null;
  created_at: string;
  fill_percentage: number;
  stored_at: string | null;
}

interface ReadingPage {
  readings: FeedReading[];
  next: string;
  hasMore: boolean;
}

/** The key of a row, by which rows are ordered. */
interface RowKey {
  /** The change number of a new reading. STORED for the stored readings with which a reader begins. */
  number: string;
  /** The number of the batch of a new reading, or the number of the tank of a stored one. */
  no: string;
  /** The index of a new reading in its batch, or the time of a stored one. */
  at: string;
}

interface Position extends RowKey {
  history: string;
  /** When the reader last reached the end of the feed, or when it began. */
  readMs: string;
  /** The first number of new readings. */
  from: string;
}

/** `tank_id` is null if the tank was deleted. */
type FeedRow = (FeedReading | { tank_id: null }) & RowKey & { stored_ms: string | null; comes_later: boolean };

/** The change number of the stored readings with which a reader begins. No change has this number. */
const STORED = '0';
/** A reader must read the stored readings within this many days. */
const STORED_DAYS = 1;

/**
 * Looks up each tank of a page once, and not for each of its readings: a lookup reads 8 buffers. With a plain join, and without
 * statistics, PostgreSQL would read all tanks for each pair of a reading and a tank.
 */
const TANKS_OF_PAGE = `tanks_of_page as materialized (
      select t.* from (select distinct tank_no from page) as d
      cross join lateral (
        select t.no, t.id, t.custom_id, c.id as owner_id, c.external_key
        from tanks t join customers c on c.no = t.owner_no where t.no = d.tank_no and t.deleted_at is null limit 1
      ) as t
    )`;

/**
 * Stored readings by tank and time. Readings that will come again as new readings are marked: a reading and its batch become visible
 * at the same moment. The readings of the last days are never packed. Each selected tank has at least one more reading, except the
 * tank of the position, so `$5 + 1` tanks are enough. Parameters: $1 organization, $2 the first number of new readings, $3 and $4 the
 * position: tank, time; $5 the number of rows; $6 the time at which to begin.
 */
const STORED_READINGS: Statement = {
  name: 'stored_readings_after',
  text: `with new_readings as materialized (
      select i.tank_no, i.created_at from reading_batches b cross join lateral unnest(b.tank_nos, b.times) as i (tank_no, created_at)
      where b.organization_no = $1 and b.change_number >= $2::bigint
    ), page as materialized (
      select f.tank_no, r.created_at, r.fill_percentage
      from (
        select f.tank_no from fleet_tanks f
        where f.organization_no = $1 and f.tank_no >= $3::bigint
          -- With a join, PostgreSQL would merge the states of all organizations up to the last tank of this one.
          and (select s.latest_at > $6::timestamptz from tank_states s where s.tank_no = f.tank_no)
        order by f.organization_no, f.tank_no limit $5 + 1
      ) as f
      cross join lateral (
        select created_at, fill_percentage from telemetry
        where tank_no = f.tank_no and created_at > $6::timestamptz
          and (f.tank_no > $3::bigint or created_at > to_timestamp($4::bigint / 1000.0))
        order by created_at limit $5
      ) as r
      order by f.tank_no, r.created_at limit $5
    ), ${TANKS_OF_PAGE}
    select '${STORED}' as number, r.tank_no::text as no, round(date_part('epoch', r.created_at) * 1000)::text as at,
      t.id as tank_id, t.custom_id, t.owner_id, t.external_key, r.created_at, r.fill_percentage, null as stored_at, null as stored_ms,
      (r.tank_no, r.created_at) in (select tank_no, created_at from new_readings) as comes_later
    from page r left join tanks_of_page t on t.no = r.tank_no
    order by r.tank_no, r.created_at`,
};

/**
 * The next readings below the first number that a running transaction may still use: see `eventsAfter`. They come in the order in
 * which they were stored, so late readings come like all others. Each batch has at least one more reading, except the batch of the
 * position, so `$5 + 1` batches are enough. They are read along the primary key.
 * Parameters: $1 organization, $2 to $4 the position: number, batch, index in it; $5 the number of rows.
 */
const NEW_READINGS: Statement = {
  name: 'readings_after',
  text: `with page as materialized (
      select b.change_number, b.no, b.stored_at, i.at, i.tank_no, i.created_at, i.level
      from (
        select * from reading_batches
        where organization_no = $1 and (change_number, no) >= ($2::bigint, $3::bigint) and change_number < final_change_number($1)
        order by change_number, no limit $5 + 1
      ) as b
      cross join lateral unnest(b.tank_nos, b.times, b.levels) with ordinality as i (tank_no, created_at, level, at)
      where (b.change_number, b.no, i.at) > ($2::bigint, $3::bigint, $4::bigint)
      order by b.change_number, b.no, i.at limit $5
    ), ${TANKS_OF_PAGE}
    select r.change_number::text as number, r.no::text as no, r.at::text as at, round(date_part('epoch', r.stored_at) * 1000)::text as stored_ms,
      t.id as tank_id, t.custom_id, t.owner_id, t.external_key, r.created_at, r.level / 100.0::float8 as fill_percentage, r.stored_at,
      false as comes_later
    from page r left join tanks_of_page t on t.no = r.tank_no
    order by r.change_number, r.no, r.at`,
};

/**
 * Reads one page of readings. It must be read on the primary, because a standby does not know which transactions run. Throws
 * HistoryChangedError and FeedExpiredError.
 */
export async function readReadingFeed(
  readers: Readers,
  organizationNo: number,
  { after, size, follow }: { after: string | undefined; size: number; follow: FollowReadings },
): Promise<ReadingPage> {
  const identity = JSON.stringify(['readings', organizationNo]);
  const state = await readFeedState(readers, organizationNo);
  const position = after === undefined ? await beginPosition(state, follow) : readPosition(after, identity);
  if (after !== undefined) {
    // The time for stored readings is short, because each page compares them with all readings since the reader began.
    checkPosition(state, position.number === STORED ? { ...position, keptDays: STORED_DAYS } : position);
    await keepFollowing(state, follow);
  }
  const isBeginning = position.number === STORED;
  const canRead =
    !isBeginning || (await waitForOlderTransactions(readers, organizationNo, { state, from: position.from }));
  const rows = canRead ? await readRows(readers, organizationNo, position, size + 1) : [];
  const page = rows.slice(0, size);
  const hasMoreRows = rows.length > size;
  const next: Position = { ...position, ...lastOf(page) };
  if (!isBeginning) next.readMs = hasMoreRows ? (page.at(-1)?.stored_ms ?? state.now_ms) : state.now_ms;
  // After the stored readings, the reader continues with the readings that were stored since it began.
  else if (canRead && !hasMoreRows) Object.assign(next, { number: position.from, no: '0', at: '0' });
  return {
    readings: page.flatMap(({ number: _number, no: _no, at: _at, stored_ms: _ms, comes_later, ...reading }) =>
      reading.tank_id === null || comes_later ? [] : [reading],
    ),
    next: encodeCursor([next.history, next.readMs, next.from, next.number, next.no, next.at], identity),
    hasMore: hasMoreRows || (isBeginning && canRead),
  };
}

const beginPosition = async (state: FeedState, follow: FollowReadings): Promise<Position> => ({
  history: state.history,
  readMs: state.now_ms,
  from: await beginFollowing(state, follow),
  number: STORED,
  no: '0',
  at: '0',
});

function readPosition(after: string, identity: string): Position {
  const types = ['bigint', 'unix_ms', 'bigint', 'bigint', 'bigint', 'unix_ms'] as const;
  const [history = '', readMs = '', from = '', number = '', no = '', at = ''] = decodeCursor(
    after,
    identity,
    types,
  ).map(String);
  return { history, readMs, from, number, no, at };
}

const readRows = (readers: Readers, organizationNo: number, position: Position, rows: number): Promise<FeedRow[]> =>
  position.number === STORED
    ? readers.query<FeedRow>(STORED_READINGS, [
        organizationNo,
        position.from,
        position.no,
        position.at,
        rows,
        new Date(Number(position.readMs) - BEGIN_DAYS * DAY_MS).toISOString(),
      ])
    : readers.query<FeedRow>(NEW_READINGS, [organizationNo, position.number, position.no, position.at, rows]);

function lastOf(page: readonly FeedRow[]): RowKey | undefined {
  const last = page.at(-1);
  return last && { number: last.number, no: last.no, at: last.at };
}
