/** Longer than this, and others must not wait behind it. */
const SLOW_MS = 1_000;
/** Jobs of one flag at a time: an endpoint that answers, and one that did not or has never been asked. */
const MAX_OF_GOOD = 4;
const MAX_OF_OTHERS = 1;

interface Party {
  /** When each of its jobs under way began. */
  startedAtMs: Set<{ atMs: number }>;
  /** The last job went well. */
  isGood: boolean;
  lastMs: number;
}

/**
 * Sees to it that whoever is slow to answer makes nobody else wait. Each job that waits for an outside party carries
 * that party's flag. A party has few jobs under way at once, and all that are slow, or not known to be quick, together
 * no more than three quarters of the slots: the rest is always there for those that answer.
 */
export class Gate {
  readonly #maxOfSlow: number;
  readonly #parties = new Map<string, Party>();
  readonly #now: () => number;

  constructor(slots: number, now: () => number = () => performance.now()) {
    this.#maxOfSlow = Math.floor((slots * 3) / 4);
    this.#now = now;
  }

  /** Undefined where the job must wait; otherwise to be called with how it went when it is over. */
  enter(flag: string): ((isGood: boolean) => void) | undefined {
    const party = this.#party(flag);
    if (this.#isFull(party, this.#slowJobs())) return undefined;
    const job = { atMs: this.#now() };
    party.startedAtMs.add(job);
    return (isGood) => {
      party.startedAtMs.delete(job);
      party.isGood = isGood;
      party.lastMs = this.#now() - job.atMs;
    };
  }

  /** The flags whose jobs are to be left alone for now. */
  closedFlags(): string[] {
    const slowJobs = this.#slowJobs();
    return [...this.#parties].filter(([, party]) => this.#isFull(party, slowJobs)).map(([flag]) => flag);
  }

  #party(flag: string): Party {
    const known = this.#parties.get(flag);
    if (known) return known;
    const party = { startedAtMs: new Set<{ atMs: number }>(), isGood: false, lastMs: 0 };
    this.#parties.set(flag, party);
    return party;
  }

  #isFull(party: Party, slowJobs: number): boolean {
    if (party.startedAtMs.size >= (party.isGood ? MAX_OF_GOOD : MAX_OF_OTHERS)) return true;
    return this.#isSlow(party) && slowJobs >= this.#maxOfSlow;
  }

  #isSlow({ isGood, lastMs, startedAtMs }: Party): boolean {
    if (!isGood || lastMs > SLOW_MS) return true;
    const [oldest] = startedAtMs; // a set keeps the order in which it was filled
    return oldest !== undefined && this.#now() - oldest.atMs > SLOW_MS;
  }

  #slowJobs(): number {
    let jobs = 0;
    for (const party of this.#parties.values()) if (this.#isSlow(party)) jobs += party.startedAtMs.size;
    return jobs;
  }
}
