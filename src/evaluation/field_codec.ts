import type { GaugeFault } from './pure/estimator/gauge_health.ts';
import type { LevelReading } from './pure/estimator/level_filter.ts';

/** Reads the stored numbers of a state one after another. */
export class StoredNumbers {
  readonly #numbers: readonly unknown[];
  #next = 1;
  readonly atMs: number;
  /** True if a number was missing, or has no meaning in its place. */
  isDamaged = false;

  /** @param numbers the version, the time of the state, and the numbers of its fields */
  constructor(numbers: readonly unknown[]) {
    this.#numbers = numbers;
    this.atMs = this.whole();
  }

  get isAtEnd(): boolean {
    return this.#next >= this.#numbers.length;
  }

  /** If the next value is null, skips it and returns true. */
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
    const ago = this.whole();
    return ago === 0 ? null : this.atMs - (ago > 0 ? ago - 1 : ago);
  }

  reading(): LevelReading | null {
    const atMs = this.time();
    return atMs === null ? null : { atMs, fillPercentage: this.whole() / 100 };
  }
}

/** A time as milliseconds before the time of the state, plus 1, because 0 means no time. A later time is negative. */
export const storedTime = (timeMs: number | null, atMs: number): number => {
  if (timeMs === null) return 0;
  const ago = atMs - timeMs;
  return ago < 0 ? ago : ago + 1;
};

/** A fault is stored as its position in this list plus 1. No fault is stored as 0. */
const GAUGE_FAULTS: readonly GaugeFault[] = ['stuck_at_limit', 'contradictory_readings'];

const push = (...numbers: readonly string[]): string => `numbers.push(${numbers.join(', ')});`;

/**
 * How each kind of field is stored, as JavaScript: `write` returns the code that stores the value of an expression, and
 * `read` is the code that makes the value from the next stored numbers. Most times and readings are null and stored as
 * 0, because the text "null" would take a tenth of a state.
 */
const KINDS = {
  whole: { write: (value) => push(value), read: 'stored.whole()' },
  seconds: { write: (value) => push(`${value} / 1e3`), read: 'stored.whole() * 1e3' },
  tenThousandths: { write: (value) => push(`Math.round(${value} * 1e4)`), read: 'stored.whole() / 1e4' },
  millionths: { write: (value) => push(`Math.round(${value} * 1e6)`), read: 'stored.whole() / 1e6' },
  flag: { write: (value) => push(`${value} ? 1 : 0`), read: 'stored.whole() === 1' },
  time: { write: (value) => push(`atMs - ${value}`), read: 'stored.atMs - stored.whole()' },
  timeOrNull: { write: (value) => push(`storedTime(${value}, atMs)`), read: 'stored.time()' },
  readingOrNull: {
    write: (value) => `if (${value} === null) ${push('0')}
      else ${push(`storedTime(${value}.atMs, atMs)`, `Math.round(${value}.fillPercentage * 100)`)}`,
    read: 'stored.reading()',
  },
  faultOrNull: { write: (value) => push(`faults.indexOf(${value}) + 1`), read: 'faults[stored.whole() - 1] ?? null' },
  months: {
    write: (value) => push(`...${value}.map((factor) => Math.round(factor * 1e4))`),
    read: `[${Array<string>(12).fill('stored.whole() / 1e4').join(', ')}]`,
  },
  week: {
    write: (value) => push(...[0, 1, 2, 3, 4, 5, 6].map((day) => `Math.round(${value}[${day}] * 1e4)`)),
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
 * Compiles a table into two functions that name each field. A loop over the table would read fields by a variable name,
 * for which V8 has no fast path: encoding a state took 1.4 times as long.
 */
export function compileFields<T>(table: FieldTable<T>): FieldCodec<T> {
  const fields = Object.entries<keyof typeof KINDS>(table);
  const writes = fields.map(([name, kind]) => KINDS[kind].write(`object.${name}`));
  const values = fields.map(([name, kind]) => `${name}: ${KINDS[kind].read}`);
  // oxlint-disable-next-line typescript/no-implied-eval -- the source comes from the tables of this program only
  const compile = new Function(
    'faults',
    'storedTime',
    `return {
      write(numbers, object, atMs) { ${writes.join(' ')} },
      read(stored) { return { ${values.join(', ')} }; },
    };`,
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table has each field of T
  return compile(GAUGE_FAULTS, storedTime) as FieldCodec<T>;
}
