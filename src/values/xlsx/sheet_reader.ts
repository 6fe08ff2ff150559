import type { CsvRecord } from '../csv_reader.ts';
import { UserError } from '../user_error.ts';
import { SAVE_AS_CSV, WORKBOOK_LIMITS } from './limits.ts';
import { xmlParser } from './parts.ts';
import { InlineText } from './shared_strings.ts';

/** Reads the XML of a sheet in pieces and returns the rows that each piece completes. */
export class SheetReader {
  readonly #strings: readonly string[];
  readonly #numberText: (stored: string, style: number) => string;
  readonly #parser: ReturnType<typeof xmlParser>;
  readonly #inline = new InlineText();
  #rows: CsvRecord[] = [];
  #cells: string[] = [];
  #line = 0;
  #count = 0;
  #column = -1;
  #type = 'n';
  #style = 0;
  #value = '';
  #isValue = false;

  constructor(numberTextOf: (stored: string, style: number) => string, strings: readonly string[]) {
    this.#numberText = numberTextOf;
    this.#strings = strings;
    this.#parser = xmlParser({
      onOpen: (name, attributes) => this.#open(name, attributes),
      onText: (text) => this.#text(text),
      onClose: (name) => this.#close(name),
    });
  }

  read(text: string): CsvRecord[] {
    this.#parser.write(text);
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  end(): void {
    this.#parser.close();
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#inline.open(name);
    if (name === 'v') this.#isValue = true;
    if (name === 'row') {
      this.#line = attributes['r'] === undefined ? this.#line + 1 : Number(attributes['r']);
      this.#cells = [];
      this.#column = -1;
    }
    if (name !== 'c') return;
    this.#column = attributes['r'] === undefined ? this.#column + 1 : columnOf(attributes['r']);
    this.#type = attributes['t'] ?? 'n';
    this.#style = Number(attributes['s'] ?? 0);
    this.#value = '';
    this.#inline.clear();
  }

  #text(text: string): void {
    this.#inline.add(text);
    if (this.#isValue && this.#value.length <= WORKBOOK_LIMITS.cellCharacters) this.#value += text;
  }

  #close(name: string): void {
    this.#inline.close(name);
    if (name === 'v') this.#isValue = false;
    if (name === 'c') this.#addCell();
    if (name === 'row') this.#addRow();
  }

  #addCell(): void {
    const text = this.#cellText();
    if (text === '') return;
    if (!(this.#column < WORKBOOK_LIMITS.columns))
      throw new UserError(
        `row ${this.#line} has a cell right of column ${WORKBOOK_LIMITS.columns}, the last one that a table may have.`,
      );
    if (text.length > WORKBOOK_LIMITS.cellCharacters)
      throw new UserError(`row ${this.#line} has a cell with more than ${WORKBOOK_LIMITS.cellCharacters} characters.`);
    while (this.#cells.length < this.#column) this.#cells.push('');
    this.#cells[this.#column] = text;
  }

  #cellText(): string {
    if (this.#type === 'inlineStr') return this.#inline.value;
    const value = this.#value;
    if (this.#type === 's') return this.#strings[Number(value)] ?? '';
    if (this.#type === 'b') return value === '1' ? 'true' : value === '' ? '' : 'false';
    if (this.#type === 'n') return value === '' ? '' : this.#numberText(value, this.#style);
    return value; // the text of a formula, an error such as #N/A, or a time in ISO 8601
  }

  #addRow(): void {
    this.#count++;
    if (this.#count > WORKBOOK_LIMITS.rows)
      throw new UserError(`the sheet has more than ${WORKBOOK_LIMITS.rows} rows; ${SAVE_AS_CSV}.`);
    const cells = this.#cells;
    if (cells.every((cell) => cell.trim() === '')) return;
    const characters = cells.reduce((sum, cell) => sum + cell.length, 0);
    if (characters > WORKBOOK_LIMITS.rowCharacters)
      throw new UserError(`row ${this.#line} has more than ${WORKBOOK_LIMITS.rowCharacters} characters.`);
    this.#rows.push({ line: this.#line, cells, problem: null });
  }
}

/** Returns the index of the column in a reference such as B7; NaN for a text that is not a reference. */
function columnOf(reference: string): number {
  const [, letters] = /^([A-Z]{1,3})\d+$/.exec(reference) ?? [];
  if (letters === undefined) return Number.NaN;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}
