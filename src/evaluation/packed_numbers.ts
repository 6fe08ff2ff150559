import type { LevelReading } from './pure/estimator/level_filter.ts';

/** Takes one number after another. A class instead of closures, which cost twice as much for every tank of every batch. */
export class PackedNumbers {
  readonly #numbers: readonly unknown[];
  #next = 1;
  readonly atMs: number;
  /** A number is missing. */
  isDamaged = false;

  constructor(numbers: readonly unknown[]) {
    this.#numbers = numbers;
    this.atMs = this.whole();
  }

  get isAtEnd(): boolean {
    return this.#next >= this.#numbers.length;
  }

  whole(): number {
    const value = this.#numbers[this.#next++];
    if (typeof value === 'number') return value;
    this.isDamaged = true;
    return 0;
  }

  tenThousandths(): number {
    return this.whole() / 1e4;
  }

  millionths(): number {
    return this.whole() / 1e6;
  }

  time(): number | null {
    const ago = this.#numbers[this.#next++];
    return typeof ago === 'number' ? this.atMs - ago : null;
  }

  reading(): LevelReading | null {
    const atMs = this.time();
    const fillPercentage = this.whole() / 100;
    return atMs === null ? null : { atMs, fillPercentage };
  }
}
