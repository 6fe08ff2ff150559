/** Finds rows of a file that say again what must be said once. Sixteen to thirty-two bytes per row and key. */
export class Repetitions {
  readonly #unique: readonly { columns: readonly string[]; seen: NumberSet }[];

  constructor(unique: readonly (readonly string[])[]) {
    this.#unique = unique.map((columns) => ({ columns, seen: new NumberSet() }));
  }

  /** What this row repeats of the rows before it; it is one of those from now on. */
  of(values: Readonly<Record<string, unknown>>): string[] {
    return this.#unique.flatMap(({ columns, seen }) => {
      const isNew = seen.add(hash53(columns.map((column) => String(values[column])).join('\0')));
      return isNew ? [] : [`repeats the ${columns.join(' and ')} of a line above`];
    });
  }
}

/** A set of positive numbers in one array: a tenth of what a Set takes, and nothing for the collector to walk. */
class NumberSet {
  #slots = new Float64Array(1_024);
  #size = 0;

  /** False where the number was there already. */
  add(number: number): boolean {
    if (this.#size * 2 >= this.#slots.length) this.#grow();
    const at = this.#find(number);
    if (this.#slots[at] === number) return false;
    this.#slots[at] = number;
    this.#size++;
    return true;
  }

  /** The slot that holds the number, or the empty one where it belongs. */
  #find(number: number): number {
    const slots = this.#slots;
    let at = number % slots.length;
    while (slots[at] !== 0 && slots[at] !== number) at = at + 1 === slots.length ? 0 : at + 1;
    return at;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Float64Array(old.length * 2);
    for (const number of old) if (number !== 0) this.#slots[this.#find(number)] = number;
  }
}

/** 53 bits, all a number holds: two different keys among a million look alike once in 18,000 imports. Never 0. */
function hash53(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0) || 1;
}
