import type { BatchShare } from '../ingest/ingest_batch.ts';

/** A transaction takes what has come since the last one began, up to this: one share when idle, many under load. */
const MAX_BATCH_READINGS = 4_000;

interface WaitingShare extends BatchShare {
  settle(): void;
}

/** What waits for one of the writer's connections. Each device's readings come by the same lane, in their order. */
export class Lane {
  readonly #queue: WaitingShare[] = [];
  #arrived = Promise.withResolvers<void>();
  #isClosed = false;

  add(share: WaitingShare): void {
    this.#queue.push(share);
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers();
  }

  /** What is there; waits for the first. Nothing once closed. */
  async take(): Promise<WaitingShare[]> {
    while (this.#queue.length === 0 && !this.#isClosed) await this.#arrived.promise;
    if (this.#isClosed) return [];
    let count = 0;
    let readings = 0;
    while (count < this.#queue.length && readings < MAX_BATCH_READINGS) {
      readings += this.#queue[count++]?.arrived.length ?? 0;
    }
    return this.#queue.splice(0, count);
  }

  close(): void {
    this.#isClosed = true;
    this.#arrived.resolve();
  }
}

/** Puts the shares of one message into their lanes. When the last of them is settled, so is the message. */
export function enqueueShares(lanes: readonly Lane[], shares: readonly BatchShare[], onSettled: () => void): void {
  const filled = shares.flatMap((share, at) => {
    const lane = lanes[at];
    return lane && share.arrived.length + share.refused.length > 0 ? [{ lane, share }] : [];
  });
  let left = filled.length;
  if (left === 0) onSettled();
  const settle = (): void => {
    if (--left === 0) onSettled();
  };
  for (const { lane, share } of filled) lane.add({ ...share, settle });
}
