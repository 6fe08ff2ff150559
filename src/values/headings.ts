/** The limit of a cell. Values of fields are shorter, and parsing a long text would take much time. */
export const MAX_CELL_CHARACTERS = 1_000;
/** Unicode limits text that is processed as a stream to 30 accents on a letter. */
const TOO_MANY_ACCENTS = /(\p{M}{30})\p{M}+/gu;

/** Shortens a cell and its accents. Normalizing 60,000 accents on one letter takes 7 s, because they are sorted. */
export const shortCell = (cell: string): string =>
  cell.trim().slice(0, MAX_CELL_CHARACTERS).replaceAll(TOO_MANY_ACCENTS, '$1');

/** Normalizes the name of a column: case, blanks and the encoding of accents, which differs on macOS, are ignored. */
export const columnName = (name: string): string => shortCell(name).normalize().toLowerCase().replaceAll(/\s+/g, ' ');

/** Names several columns whose cells are joined to one value, such as "Date + Time". */
export const together = (headings: readonly string[]): string => headings.join(' + ');

/** Returns the headings of a file. Headings that occur twice get numbers: "Name (1)", "Name (2)". */
export function distinctHeadings(header: readonly string[]): string[] {
  const names = header.map(columnName);
  const seen = new Map<string, number>();
  return header.map((heading, index) => {
    const name = names[index] ?? '';
    const shown = heading.trim().replaceAll(/\s+/g, ' ');
    if (name === '' || names.indexOf(name) === names.lastIndexOf(name)) return shown;
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return `${shown} (${seen.get(name)})`;
  });
}

/** Finds columns by the headings in a mapping. */
export class HeadingIndex {
  readonly #names: readonly string[];
  readonly #distinct: readonly string[];

  constructor(header: readonly string[]) {
    this.#names = header.map(columnName);
    this.#distinct = distinctHeadings(header).map(columnName);
  }

  /** Returns the indexes of the columns with a name such as "Date" or "Date + Time"; empty if the file lacks one of them. */
  find(name: string): number[] {
    const index = this.#indexOf(name);
    if (index >= 0) return [index];
    const parts = name.trim().replaceAll(/\s+/g, ' ').split(' + ');
    const places = parts.map((part) => this.#indexOf(part));
    return parts.length < 2 || places.includes(-1) ? [] : places;
  }

  /** Returns true if two columns have this name, so that a person must choose one. */
  isRepeated(name: string): boolean {
    const wanted = columnName(name);
    return this.#names.indexOf(wanted) !== this.#names.lastIndexOf(wanted);
  }

  #indexOf(name: string): number {
    const wanted = columnName(name);
    const index = this.#names.indexOf(wanted);
    return index >= 0 ? index : this.#distinct.indexOf(wanted);
  }
}

/** Joins the cells of a value that has several columns: a day and a time, a first and a last name. */
export const joinedCells = (cells: readonly string[], places: readonly number[]): string =>
  places.length === 1
    ? (cells[places[0] ?? -1] ?? '')
    : places
        .map((place) => (cells[place] ?? '').trim())
        .filter((cell) => cell !== '')
        .join(' ');

/** Returns the error for a heading that the file has twice. */
export const repeatedHeading = (heading: string): string =>
  `the file has the column ${heading} twice; name the one that is meant "${heading} (1)" or "${heading} (2)", or rename it in the file.`;
