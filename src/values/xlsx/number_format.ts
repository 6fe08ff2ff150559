import { type DecimalMark, formatDecimal } from '../decimal.ts';
import { DAY_MS } from '../time.ts';

/** The meaning of a number in a cell of a workbook. Only the format of the cell shows it. */
export type NumberKind = 'number' | 'percentage' | 'time';

/** Returns true for built-in date and time formats of Excel: 14 to 22 and 45 to 47, and those of East Asia. */
const isBuiltInTime = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);
const BUILT_IN_PERCENTAGES = new Set([9, 10]);

/** Returns the kind of a format. A format that the workbook defines has a `code`, such as `dd/mm/yyyy hh:mm` or `0.0%`. */
export function numberKind(id: number, code: string | undefined): NumberKind {
  if (code === undefined) {
    if (isBuiltInTime(id)) return 'time';
    return BUILT_IN_PERCENTAGES.has(id) ? 'percentage' : 'number';
  }
  // Removes texts in quotes, escaped signs, and colors or conditions in brackets. [h] is kept: it counts hours.
  const signs = code
    .replaceAll(/"[^"]*"|\\.|_.|\*./g, '')
    .replaceAll(/\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi, '')
    .replaceAll(/general/gi, '');
  if (/[ymdhs]/i.test(signs)) return 'time';
  return signs.includes('%') ? 'percentage' : 'number';
}

/** The day 0 of Excel. Workbooks of old versions of Excel for the Mac count from 1904. */
const EXCEL_EPOCH_MS = Date.UTC(1899, 11, 30);
const EXCEL_1904_EPOCH_MS = Date.UTC(1904, 0, 1);
/** Excel keeps 15 digits, so numbers from this value on are not exact. */
const INEXACT = 1e15;

interface NumberTextOptions {
  kind: NumberKind;
  isFrom1904: boolean;
  /** The decimal mark of the texts in the same file. */
  decimal: DecimalMark | undefined;
}

/** Returns the text that a CSV file would have, so that one parser reads both. `stored` is the text of the number in the workbook. */
export function numberText(stored: string, { kind, isFrom1904, decimal }: NumberTextOptions): string {
  const value = Number(stored);
  // Excel has rounded identifiers of 16 digits or more. Their stored form is refused with a reason.
  if (!Number.isFinite(value) || Math.abs(value) >= INEXACT) return stored;
  if (kind === 'time') return timeText(value, isFrom1904) ?? stored;
  if (kind === 'percentage') return `${decimalText(Number((value * 100).toPrecision(15)), decimal)} %`;
  return decimalText(value, decimal);
}

function decimalText(value: number, decimal: DecimalMark | undefined): string {
  if (decimal === undefined) return formatDecimal(value);
  return decimal === 'comma' ? String(value).replace('.', ',') : String(value);
}

/** Writes ISO 8601 without an offset, because a workbook has no time zone. A number below 1 is a time without a day. */
function timeText(days: number, isFrom1904: boolean): string | undefined {
  const ms = Math.round(days * DAY_MS);
  const firstMs = isFrom1904 ? EXCEL_1904_EPOCH_MS : EXCEL_EPOCH_MS;
  if (ms < 0 || Math.abs(firstMs + ms) > 8.64e15) return undefined;
  const iso = new Date(firstMs + ms).toISOString().replace(/(\.000)?Z$/, '');
  return days < 1 ? iso.slice(11) : iso;
}
