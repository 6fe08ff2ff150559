export interface StatementLimits {
  /** Statements in progress, of all senders. */
  places: number;
  /** Statements in progress, of one sender. */
  placesPerSender: number;
  waitingPerSender: number;
}

/** A statement that waits for its turn. */
export interface WaitingStatement {
  begin: () => void;
  refuse: () => void;
  /** If its turn comes later than this time of `performance.now()`, it is refused: nobody waits for the result any more. */
  untilMs: number;
}

interface Sender {
  name: string;
  inProgress: number;
  waiting: WaitingStatement[];
}

/**
 * Lets senders take turns at the database. A sender with nothing in progress comes first, so its statement waits for one
 * place to become free and not for the statements of others that came earlier.
 */
export class StatementTurns {
  readonly #limits: StatementLimits;
  readonly #senders = new Map<string, Sender>();
  /** Senders whose next statement may begin, in the order of their turns: those with nothing in progress, and the others. */
  readonly #idle = new Set<Sender>();
  readonly #busy = new Set<Sender>();
  #inProgress = 0;
  #waiting = 0;

  constructor(limits: StatementLimits) {
    this.#limits = limits;
  }

  get inProgress(): number {
    return this.#inProgress;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Begins the statement at once, or when its turn comes. Call `leave` when it has ended. Returns false if it is refused. */
  enter(name: string, statement: WaitingStatement): boolean {
    let sender = this.#senders.get(name);
    if (sender === undefined) this.#senders.set(name, (sender = { name, inProgress: 0, waiting: [] }));
    else if (sender.waiting.length >= this.#limits.waitingPerSender) return false;
    // While a place is free, nobody waits for it.
    if (this.#inProgress < this.#limits.places && sender.inProgress < this.#limits.placesPerSender) {
      this.#begin(sender, statement);
      return true;
    }
    sender.waiting.push(statement);
    this.#waiting++;
    this.#queue(sender);
    return true;
  }

  leave(name: string): void {
    const sender = this.#senders.get(name);
    if (sender === undefined) return;
    this.#inProgress--;
    sender.inProgress--;
    this.#queue(sender);
    if (this.#waiting > 0) this.#fill();
  }

  #begin(sender: Sender, { begin }: WaitingStatement): void {
    this.#inProgress++;
    sender.inProgress++;
    begin();
  }

  #fill(): void {
    while (this.#inProgress < this.#limits.places) {
      const [sender = first(this.#busy)] = this.#idle;
      if (sender === undefined) return;
      this.#idle.delete(sender);
      this.#busy.delete(sender);
      const statement = sender.waiting.shift();
      if (statement === undefined) continue;
      this.#waiting--;
      if (performance.now() > statement.untilMs) statement.refuse();
      else this.#begin(sender, statement);
      this.#queue(sender);
    }
  }

  /** Puts a sender into the line that it belongs to now. One that changes lines goes to the end. */
  #queue(sender: Sender): void {
    if (sender.waiting.length === 0) {
      if (sender.inProgress === 0) this.#senders.delete(sender.name);
      return; // it is in no line: the one that took its last statement has removed it
    }
    const [line, other] = sender.inProgress === 0 ? [this.#idle, this.#busy] : [this.#busy, this.#idle];
    other.delete(sender);
    if (sender.inProgress < this.#limits.placesPerSender) line.add(sender);
    else line.delete(sender);
  }
}

const first = <T>(items: ReadonlySet<T>): T | undefined => items.values().next().value;
