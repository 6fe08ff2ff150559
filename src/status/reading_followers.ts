import { setTimeout as sleep } from 'node:timers/promises';
import type { AccessWriters } from '../db/access_writers.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Reads, Statement } from '../db/readers.ts';
import { type FeedState, readFeedState } from './feed_state.ts';

/**
 * Records that the organization of the caller follows its readings. Returns the change number from which they are complete; null
 * at the first call.
 */
export type FollowReadings = () => Promise<string | null>;

const FOLLOW: Statement = { name: 'follow_readings', text: 'select follow_readings($1)::text as complete_from' };

export async function followReadings(writers: AccessWriters, organizationNo: number): Promise<string | null> {
  return onlyRow(await writers.query<{ complete_from: string | null }>(FOLLOW, [organizationNo])).complete_from;
}

/** Repeats the record of `follow` at most once an hour. Writers store readings for the feed only for organizations that follow. */
export async function keepFollowing({ is_followed }: FeedState, follow: FollowReadings): Promise<void> {
  if (!is_followed) await follow();
}

/**
 * Returns the change number with which the new readings of a new reader begin: all readings from it on are in reading_batches. A
 * transaction locks its tanks, which gives it its number, before it checks whether its organization follows. A transaction that did
 * not see the row therefore has a lower number than one that began after the row was committed.
 */
export async function beginFollowing(state: FeedState, follow: FollowReadings): Promise<string> {
  const { complete_from, final_number } = state;
  await keepFollowing(state, follow);
  if (complete_from !== null && BigInt(complete_from) <= BigInt(final_number)) return final_number;
  for (;;) {
    const from = await follow();
    if (from !== null) return from;
  }
}

const MAX_WAIT_MS = 2_000;
const POLL_MS = 50;

/**
 * Waits up to 2 seconds until all transactions below this number have ended, and returns whether they have. Their readings are then
 * in telemetry, but perhaps not in reading_batches. Writers need milliseconds, an import longer, so the first page is rarely empty.
 */
export async function waitForOlderTransactions(
  readers: Reads,
  organizationNo: number,
  { state, from }: { state: FeedState; from: string | number },
): Promise<boolean> {
  const untilMs = performance.now() + MAX_WAIT_MS;
  let { final_number } = state;
  while (BigInt(final_number) < BigInt(from)) {
    if (performance.now() > untilMs) return false;
    await sleep(POLL_MS);
    ({ final_number } = await readFeedState(readers, organizationNo));
  }
  return true;
}
