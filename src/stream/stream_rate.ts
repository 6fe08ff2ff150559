import { DAY_MS, HOUR_MS } from '../values/time.ts';
import type { StreamStatus } from './stream.ts';

/** A stream above the first fraction of its maximum size is trimmed to the second, regardless of the age of messages. */
export const HIGH_FRACTION = 0.8;
export const LOW_FRACTION = 0.6;

type RatedStream = Pick<StreamStatus, 'messages' | 'bytes' | 'maxBytes' | 'firstSequence' | 'serverTimeMs'>;

export interface StreamRate {
  bytesPerHour: number;
  /** The number of hours that the stream keeps committed messages at this rate, if STREAM_KEEP_DAYS does not delete them earlier. */
  keepsHours: number;
  /** The number of hours until the stream is full at this rate if no writer runs from now on. */
  hoursUntilFull: number;
}

/** No rate is computed from a shorter period, because it would not represent a day. */
const MIN_PERIOD_MS = HOUR_MS / 2;

type StoredAt = (sequence: number) => Promise<number | undefined>;

/**
 * Measures the rate of the last 24 hours, or of all messages if the oldest is younger. Returns null if the stream is empty or
 * younger than half an hour. The size of a message is the average in the stream.
 */
export async function measureStreamRate(stream: RatedStream, storedAtMs: StoredAt): Promise<StreamRate | null> {
  const { messages, bytes, maxBytes, firstSequence, serverTimeMs } = stream;
  if (messages === 0) return null;
  const end = firstSequence + messages;
  const first = await firstStoredSince(storedAtMs, serverTimeMs - DAY_MS, firstSequence, end);
  const firstAtMs = first === end ? undefined : await storedAtMs(first);
  // Older messages exist, so the period is a whole day, even if none was stored in its first hours.
  const periodMs = first > firstSequence ? DAY_MS : serverTimeMs - (firstAtMs ?? serverTimeMs);
  if (periodMs < MIN_PERIOD_MS) return null;
  const bytesPerHour = ((end - first) * (bytes / messages) * HOUR_MS) / periodMs;
  return {
    bytesPerHour,
    keepsHours: (LOW_FRACTION * maxBytes) / bytesPerHour,
    hoursUntilFull: Math.max(0, maxBytes - bytes) / bytesPerHour,
  };
}

/** Finds the first sequence that was stored at `atMs` or later by binary search: about thirty requests for a billion messages. */
export async function firstStoredSince(storedAt: StoredAt, atMs: number, from: number, to: number): Promise<number> {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const storedAtMs = await storedAt(middle);
    if (storedAtMs !== undefined && storedAtMs >= atMs) high = middle;
    else low = middle + 1;
  }
  return low;
}
