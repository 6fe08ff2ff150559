import type { BatchShare } from './shares.ts';

/** A batch takes waiting shares until it has this many readings: one share when idle, many under load. */
const MAX_BATCH_READINGS = 4_000;
/** The smallest limit after batches that took too long. */
const MIN_BATCH_READINGS = 100;

interface QueuedShare extends BatchShare {
  /** Called when the share is committed. */
  settle(): void;
}

/** The queue of one database connection. All readings of a device use the same lane and keep their order. */
export class Lane {
  readonly #queue: QueuedShare[] = [];
  #maxReadings = MAX_BATCH_READINGS;
  #changed = Promise.withResolvers<void>();
  #isClosed = false;

  add(share: QueuedShare): void {
    this.#queue.push(share);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Returns the shares of the next batch, and waits if there are none. Returns an empty list after `close`. */
  async nextShares(): Promise<QueuedShare[]> {
    while (this.#queue.length === 0 && !this.#isClosed) await this.#changed.promise;
    if (this.#isClosed) return [];
    let count = 0;
    let readings = 0;
    while (count < this.#queue.length && readings < this.#maxReadings) {
      const share = this.#queue[count];
      readings += Math.max(share?.readings.length ?? 0, share?.health.length ?? 0);
      count++;
    }
    return this.#queue.splice(0, count);
  }

  /** Drops the queue, after its messages were returned to the stream. */
  clear(): void {
    this.#queue.length = 0;
  }

  /** Called after an overdue batch. A database that is slow but not down can commit smaller batches in time. */
  limitBatches(): void {
    this.#maxReadings = Math.max(MIN_BATCH_READINGS, Math.floor(this.#maxReadings / 4));
  }

  allowLargerBatches(): void {
    this.#maxReadings = Math.min(MAX_BATCH_READINGS, this.#maxReadings * 2);
  }

  close(): void {
    this.#isClosed = true;
    this.#changed.resolve();
  }
}

/** Adds the shares of one message to their lanes. Calls `onSettled` when all of them are committed. */
export function enqueueShares(lanes: readonly Lane[], shares: readonly BatchShare[], onSettled: () => void): void {
  const nonEmpty = shares.flatMap((share, index) => {
    const lane = lanes[index];
    return lane && share.readings.length + share.rejections.length + share.health.length > 0 ? [{ lane, share }] : [];
  });
  let unsettled = nonEmpty.length;
  if (unsettled === 0) onSettled();
  const settle = (): void => {
    unsettled--;
    if (unsettled === 0) onSettled();
  };
  for (const { lane, share } of nonEmpty) lane.add({ ...share, settle });
}
