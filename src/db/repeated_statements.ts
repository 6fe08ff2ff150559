/** How often a text must come before it gets a name. */
export const USES = 5;
/** Each connection keeps their plans: 1.1 MB for a list of tanks. */
export const MAX_NAMES = 32;
/** Texts that have come, with their uses. A text has up to 10 KB. */
const MAX_TEXTS = 500;

/**
 * Gives names to the texts that come most: a statement with a name is parsed and planned once for each connection. The
 * filters and orders of a list make thousands of texts, of which a console uses a few dozen, and planning a list of tanks takes
 * 4 ms, as long as reading it. When all names are given, other texts are planned each time.
 */
export class RepeatedStatements {
  readonly #names = new Map<string, string>();
  #uses = new Map<string, number>();

  nameOf(text: string): string | undefined {
    const name = this.#names.get(text);
    if (name !== undefined || this.#names.size >= MAX_NAMES) return name;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses >= USES) {
      this.#uses.delete(text);
      const given = `repeated_${this.#names.size + 1}`;
      this.#names.set(text, given);
      return given;
    }
    if (this.#uses.size >= MAX_TEXTS) this.#uses = new Map();
    this.#uses.set(text, uses);
    return undefined;
  }
}
