import type { Stream } from '../stream/stream.ts';
import { firstStoredSince, HIGH_FRACTION, LOW_FRACTION } from '../stream/stream_rate.ts';

/**
 * Deletes committed messages that are older than `keepMs`, and younger committed ones if the stream is nearly full.
 * Uncommitted messages are never deleted: the stream may hold the only copy of their readings.
 */
export async function trimStream(stream: Stream, keepMs: number, nowMs: number): Promise<void> {
  const { messages, bytes, maxBytes, firstSequence, committedSequence } = await stream.status();
  if (messages === 0 || committedSequence < firstSequence) return;
  const isNearlyFull = bytes > HIGH_FRACTION * maxBytes;
  const keepBySize = firstSequence + Math.ceil(messages * (1 - (LOW_FRACTION * maxBytes) / bytes));
  const storedAtMs = (sequence: number): Promise<number | undefined> => stream.storedAtMs(sequence);
  const keepByAge = await firstStoredSince(storedAtMs, nowMs - keepMs, firstSequence, committedSequence + 1);
  const keepFrom = Math.min(isNearlyFull ? Math.max(keepByAge, keepBySize) : keepByAge, committedSequence + 1);
  if (keepFrom > firstSequence) await stream.removeBefore(keepFrom);
}
