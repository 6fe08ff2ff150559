export interface CsvLineOptions {
  /** Texts that a spreadsheet would run as formulas get an apostrophe. */
  isSpreadsheetSafe?: boolean;
  delimiter?: string;
}

/** At the start of a UTF-8 file, it makes Excel read the file as UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** One line of CSV, quoted as in RFC 4180, but ended with \n. Null and undefined become an empty field. */
export function csvLine(
  values: readonly unknown[],
  { isSpreadsheetSafe = false, delimiter = ',' }: CsvLineOptions = {},
): string {
  const cells = values.map((value) => csvField(isSpreadsheetSafe ? withoutFormula(value) : value, delimiter));
  return `${cells.join(delimiter)}\n`;
}

function csvField(value: unknown, delimiter: string): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A spreadsheet runs a text that begins with one of these characters as a formula. An apostrophe makes it a text again. In many
 * countries a spreadsheet splits rows at semicolons, whatever the delimiter of the file is: a cell begins there too.
 */
const withoutFormula = (value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll(/(^|;"*)(?=[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])/g, "$1'") : value;
