/**
 * Where a text would run as a formula in a spreadsheet: where it begins, and after a semicolon, at which the spreadsheets of many
 * countries begin a cell. As in the files of the service.
 */
const FORMULA = /(^|;"*)(?=[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])/g;

function cell(value: string | number, isOwn: boolean): string {
  const text = typeof value === 'string' && !isOwn ? value.replaceAll(FORMULA, "$1'") : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Adds a byte order mark, so that spreadsheets read accents. Cells of a file of the person, such as +1 802, stay as they are (`isOwn`). */
export const csvOf = (rows: readonly (readonly (string | number)[])[], { isOwn = false } = {}): string =>
  `\uFEFF${rows.map((row) => row.map((value) => cell(value, isOwn)).join(',')).join('\r\n')}\r\n`;

export function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}
