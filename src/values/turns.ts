export interface TurnLimits {
  /** In progress at the same time, of all senders. */
  places: number;
  /** Of each sender, also if no place is free. One that already waits has one of them. */
  ownPlaces: number;
  /** Of each sender, at most. */
  placesPerSender: number;
  waitingPerSender: number;
  /** Of all senders, who share it equally. */
  waiting: number;
}

/** No client waits for much longer. */
export const MAX_WAIT_MS = 10_000;

/** Returns false if it has not begun: it has waited for too long, nobody waits for it any more, or it cannot. */
export type Begin = (hasWaitedTooLong: boolean) => boolean;

interface Waiting {
  begin: Begin;
  sinceMs: number;
}

interface Sender {
  name: string;
  inProgress: number;
  waiting: Waiting[];
}

/**
 * Lets senders take turns at something that they share: a thread, or connections. A sender with nothing in progress comes
 * first; the others take turns. One with little to do has places of its own and never waits.
 */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #senders = new Map<string, Sender>();
  /** Senders that wait and may have more in progress, in the order of their turns: those with nothing in progress, and the others. */
  readonly #firstLine = new Set<Sender>();
  readonly #line = new Set<Sender>();
  #places: number;
  #inProgress = 0;
  #waiting = 0;
  #ended = 0;
  #isFilling = false;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
    this.#places = limits.places;
  }

  get inProgress(): number {
    return this.#inProgress;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** So far. */
  get ended(): number {
    return this.#ended;
  }

  get places(): number {
    return this.#places;
  }

  set places(places: number) {
    this.#places = places;
    this.#fill();
  }

  /** Begins at once, or when the turn comes. Call `leave` when it has ended. Returns false if the sender is refused now. */
  enter(name: string, begin: Begin): boolean {
    let sender = this.#senders.get(name);
    if (sender === undefined) this.#senders.set(name, (sender = { name, inProgress: 0, waiting: [] }));
    if (this.#mayBegin(sender)) {
      this.#begin(sender, begin, false);
      return true;
    }
    const { waitingPerSender, waiting } = this.#limits;
    const waitingSenders = this.#firstLine.size + this.#line.size;
    if (sender.waiting.length >= Math.min(waitingPerSender, waiting / Math.max(1, waitingSenders))) return false;
    sender.waiting.push({ begin, sinceMs: performance.now() });
    this.#waiting++;
    this.#queue(sender);
    return true;
  }

  leave(name: string): void {
    const sender = this.#senders.get(name);
    if (sender === undefined) return;
    this.#ended++;
    this.#inProgress--;
    sender.inProgress--;
    this.#queue(sender);
    if (this.#waiting > 0) this.#fill();
  }

  #mayBegin({ inProgress, waiting }: Sender): boolean {
    const { ownPlaces, placesPerSender } = this.#limits;
    // A sender that waits has one: ten busy senders with two each would have twenty in progress.
    const own = waiting.length === 0 ? ownPlaces : Math.min(1, ownPlaces);
    return inProgress < own || (inProgress < placesPerSender && this.#inProgress < this.#places);
  }

  /** What begins may end at once and call `leave`: a loop instead of a recursion that is as deep as many wait. */
  #fill(): void {
    if (this.#isFilling) return;
    this.#isFilling = true;
    for (let sender = this.#next(); sender !== undefined; sender = this.#next()) {
      const next = sender.waiting.shift();
      if (next === undefined) break;
      this.#waiting--;
      this.#firstLine.delete(sender); // to the end
      this.#line.delete(sender);
      this.#begin(sender, next.begin, performance.now() - next.sinceMs > MAX_WAIT_MS);
      this.#queue(sender);
    }
    this.#isFilling = false;
  }

  #next(): Sender | undefined {
    const [sender = first(this.#line)] = this.#firstLine;
    return sender !== undefined && this.#mayBegin(sender) ? sender : undefined;
  }

  #begin(sender: Sender, begin: Begin, hasWaitedTooLong: boolean): void {
    this.#inProgress++;
    sender.inProgress++;
    if (begin(hasWaitedTooLong)) return;
    this.#inProgress--;
    sender.inProgress--;
    this.#queue(sender);
  }

  /** Puts a sender into the line that it belongs to now. One that changes lines goes to the end. */
  #queue(sender: Sender): void {
    const { name, inProgress, waiting } = sender;
    const { placesPerSender } = this.#limits;
    const isInLine = waiting.length > 0 && inProgress < placesPerSender;
    const isFirst = inProgress === 0;
    move(sender, this.#firstLine, isInLine && isFirst);
    move(sender, this.#line, isInLine && !isFirst);
    if (waiting.length === 0 && inProgress === 0 && this.#senders.get(name) === sender) this.#senders.delete(name);
  }
}

function move(sender: Sender, line: Set<Sender>, belongsThere: boolean): void {
  if (belongsThere) line.add(sender);
  else line.delete(sender);
}

const first = <T>(items: ReadonlySet<T>): T | undefined => items.values().next().value;
