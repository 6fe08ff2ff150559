/** Longer than this, and others must not wait behind it. */
const SLOW_MS = 1_000;
/** Jobs of one flag at a time: an endpoint that answers, and one that did not or has never been asked. */
const MAX_OF_GOOD = 4;
const MAX_OF_OTHERS = 1;

interface Party {
  /** When each of its jobs under way began, the oldest first. */
  startedAtMs: Map<string, number>;
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

  /** The flags whose jobs are to be left alone for now. */
  closedFlags(): string[] {
    const slowJobs = this.#slowJobs();
    return [...this.#parties].filter(([, party]) => this.#isFull(party, slowJobs)).map(([flag]) => flag);
  }

  /** False where it must wait after all: nobody had heard of its party when it was fetched, and the slots are full. */
  enter(flag: string, jobId: string): boolean {
    const party = this.#party(flag);
    if (this.#isFull(party, this.#slowJobs())) return false;
    party.startedAtMs.set(jobId, this.#now());
    return true;
  }

  leave(flag: string, jobId: string, isGood: boolean): void {
    const party = this.#party(flag);
    const startedAtMs = party.startedAtMs.get(jobId);
    if (startedAtMs === undefined) return;
    party.startedAtMs.delete(jobId);
    party.lastMs = this.#now() - startedAtMs;
    party.isGood = isGood;
  }

  isInside(flag: string, jobId: string): boolean {
    return this.#party(flag).startedAtMs.has(jobId);
  }

  #party(flag: string): Party {
    const known = this.#parties.get(flag);
    if (known) return known;
    const party = { startedAtMs: new Map<string, number>(), isGood: false, lastMs: 0 };
    this.#parties.set(flag, party);
    return party;
  }

  #isFull(party: Party, slowJobs: number): boolean {
    if (party.startedAtMs.size >= (party.isGood ? MAX_OF_GOOD : MAX_OF_OTHERS)) return true;
    return this.#isSlow(party) && slowJobs >= this.#maxOfSlow;
  }

  #isSlow({ isGood, lastMs, startedAtMs }: Party): boolean {
    if (!isGood || lastMs > SLOW_MS) return true;
    const [oldestAtMs] = startedAtMs.values();
    return oldestAtMs !== undefined && this.#now() - oldestAtMs > SLOW_MS;
  }

  #slowJobs(): number {
    let jobs = 0;
    for (const party of this.#parties.values()) if (this.#isSlow(party)) jobs += party.startedAtMs.size;
    return jobs;
  }
}

/**
 * One at a time. Jobs are fetched so: fetched together, a hundred of one endpoint would be taken in the moment before
 * the first of them was seen at the gate.
 */
export class Turnstile {
  #isTaken = false;
  readonly #waiting: (() => void)[] = [];

  enter(): Promise<void> {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
    return Promise.resolve();
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isTaken = false;
  }
}
