interface WaitingPayload {
  bytes: number;
  begin: () => void;
}

/** The bytes that one organization may parse in one turn of the event loop: one large payload (about 10 ms) or hundreds of small ones. */
const MAX_BYTES_PER_TURN = 65_536;

/**
 * Limits the bytes that each organization may parse in one turn of the event loop. So an organization that sends twenty
 * bodies of a thousand readings at once delays the payloads of other organizations by one body, and not by all twenty.
 */
export class FairParsing {
  readonly #usedBytes = new Map<number, number>();
  readonly #waiting = new Map<number, WaitingPayload[]>();
  #isScheduled = false;

  /** Undefined if the payload may be parsed at once. Otherwise resolves when it may be parsed. */
  take(organizationNo: number, bytes: number): Promise<void> | undefined {
    this.#schedule();
    const queue = this.#waiting.get(organizationNo);
    if (queue === undefined && this.#tryUse(organizationNo, bytes)) return undefined;
    return new Promise((begin) => {
      if (queue) queue.push({ bytes, begin });
      else this.#waiting.set(organizationNo, [{ bytes, begin }]);
    });
  }

  /** Returns false if the payload must wait for the next turn. A payload above the limit gets a whole turn. */
  #tryUse(organizationNo: number, bytes: number): boolean {
    const used = this.#usedBytes.get(organizationNo) ?? 0;
    if (used > 0 && used + bytes > MAX_BYTES_PER_TURN) return false;
    this.#usedBytes.set(organizationNo, used + Math.max(bytes, 1));
    return true;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#isScheduled = false;
    this.#usedBytes.clear();
    for (const [organizationNo, queue] of this.#waiting) {
      while (queue[0] && this.#tryUse(organizationNo, queue[0].bytes)) queue.shift()?.begin();
      if (queue.length === 0) this.#waiting.delete(organizationNo);
    }
    if (this.#waiting.size > 0) this.#schedule();
  }
}
