export interface RequestTurnLimits {
  /** Requests in progress, of all senders. */
  places: number;
  /** Of each sender, also if no place is free. */
  ownPlaces: number;
}

/** A request that waits for its turn. */
export interface WaitingRequest {
  begin: () => void;
  /** False when nobody waits for its answer any more. */
  isWanted: () => boolean;
}

interface Sender {
  inProgress: number;
  waiting: WaitingRequest[];
}

/** A key may send a burst of 1,000 requests. */
const MAX_WAITING_PER_SENDER = 1_000;
/** Of all senders, who share it equally. A waiting request has about 8 KB. */
const MAX_WAITING = 4_096;

/**
 * Lets senders take turns at a process. A sender with few requests in progress never waits for another sender. One with many
 * waits for a place, and then for the other senders that wait.
 */
export class RequestTurns {
  readonly #ownPlaces: number;
  readonly #senders = new Map<string, Sender>();
  /** Those whose requests wait, in the order of their turns. */
  readonly #waiting = new Set<Sender>();
  /** Also used when they change: see PlacesByCost. */
  places: number;
  #inProgress = 0;
  #ended = 0;

  constructor({ places, ownPlaces }: RequestTurnLimits) {
    this.places = places;
    this.#ownPlaces = ownPlaces;
  }

  /** Senders of whose requests some wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Requests so far. */
  get ended(): number {
    return this.#ended;
  }

  /** Begins the request at once, or when its turn comes. Call `leave` when it has ended. Returns false if it is refused. */
  enter(name: string, request: WaitingRequest): boolean {
    let sender = this.#senders.get(name);
    if (sender === undefined) this.#senders.set(name, (sender = { inProgress: 0, waiting: [] }));
    // A sender that may begin has no waiting request: `leave` has begun it.
    if (this.#mayBegin(sender)) {
      this.#begin(sender, request);
      return true;
    }
    const share = Math.min(MAX_WAITING_PER_SENDER, MAX_WAITING / Math.max(1, this.#waiting.size));
    if (sender.waiting.length >= share) return false;
    sender.waiting.push(request);
    this.#waiting.add(sender);
    return true;
  }

  leave(name: string): void {
    const sender = this.#senders.get(name);
    if (sender === undefined) return;
    this.#ended++;
    this.#inProgress--;
    sender.inProgress--;
    if (sender.inProgress < this.#ownPlaces) this.#beginNext(sender);
    for (const next of this.#waiting) {
      if (this.#inProgress >= this.places) break;
      this.#waiting.delete(next); // to the end
      this.#waiting.add(next);
      this.#beginNext(next);
    }
    if (sender.inProgress === 0 && sender.waiting.length === 0) this.#senders.delete(name);
  }

  #mayBegin({ inProgress }: Sender): boolean {
    return inProgress < this.#ownPlaces || this.#inProgress < this.places;
  }

  #beginNext(sender: Sender): void {
    let next = sender.waiting.shift();
    while (next !== undefined && !next.isWanted()) next = sender.waiting.shift();
    if (sender.waiting.length === 0) this.#waiting.delete(sender);
    if (next !== undefined) this.#begin(sender, next);
  }

  #begin(sender: Sender, { begin }: WaitingRequest): void {
    this.#inProgress++;
    sender.inProgress++;
    begin();
  }
}
