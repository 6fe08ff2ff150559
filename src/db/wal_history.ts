/** Older positions are not needed: a replica with a larger lag is never used. */
const MAX_AGE_MS = 600_000;
/** The primary counts as unavailable after this time without a response. It is polled every 500 ms. */
const AWAY_AFTER_MS = 1_000;

interface Sample {
  position: number;
  atMs: number;
}

/**
 * Records the times at which the primary reached positions of its write-ahead log. The lag of a replica is the age of the first position
 * that it has not replayed. An idle primary therefore causes no lag. While the primary is unavailable, the lag does not grow: nothing is
 * written, and after an asynchronous failover no server has the last positions. The lag does not depend on the clocks of the servers.
 */
export class WalHistory {
  #samples: Sample[] = [];
  #seenAtMs = 0;

  add(position: number, atMs: number): void {
    this.#seenAtMs = atMs;
    const last = this.#samples.at(-1);
    // After a failover the new primary may be behind the old one, whose last WAL is lost.
    if (last !== undefined && position < last.position) this.#samples = [];
    // Only the first time at a position is recorded.
    if (last?.position !== position) this.#samples.push({ position, atMs });
    while ((this.#samples[1]?.atMs ?? atMs) < atMs - MAX_AGE_MS) this.#samples.shift();
  }

  /** The lag of a replica; 0 until the primary has answered once. */
  lagMs(replayed: number, nowMs: number): number {
    const missing = this.#samples.find(({ position }) => position > replayed);
    if (missing === undefined) return 0;
    return Math.max(0, Math.min(nowMs, this.#seenAtMs + AWAY_AFTER_MS) - missing.atMs);
  }
}
