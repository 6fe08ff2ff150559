import type { Readers, Statement } from '../db/readers.ts';
import { DAY_MS } from '../values/time.ts';
import { checkPosition, FOLLOWED_DAYS, readFeedState } from './change_feed.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

/** A new reader begins a day later than the oldest position that is accepted, so that it has a day for the first pages. */
export const BEGIN_DAYS = FOLLOWED_DAYS - 1;

export interface FeedReading {
  tank_id: string;
  custom_id: string | null;
  owner_id: string;
  external_key: string | null;
  created_at: string;
  fill_percentage: number;
  stored_at: string;
}

interface ReadingPage {
  readings: FeedReading[];
  next: string;
  hasMore: boolean;
}

/** Without its tank, the tank was deleted. */
type FeedRow = (FeedReading | { tank_id: null }) & { change_number: string; no: string; at: number; stored_ms: string };

/**
 * The next readings below the first number that a running transaction may still use: see `eventsAfter`. Late readings come like
 * all others, because the order is that of storing. A batch has a reading at least, and the first may have been read to its end, so
 * that `size + 1` readings are in the next `size + 1` batches: they are read along the primary key, and no more than needed.
 * Parameters: $1 organization, $2 to $4 the position: number, batch, place in it; $5 the number of rows; $6 where a new reader begins.
 */
const READINGS: Statement = {
  name: 'readings_after',
  text: `select r.change_number::text as change_number, r.no::text as no, r.at, round(date_part('epoch', r.stored_at) * 1000)::text as stored_ms,
      t.id as tank_id, t.custom_id, c.id as owner_id, c.external_key, r.created_at, r.level / 100.0::float8 as fill_percentage, r.stored_at
    from (
      select b.change_number, b.no, b.stored_at, i.at::int as at, i.tank_no, i.created_at, i.level
      from (
        select * from reading_batches
        where organization_no = $1 and (change_number, no) >= ($2::bigint, $3::bigint) and change_number < final_change_number($1)
          and stored_at > $6::timestamptz
        order by change_number, no limit $5 + 1
      ) as b
      cross join lateral unnest(b.tank_nos, b.times, b.levels) with ordinality as i (tank_no, created_at, level, at)
      where (b.change_number, b.no, i.at) > ($2::bigint, $3::bigint, $4::bigint)
      order by b.change_number, b.no, i.at limit $5
    ) as r
    left join tanks t on t.no = r.tank_no and t.deleted_at is null
    left join customers c on c.no = t.owner_no
    order by r.change_number, r.no, r.at`,
};

/** Throws HistoryChangedError and FeedExpiredError. Read it on the primary: a standby does not know which transactions run. */
export async function readReadingFeed(
  readers: Readers,
  organizationNo: number,
  { after, size }: { after: string | undefined; size: number },
): Promise<ReadingPage> {
  const identity = JSON.stringify(['readings', organizationNo]);
  const state = await readFeedState(readers, organizationNo);
  const { history, now_ms } = state;
  const [afterHistory = history, number = '0', no = '0', at = 0, readMs = now_ms] =
    after === undefined ? [] : decodeCursor(after, identity, ['bigint', 'bigint', 'bigint', 'int', 'unix_ms']);
  checkPosition(state, { history: afterHistory, readMs });
  const from = after === undefined ? new Date(Number(now_ms) - BEGIN_DAYS * DAY_MS).toISOString() : '-infinity';
  const rows = await readers.query<FeedRow>(READINGS, [organizationNo, number, no, at, size + 1, from]);
  const page = rows.slice(0, size);
  const last = page.at(-1) ?? { change_number: number, no, at, stored_ms: now_ms };
  const hasMore = rows.length > size;
  // A reader that has everything has it as of now, also if nothing was stored for a week.
  const position = [history, last.change_number, last.no, last.at, hasMore ? last.stored_ms : now_ms];
  return {
    readings: page.flatMap(({ change_number: _number, no: _no, at: _at, stored_ms: _ms, ...reading }) =>
      reading.tank_id === null ? [] : [reading],
    ),
    next: encodeCursor(position, identity),
    hasMore,
  };
}
