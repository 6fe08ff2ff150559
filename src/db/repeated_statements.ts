/** The number of uses after which a text gets a name. */
export const MIN_USES_FOR_NAME = 5;
/** The largest number of names. Each connection keeps their plans: 0.1 to 0.3 MB for a list of tanks. */
export const MAX_NAMES = 32;
/** The largest number of texts whose uses are counted. A text has up to 10 KB. */
const MAX_TEXTS = 500;
/** Use counts are halved at this interval, so that a text that is no longer used loses its name. */
const HALF_LIFE_MS = 600_000;
/** A text takes over a name if it is used this many times as often as the text that has it. */
const TIMES_AS_OFTEN = 2;
/** The shortest time between two new names, so that a caller who varies a filter does not make connections plan all the time. */
const PAUSE_MS = 60_000;
/** The driver keeps each name with its text as long as its connection lives: about 10 MB for this many names. */
const MAX_NAMES_EVER = 1_000;

interface NamedStatement {
  name: string;
  uses: number;
}

/**
 * Gives names to the most frequent texts of statements. A statement with a name is parsed and planned once for each connection. The
 * filters, orders and sizes of a list make thousands of texts, of which a console uses a few dozen. Planning the statement that finds the
 * tanks of a page takes 0.4 to 1 ms, longer than running it. When all names are used, other texts are planned each time. A text that is
 * used twice as often as the rarest text with a name replaces it. No name is used twice, because the driver would run the old text.
 */
export class RepeatedStatements {
  readonly #named = new Map<string, NamedStatement>();
  /** The use counts of texts without a name. The latest texts are at the end. */
  readonly #uses = new Map<string, number>();
  readonly #onGivenUp: (name: string) => void;
  readonly #now: () => number;
  #halvedAtMs: number;
  #changedAtMs = Number.NEGATIVE_INFINITY;
  #namesEver = 0;

  /** `onGivenUp` gets a name that is no longer used for new statements. `now` is a clock in milliseconds. */
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
    if (uses >= MIN_USES_FOR_NAME && (this.#named.size < MAX_NAMES || this.#giveUpRarest(uses, nowMs))) {
      this.#namesEver++;
      const name = `repeated_${this.#namesEver}`;
      this.#named.set(text, { name, uses });
      return name;
    }
    const [oldest] = this.#uses.keys();
    if (this.#uses.size >= MAX_TEXTS && oldest !== undefined) this.#uses.delete(oldest);
    this.#uses.set(text, uses);
    return undefined;
  }

  /** Gives up the rarest name if a text with this number of uses may replace it. Returns true if it did. */
  #giveUpRarest(uses: number, nowMs: number): boolean {
    if (nowMs - this.#changedAtMs < PAUSE_MS || this.#namesEver >= MAX_NAMES_EVER) return false;
    const [rarest] = [...this.#named].toSorted(([, a], [, b]) => a.uses - b.uses);
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
