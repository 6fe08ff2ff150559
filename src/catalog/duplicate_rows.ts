import type { RowError } from '../values/row_error.ts';

/** Columns that must be equal in all rows with the same key, such as the name of a customer with several tanks. */
export interface RepeatedColumns {
  key: string;
  columns: readonly string[];
}

/**
 * Finds rows of a file that repeat a value that must be unique, or contradict an earlier row. Keeps every key in
 * memory, which is about 50 bytes each.
 */
export class DuplicateRows {
  readonly #uniqueKeys: readonly { columns: readonly string[]; seen: Set<string> }[];
  readonly #repeated: RepeatedColumns | undefined;
  /** The first value of each repeated column, by key and column. */
  readonly #firstValues = new Map<string, string>();

  constructor(uniqueKeys: readonly (readonly string[])[], repeated?: RepeatedColumns) {
    this.#uniqueKeys = uniqueKeys.map((columns) => ({ columns, seen: new Set() }));
    this.#repeated = repeated;
  }

  /** Adds a row. Returns one error for each value that contradicts an earlier row, or for each key that it repeats. */
  add(values: Readonly<Record<string, unknown>>, constants?: ReadonlySet<string>): RowError[] {
    const contradictions = this.#contradictions(values, constants);
    if (contradictions.length > 0) return contradictions;
    const repeats = this.repeats(values);
    for (const { columns, seen } of this.#uniqueKeys) {
      const key = keyOf(columns, values);
      if (key !== undefined) seen.add(key);
    }
    return repeats;
  }

  /** One error for each key that an earlier row has too. Adds nothing. */
  repeats(values: Readonly<Record<string, unknown>>): RowError[] {
    return this.#uniqueKeys.flatMap(({ columns, seen }) => {
      const key = keyOf(columns, values);
      if (key === undefined || !seen.has(key)) return [];
      const problem = `the row repeats the ${columns.join(' and ').replace('owner_key', 'owner')} of an earlier line`;
      return [{ column: null, text: null, problem, code: 'repeated' as const }];
    });
  }

  #contradictions(values: Readonly<Record<string, unknown>>, constants?: ReadonlySet<string>): RowError[] {
    if (this.#repeated === undefined) return [];
    const { key, columns } = this.#repeated;
    const errors: RowError[] = [];
    for (const column of columns) {
      const value = values[column];
      // An empty cell or a constant contradicts nothing.
      if (typeof value !== 'string' || constants?.has(column)) continue;
      const name = `${String(values[key])}\0${column}`;
      const first = this.#firstValues.get(name);
      if (first === undefined) this.#firstValues.set(name, value);
      else if (first !== value) {
        const problem = 'differs from an earlier line of the same customer';
        errors.push({ column, text: value, problem, code: 'contradiction' });
      }
    }
    return errors;
  }
}

/** Undefined if the row lacks a value of this key. Such a row repeats nothing. */
const keyOf = (columns: readonly string[], values: Readonly<Record<string, unknown>>): string | undefined =>
  columns.some((column) => values[column] === undefined || values[column] === null)
    ? undefined
    : columns.map((column) => String(values[column])).join('\0');
