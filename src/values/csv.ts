export interface CsvLineOptions {
  /** True to add an apostrophe to texts that a spreadsheet would run as formulas. */
  isSpreadsheetSafe?: boolean;
  delimiter?: string;
}

/** At the start of a file, this mark makes Excel read the file as UTF-8. */
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
 * Adds an apostrophe to a text that begins with one of these characters, because a spreadsheet would run it as a formula. In many
 * countries a spreadsheet splits rows at semicolons, even if the file has another delimiter, so a cell can begin after each semicolon.
 */
const withoutFormula = (value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll(/(^|;"*)(?=[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])/g, "$1'") : value;
