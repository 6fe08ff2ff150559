/** One line of CSV as in RFC 4180. Null and undefined become an empty field. */
export function csvLine(values: readonly unknown[], { isSpreadsheetSafe = false } = {}): string {
  return `${values.map((value) => csvField(isSpreadsheetSafe ? withoutFormula(value) : value)).join(',')}\n`;
}

function csvField(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A spreadsheet runs a text that begins with one of these characters as a formula. An apostrophe makes it a text again. */
const withoutFormula = (value: unknown): unknown =>
  typeof value === 'string' && /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(value) ? `'${value}` : value;
