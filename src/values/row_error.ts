export const ROW_ERROR_CODES = [
  'invalid',
  'empty',
  'repeated',
  'contradiction',
  'unknown_owner',
  'device_on_other_tank',
  'device_replaced',
  'thresholds',
  'date_order',
  'malformed',
] as const;
export type RowErrorCode = (typeof ROW_ERROR_CODES)[number];

/** An error in a row of a file. */
export interface RowError {
  /** The name of the column; null for an error of the whole row. */
  column: string | null;
  /** The text of the cell; null if it would not help. */
  text: string | null;
  /** The end of a sentence such as "'barril' is not known", or a whole sentence if there is no text. */
  problem: string;
  /** A sentence that says what to do. */
  advice?: string | undefined;
  /** True if each text forms a group of its own. */
  isPerText?: boolean | undefined;
  /** The code, for programs with their own texts. The default is `invalid`. */
  code?: RowErrorCode | undefined;
  /** Errors with the same `group` form one group even if their problems differ. The problem of the first one is shown. */
  group?: string | undefined;
}

/** Rows with the same error. */
export interface RowErrorGroup {
  column: string | null;
  problem: string;
  advice: string | null;
  lines: number;
  first_lines: number[];
}

const SHOWN_CHARACTERS = 60;
const SHOWN_LINES = 3;
/** The largest number of groups, so that thousands of different errors do not fill the memory. */
const MAX_GROUPS = 1_000;

/** Returns the text of an error, such as: capacity_unit: 'barril' is not known */
export const describeRowError = ({ column, text, problem }: RowError): string =>
  `${column === null ? '' : `${column}: `}${text === null || text === '' ? '' : `'${shortText(text)}' `}${problem}`;

/** Shortens a text and removes control characters, because it is printed to a terminal. */
function shortText(text: string): string {
  const clean = text.trim().replaceAll(/\p{Cc}/gu, '\uFFFD');
  return clean.length > SHOWN_CHARACTERS ? `${clean.slice(0, SHOWN_CHARACTERS)}...` : clean;
}

/** Groups the errors of a file by column and reason, in the order of their first lines. */
export class RowErrorGroups {
  readonly #groups = new Map<string, RowErrorGroup>();
  /** The number of errors in no group, because there are too many groups. */
  #ungrouped = 0;

  add(line: number, error: RowError): void {
    const key = `${error.column}\0${error.group ?? error.problem}\0${error.isPerText ? error.text : ''}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      if (this.#groups.size >= MAX_GROUPS) {
        this.#ungrouped++;
        return;
      }
      const problem = describeRowError({ ...error, column: null });
      group = { column: error.column, problem, advice: error.advice ?? null, lines: 0, first_lines: [] };
      this.#groups.set(key, group);
    }
    group.lines++;
    if (group.first_lines.length < SHOWN_LINES) group.first_lines.push(line);
  }

  list(): RowErrorGroup[] {
    return [...this.#groups.values()];
  }

  /** Returns a line for each of the first groups, and a line with the number of other errors. */
  describe(maxGroups: number): string[] {
    const groups = this.list();
    const lines = groups.slice(0, maxGroups).map(describeGroup);
    const others = groups.slice(maxGroups).reduce((sum, group) => sum + group.lines, this.#ungrouped);
    return others === 0 ? lines : [...lines, `... and ${others} more errors`];
  }
}

/** Returns the text of a group, such as: capacity_unit: 'barril' is not known, 200 lines, first 2, 3, 4. */
export function describeGroup({ column, problem, advice, lines, first_lines }: RowErrorGroup): string {
  const where = lines === 1 ? `line ${first_lines[0]}` : `${lines} lines, first ${first_lines.join(', ')}`;
  return `${column === null ? '' : `${column}: `}${problem}, ${where}.${advice === null ? '' : ` ${advice}`}`;
}
