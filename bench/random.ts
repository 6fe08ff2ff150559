/** mulberry32 with normal noise, so that a fleet of one seed is the same on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** Between two positive numbers, with every factor equally likely. */
  betweenLog(low: number, high: number): number {
    return low * (high / low) ** this.next();
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[Math.floor(this.next() * choices.length)] ?? choices[0];
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }
}

export function pickShare<T>(
  random: Random,
  ...choices: readonly [readonly [T, number], ...(readonly [T, number])[]]
): T {
  let left = random.next();
  for (const [value, share] of choices) {
    left -= share;
    if (left < 0) return value;
  }
  return choices[0][0];
}
