import { onlyRow } from '../db/only_row.ts';
import type { Reads, Statement } from '../db/readers.ts';
import { DAY_MS } from '../values/time.ts';

/** Thrown if the database was restored from a backup, because changes that the reader has seen may no longer exist. */
export class HistoryChangedError extends Error {}
/** Thrown if the reader was away for longer than the positions in the feed are kept. */
export class FeedExpiredError extends Error {}

/** Positions of readings and levels are kept for this many days. */
export const FOLLOWED_DAYS = 7;
/** Removals of objects whose rows are deleted are kept for this many days. */
export const REMOVAL_DAYS = 90;

export interface FeedState {
  /** A number that changes when the database is restored from a backup. */
  history: string;
  now_ms: string;
  /** No running transaction can add a change below it. */
  final_number: string;
  /** From this change on, no reading is missing in the feed. Null if no reader follows readings. */
  complete_from: string | null;
  /** True if a reader followed readings or levels within the last hour. */
  is_followed: boolean;
}

const STATE: Statement = {
  name: 'feed_state',
  text: `select history::text as history, (date_part('epoch', now()) * 1000)::bigint::text as now_ms,
      final_change_number($1)::text as final_number, f.complete_from::text as complete_from,
      coalesce(f.asked_at > now() - interval '1 hour', false) as is_followed
    from change_epochs left join reading_followers f on f.organization_no = $1`,
};

export const readFeedState = async (readers: Reads, organizationNo: number): Promise<FeedState> =>
  onlyRow(await readers.query<FeedState>(STATE, [organizationNo]));

interface CheckedPosition {
  history: string | number;
  /** When the reader last reached the end of the feed. */
  readMs: string | number;
  keptDays?: number;
  /** The change number at which a reader of readings or levels began. */
  from?: string | number;
}

/** Checks that a reader can continue at a position. Throws HistoryChangedError and FeedExpiredError. */
export function checkPosition({ history, now_ms, complete_from }: FeedState, position: CheckedPosition): void {
  const { readMs, keptDays = FOLLOWED_DAYS, from } = position;
  if (position.history !== history) throw new HistoryChangedError();
  if (Number(readMs) < Number(now_ms) - keptDays * DAY_MS) throw new FeedExpiredError();
  // Following has ended and may have begun again. Readings that were stored in between are not in the feed.
  if (from !== undefined && (complete_from === null || BigInt(from) < BigInt(complete_from)))
    throw new FeedExpiredError();
}
