import type { RowError } from '../values/row_error.ts';

/** Finds rows of a file that repeat a value that must be unique. Keeps every key in memory: about 50 bytes each. */
export class DuplicateRows {
  readonly #uniqueKeys: readonly { columns: readonly string[]; seen: Set<string> }[];

  constructor(uniqueKeys: readonly (readonly string[])[]) {
    this.#uniqueKeys = uniqueKeys.map((columns) => ({ columns, seen: new Set() }));
  }

  /** Adds a row. Returns one error for each key that an earlier row has too. */
  add(values: Readonly<Record<string, unknown>>): RowError[] {
    return this.#uniqueKeys.flatMap(({ columns, seen }) => {
      const key = columns.map((column) => String(values[column])).join('\0');
      if (seen.has(key)) {
        const problem = `the row repeats the ${columns.join(' and ').replace('owner_no', 'owner')} of an earlier line`;
        return [{ column: null, text: null, problem }];
      }
      seen.add(key);
      return [];
    });
  }
}
