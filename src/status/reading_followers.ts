import { setTimeout as sleep } from 'node:timers/promises';
import type { AccessWriters } from '../db/access_writers.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Reads, Statement } from '../db/readers.ts';
import { type FeedState, readFeedState } from './feed_state.ts';

/**
 * Records that the organization of the caller follows its readings. Returns the change number from which they are complete, null
 * the first time.
 */
export type FollowReadings = () => Promise<string | null>;

const FOLLOW: Statement = { name: 'follow_readings', text: 'select follow_readings($1)::text as complete_from' };

export async function followReadings(writers: AccessWriters, organizationNo: number): Promise<string | null> {
  return onlyRow(await writers.query<{ complete_from: string | null }>(FOLLOW, [organizationNo])).complete_from;
}

/** Writers store readings for the feed as long as somebody asks. */
export async function keepFollowing({ is_followed }: FeedState, follow: FollowReadings): Promise<void> {
  if (!is_followed) await follow();
}

/**
 * The change number with which the new readings of a new reader begin: all readings from it on are in reading_batches. A transaction
 * locks its tanks, and so has its number, before the statement that looks whether its organization is followed. One that did
 * not see the row has therefore a lower number than a transaction that began when the row was committed.
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
 * Whether all transactions below this number have ended: what they stored is in telemetry then, though perhaps not in
 * reading_batches. Writers need milliseconds, an import longer. Waits a little, so that the first reader rarely gets an empty page.
 */
export async function areOlderEnded(
  readers: Reads,
  organizationNo: number,
  { state, from }: { state: FeedState; from: string | number },
): Promise<boolean> {
  const untilMs = performance.now() + MAX_WAIT_MS;
  for (let { final_number } = state; BigInt(final_number) < BigInt(from); ) {
    if (performance.now() > untilMs) return false;
    await sleep(POLL_MS);
    ({ final_number } = await readFeedState(readers, organizationNo));
  }
  return true;
}
