export interface FollowerEvents {
  /** Once when it begins to fail, not with every attempt. */
  onLost: (error: unknown) => void;
  onFound?: () => void;
}

const EVERY_MS = 400; // a revocation must be seen within a second

/** Looks at the database again and again, so that what is held in memory follows what is stored. */
export class Follower {
  readonly #look: () => Promise<void>;
  readonly #events: FollowerEvents;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #isLost = false;
  /** When it last worked, in Unix milliseconds. */
  confirmedAtMs = 0;

  constructor(look: () => Promise<void>, events: FollowerEvents) {
    this.#look = look;
    this.#events = events;
  }

  /** Resolves after the first look, whether or not the database answered. */
  async start(): Promise<void> {
    try {
      await this.#look();
      this.confirmedAtMs = Date.now();
      if (this.#isLost) this.#events.onFound?.();
      this.#isLost = false;
    } catch (error) {
      if (!this.#isLost && !this.#isClosed) this.#events.onLost(error);
      this.#isLost = true;
    }
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.start(), EVERY_MS).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}
