import type { Stream } from '../stream/stream.ts';

/** A stream above the first fraction of its maximum size is trimmed to the second, regardless of the age of messages. */
const HIGH_FRACTION = 0.8;
const LOW_FRACTION = 0.6;

/**
 * Deletes committed messages that are older than `keepMs`, and younger committed ones if the stream is nearly full.
 * Uncommitted messages are never deleted: the stream may hold the only copy of their readings.
 */
export async function trimStream(stream: Stream, keepMs: number, nowMs: number): Promise<void> {
  const { messages, bytes, maxBytes, firstSequence, committedSequence } = await stream.status();
  if (messages === 0 || committedSequence < firstSequence) return;
  const isNearlyFull = bytes > HIGH_FRACTION * maxBytes;
  const keepBySize = firstSequence + Math.ceil(messages * (1 - (LOW_FRACTION * maxBytes) / bytes));
  const keepByAge = await firstStoredSince(stream, nowMs - keepMs, firstSequence, committedSequence + 1);
  const keepFrom = Math.min(isNearlyFull ? Math.max(keepByAge, keepBySize) : keepByAge, committedSequence + 1);
  if (keepFrom > firstSequence) await stream.removeBefore(keepFrom);
}

/** Binary search: about thirty requests for a billion messages. */
async function firstStoredSince(stream: Stream, atMs: number, from: number, to: number): Promise<number> {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const storedAtMs = await stream.storedAtMs(middle);
    if (storedAtMs !== undefined && storedAtMs >= atMs) high = middle;
    else low = middle + 1;
  }
  return low;
}
