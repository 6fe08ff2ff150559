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

/** What is wrong with a row of a file. */
export interface RowError {
  /** Null for the whole row. */
  column: string | null;
  /** The text of the cell. Null if it does not help. */
  text: string | null;
  /** As in "'barril' is not known", or a whole sentence if there is no text. */
  problem: string;
  /** A sentence that says what to do. */
  advice?: string | undefined;
  /** True if each text forms a group of its own. */
  isPerText?: boolean | undefined;
  /** For programs that have texts of their own. The default is `invalid`. */
  code?: RowErrorCode | undefined;
  /** Replaces the problem as what the errors of a group have in common. The problem of the first one is shown. */
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
/** The limit of groups, so that thousands of different errors do not fill the memory. */
const MAX_GROUPS = 1_000;

/** One error in words, such as: capacity_unit: 'barril' is not known */
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
  /** Errors that are in no group, because there are too many groups. */
  #others = 0;

  add(line: number, error: RowError): void {
    const key = `${error.column}\0${error.group ?? error.problem}\0${error.isPerText ? error.text : ''}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      if (this.#groups.size >= MAX_GROUPS) {
        this.#others++;
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

  /** One line for each group, such as: capacity_unit: 'barril' is not known, 200 lines, first 2, 3, 4. */
  describe(maxGroups: number): string[] {
    const groups = this.list();
    const lines = groups.slice(0, maxGroups).map(describeGroup);
    const left = groups.slice(maxGroups).reduce((sum, group) => sum + group.lines, this.#others);
    return left === 0 ? lines : [...lines, `... and ${left} more errors`];
  }
}

/** Such as: capacity_unit: 'barril' is not known, 200 lines, first 2, 3, 4. */
export function describeGroup({ column, problem, advice, lines, first_lines }: RowErrorGroup): string {
  const where = lines === 1 ? `line ${first_lines[0]}` : `${lines} lines, first ${first_lines.join(', ')}`;
  return `${column === null ? '' : `${column}: `}${problem}, ${where}.${advice === null ? '' : ` ${advice}`}`;
}
