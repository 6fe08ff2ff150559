/** No field has longer values. A long text would cost much to parse. */
export const MAX_CELL_CHARACTERS = 1_000;
/** Unicode allows 30 accents on a letter in text that is read as a stream. */
const TOO_MANY_ACCENTS = /(\p{M}{30})\p{M}+/gu;

/** As much of a cell as shows what it is. Normalizing 60,000 accents on one letter takes 7 s, because they are sorted. */
export const shortCell = (cell: string): string =>
  cell.trim().slice(0, MAX_CELL_CHARACTERS).replaceAll(TOO_MANY_ACCENTS, '$1');

/** Two names of columns are equal in any case, with any blanks, and however an accent is written (as on macOS). */
export const columnName = (name: string): string => shortCell(name).normalize().toLowerCase().replaceAll(/\s+/g, ' ');

/** Several columns that have one value together, such as "Date + Time". */
export const together = (headings: readonly string[]): string => headings.join(' + ');

/** The headings of a file. Those that it has twice get numbers: "Name (1)", "Name (2)". */
export function distinctHeadings(header: readonly string[]): string[] {
  const names = header.map(columnName);
  const seen = new Map<string, number>();
  return header.map((heading, at) => {
    const name = names[at] ?? '';
    const shown = heading.trim().replaceAll(/\s+/g, ' ');
    if (name === '' || names.indexOf(name) === names.lastIndexOf(name)) return shown;
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return `${shown} (${seen.get(name)})`;
  });
}

/** Finds columns by the names that a mapping gives them. */
export class HeadingIndex {
  readonly #names: readonly string[];
  readonly #distinct: readonly string[];

  constructor(header: readonly string[]) {
    this.#names = header.map(columnName);
    this.#distinct = distinctHeadings(header).map(columnName);
  }

  /** The places of the columns that a name stands for: mostly one. Empty if the file does not have all of them. */
  find(name: string): number[] {
    const whole = this.#at(name);
    if (whole >= 0) return [whole];
    const parts = name.trim().replaceAll(/\s+/g, ' ').split(' + ');
    const places = parts.map((part) => this.#at(part));
    return parts.length < 2 || places.includes(-1) ? [] : places;
  }

  /** Whether the name stands for two columns, so that one of them must be chosen. */
  isRepeated(name: string): boolean {
    const wanted = columnName(name);
    return this.#names.indexOf(wanted) !== this.#names.lastIndexOf(wanted);
  }

  #at(name: string): number {
    const wanted = columnName(name);
    const at = this.#names.indexOf(wanted);
    return at >= 0 ? at : this.#distinct.indexOf(wanted);
  }
}

/** The value that several cells have together: a day and a time, a first and a last name. */
export const joinedCells = (cells: readonly string[], places: readonly number[]): string =>
  places.length === 1
    ? (cells[places[0] ?? -1] ?? '')
    : places
        .map((at) => (cells[at] ?? '').trim())
        .filter((cell) => cell !== '')
        .join(' ');

/** What to do about a heading that the file has twice. */
export const repeatedHeading = (heading: string): string =>
  `the file has the column ${heading} twice; name the one that is meant "${heading} (1)" or "${heading} (2)", or rename it in the file.`;
