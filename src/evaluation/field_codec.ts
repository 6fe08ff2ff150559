import type { GaugeFault } from './pure/estimator/gauge_health.ts';
import type { LevelReading } from './pure/estimator/level_filter.ts';

/** Takes one stored number after another. */
export class StoredNumbers {
  readonly #numbers: readonly unknown[];
  #next = 1;
  readonly atMs: number;
  /** A number is missing. */
  isDamaged = false;

  /** @param numbers the version, the time of the state, and the numbers of its fields */
  constructor(numbers: readonly unknown[]) {
    this.#numbers = numbers;
    this.atMs = this.whole();
  }

  get isAtEnd(): boolean {
    return this.#next >= this.#numbers.length;
  }

  /** Takes a null, if it is the next one. */
  takeNull(): boolean {
    if (this.isAtEnd || this.#numbers[this.#next] !== null) return false;
    this.#next++;
    return true;
  }

  whole(): number {
    const value = this.#numbers[this.#next++];
    if (typeof value === 'number') return value;
    this.isDamaged = true;
    return 0;
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

/** A fault is stored as its position in this list plus 1. No fault is stored as 0. */
const GAUGE_FAULTS: readonly GaugeFault[] = ['stuck_at_limit', 'contradictory_readings'];

/**
 * How each kind of field is stored, as JavaScript: `write` makes its numbers from an expression for the value, and `read`
 * makes the value from the next stored numbers. Times are milliseconds before the time of the state.
 */
const KINDS = {
  whole: { write: (value) => value, read: 'stored.whole()' },
  tenThousandths: { write: (value) => `Math.round(${value} * 1e4)`, read: 'stored.whole() / 1e4' },
  millionths: { write: (value) => `Math.round(${value} * 1e6)`, read: 'stored.whole() / 1e6' },
  flag: { write: (value) => `${value} ? 1 : 0`, read: 'stored.whole() === 1' },
  time: { write: (value) => `atMs - ${value}`, read: '(stored.time() ?? stored.atMs)' },
  timeOrNull: { write: (value) => `${value} === null ? null : atMs - ${value}`, read: 'stored.time()' },
  readingOrNull: {
    write: (value) =>
      `${value} === null ? null : atMs - ${value}.atMs, ${value} === null ? 0 : Math.round(${value}.fillPercentage * 100)`,
    read: 'stored.reading()',
  },
  faultOrNull: {
    write: (value) => `faults.indexOf(${value}) + 1`,
    read: '(faults[stored.whole() - 1] ?? null)',
  },
  months: {
    write: (value) => `...${value}.map((factor) => Math.round(factor * 1e4))`,
    read: `[${Array<string>(12).fill('stored.whole() / 1e4').join(', ')}]`,
  },
  week: {
    write: (value) => [0, 1, 2, 3, 4, 5, 6].map((day) => `Math.round(${value}[${day}] * 1e4)`).join(', '),
    read: `[${Array<string>(7).fill('stored.whole() / 1e4').join(', ')}]`,
  },
} as const satisfies Record<string, { write: (value: string) => string; read: string }>;

/** The kind of every field, in the order in which they are stored. */
export type FieldTable<T> = { readonly [Field in keyof T]: keyof typeof KINDS };

export interface FieldCodec<T> {
  write: (numbers: (number | null)[], object: T, atMs: number) => void;
  read: (stored: StoredNumbers) => T;
}

/**
 * Compiles a table into the two functions that one would write by hand. A loop over the table reads fields by a variable
 * name, for which V8 has no fast path: encoding a state took 1.4 times as long.
 */
export function compileFields<T>(table: FieldTable<T>): FieldCodec<T> {
  const fields = Object.entries<keyof typeof KINDS>(table);
  const numbers = fields.map(([name, kind]) => KINDS[kind].write(`object.${name}`));
  const values = fields.map(([name, kind]) => `${name}: ${KINDS[kind].read}`);
  // oxlint-disable-next-line typescript/no-implied-eval -- the source comes from the tables of this program only
  const compile = new Function(
    'faults',
    `return {
      write(numbers, object, atMs) { numbers.push(${numbers.join(', ')}); },
      read(stored) { return { ${values.join(', ')} }; },
    };`,
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table has each field of T
  return compile(GAUGE_FAULTS) as FieldCodec<T>;
}
