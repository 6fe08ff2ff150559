/** Positions of the last minutes are enough: a replica that is further behind is far too old in any case. */
const MAX_AGE_MS = 600_000;

interface Sample {
  position: number;
  atMs: number;
}

/**
 * Remembers when the primary was at which position of its write-ahead log. The lag of a replica is the age of the first
 * position that it has not replayed. So an idle primary causes no lag, and neither does a primary that is away: a replica
 * that has everything that the primary was seen to write is not behind. The clocks of the servers do not matter.
 */
export class WalHistory {
  #samples: Sample[] = [];

  add(position: number, atMs: number): void {
    const last = this.#samples.at(-1);
    // After a failover the new primary may be behind the old one: what the old one wrote last is lost.
    if (last !== undefined && position < last.position) this.#samples = [];
    // Only the first time of a position counts.
    if (last?.position !== position) this.#samples.push({ position, atMs });
    while ((this.#samples[1]?.atMs ?? atMs) < atMs - MAX_AGE_MS) this.#samples.shift();
  }

  /** 0 before the primary has answered once: then nothing is known to be missing. */
  lagMs(replayed: number, nowMs: number): number {
    const missing = this.#samples.find(({ position }) => position > replayed);
    return missing === undefined ? 0 : nowMs - missing.atMs;
  }
}
