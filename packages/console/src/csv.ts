/**
 * Finds characters that begin a formula in a spreadsheet, at the start of a cell and after a semicolon, because
 * spreadsheets of many countries begin a new cell there. The CSV files of the service have the same rule.
 */
const FORMULA = /(^|;"*)(?=[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])/g;

function cell(value: string | number, isOwn: boolean): string {
  const text = typeof value === 'string' && !isOwn ? value.replaceAll(FORMULA, "$1'") : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Adds a byte order mark, so that spreadsheets read accents. `isOwn`: cells from the person's own file do not change. */
export const csvOf = (rows: readonly (readonly (string | number)[])[], { isOwn = false } = {}): string =>
  `\uFEFF${rows.map((row) => row.map((value) => cell(value, isOwn)).join(',')).join('\r\n')}\r\n`;

/** The query of the URL of a CSV file, from the filters of its list. */
export function csvSearch(filters: object): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? '' : `?${search}`;
}

export function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}
