import type { Stream } from '../stream/stream.ts';

/** Above this share of its limit the stream loses what is committed, however young, until it is below the other. */
const HIGH_SHARE = 0.8;
const LOW_SHARE = 0.6;

/**
 * Removes from the stream what is committed and older than it is kept for replays, and under pressure what is
 * committed at all. What is not committed is never removed: the stream may have the only copy.
 */
export async function trimStream(stream: Stream, keepMs: number, nowMs: number): Promise<void> {
  const { messages, bytes, maxBytes, firstSequence, committedSequence } = await stream.status();
  if (messages === 0 || committedSequence < firstSequence) return;
  const isCrowded = bytes > HIGH_SHARE * maxBytes;
  const enough = firstSequence + Math.ceil(messages * (1 - (LOW_SHARE * maxBytes) / bytes));
  const old = await firstYoungerThan(stream, nowMs - keepMs, firstSequence, committedSequence + 1);
  const keepFrom = Math.min(isCrowded ? Math.max(old, enough) : old, committedSequence + 1);
  if (keepFrom > firstSequence) await stream.removeBefore(keepFrom);
}

/** By halves: some thirty questions for a billion messages. */
async function firstYoungerThan(stream: Stream, atMs: number, from: number, to: number): Promise<number> {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const storedAtMs = await stream.storedAtMs(middle);
    if (storedAtMs !== undefined && storedAtMs >= atMs) high = middle;
    else low = middle + 1;
  }
  return low;
}
