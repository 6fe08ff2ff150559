import { createHash } from 'node:crypto';

/** A small random number generator with a seed (mulberry32), so that one seed gives the same fleet on every machine. */
export class Random {
  #state: number;

  /** Returns a generator for a name, so that a tank does not depend on the number of other tanks. */
  static named(seed: number, name: string): Random {
    return new Random(createHash('sha256').update(`${seed}\n${name}`).digest().readInt32LE());
  }

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns another generator that is independent of this one. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 4_294_967_296));
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** Returns a number between two positive numbers whose logarithm is uniformly distributed. */
  betweenLog(low: number, high: number): number {
    return low * (high / low) ** this.next();
  }

  whole(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.whole(0, choices.length - 1)] ?? choices[0];
  }

  /** Picks one of the choices by their shares. */
  pickShare<T>(...choices: readonly [readonly [T, number], ...(readonly [T, number])[]]): T {
    let left = this.next();
    for (const [value, share] of choices) {
      left -= share;
      if (left < 0) return value;
    }
    return choices[0][0];
  }

  /** Returns a number from the standard normal distribution. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }

  /** Returns a number from an approximately normal distribution around 0 with this standard deviation. */
  noise(deviation: number): number {
    return (this.next() + this.next() + this.next() + this.next() - 2) * Math.sqrt(3) * deviation;
  }
}
