/** How often a text must come before it gets a name. */
export const USES = 5;
/** Each connection keeps their plans: 0.1 to 0.3 MB for a list of tanks. */
export const MAX_NAMES = 32;
/** Texts that have come, with their uses. A text has up to 10 KB. */
const MAX_TEXTS = 500;
/** Then all uses count half: what came often last week does not keep its name for ever. */
const HALF_LIFE_MS = 600_000;
/** A name is taken from a text for another one that comes this much more often. */
const TIMES_AS_OFTEN = 2;
/** A reader who varies a filter must not make connections plan all the time. */
const PAUSE_MS = 60_000;
/** The driver remembers each name with its text as long as its connection lives, some 10 MB for these. */
const MAX_NAMES_EVER = 1_000;

interface Named {
  name: string;
  uses: number;
}

/**
 * Gives names to the texts that come most: a statement with a name is parsed and planned once for each connection. The
 * filters, orders and sizes of a list make thousands of texts, of which a console uses a few dozen. Planning the statement
 * that finds the tanks of a page takes 0.4 to 1 ms, longer than running it. When all names are given, other texts are planned
 * each time, until one comes twice as often as the rarest with a name, which gives its name up. No name is given twice: the
 * driver would take the old text for the new.
 */
export class RepeatedStatements {
  readonly #named = new Map<string, Named>();
  /** Of texts without a name. The ones that came last are at the end. */
  readonly #uses = new Map<string, number>();
  readonly #onGivenUp: (name: string) => void;
  readonly #now: () => number;
  #halvedAtMs: number;
  #changedAtMs = Number.NEGATIVE_INFINITY;
  #namesEver = 0;

  /** `onGivenUp` gets a name that is not used for new statements any more. `now` is a clock in milliseconds. */
  constructor(onGivenUp: (name: string) => void, now: () => number = () => performance.now()) {
    this.#onGivenUp = onGivenUp;
    this.#now = now;
    this.#halvedAtMs = now();
  }

  nameOf(text: string): string | undefined {
    const nowMs = this.#now();
    if (nowMs - this.#halvedAtMs >= HALF_LIFE_MS) this.#halve(nowMs);
    const named = this.#named.get(text);
    if (named !== undefined) {
      named.uses++;
      return named.name;
    }
    const uses = (this.#uses.get(text) ?? 0) + 1;
    this.#uses.delete(text);
    if (uses >= USES && (this.#named.size < MAX_NAMES || this.#giveUpRarest(uses, nowMs))) {
      const name = `repeated_${++this.#namesEver}`;
      this.#named.set(text, { name, uses });
      return name;
    }
    const [oldest] = this.#uses.keys();
    if (this.#uses.size >= MAX_TEXTS && oldest !== undefined) this.#uses.delete(oldest);
    this.#uses.set(text, uses);
    return undefined;
  }

  /** Returns whether there is a name for a text with so many uses now. */
  #giveUpRarest(uses: number, nowMs: number): boolean {
    if (nowMs - this.#changedAtMs < PAUSE_MS || this.#namesEver >= MAX_NAMES_EVER) return false;
    const [rarest] = [...this.#named].toSorted(([, one], [, other]) => one.uses - other.uses);
    if (rarest === undefined || uses < TIMES_AS_OFTEN * rarest[1].uses) return false;
    this.#named.delete(rarest[0]);
    this.#changedAtMs = nowMs;
    this.#onGivenUp(rarest[1].name);
    return true;
  }

  #halve(nowMs: number): void {
    this.#halvedAtMs = nowMs;
    for (const named of this.#named.values()) named.uses /= 2;
    for (const [text, uses] of this.#uses) this.#uses.set(text, uses / 2);
  }
}
