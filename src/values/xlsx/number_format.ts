import { type DecimalMark, formatDecimal } from '../decimal.ts';
import { DAY_MS } from '../time.ts';

/** What the number of a cell in a workbook is: its format says it, and not its value. */
export type NumberKind = 'number' | 'percentage' | 'time';

/** The formats that Excel knows by number: 14 to 22 and 45 to 47 are dates and times, those of East Asia follow. */
const isBuiltInTime = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);
const BUILT_IN_PERCENTAGES = new Set([9, 10]);

/** The kind of a format. `code` is such as `dd/mm/yyyy hh:mm` or `0.0%`, for a format of the workbook's own. */
export function numberKind(id: number, code: string | undefined): NumberKind {
  if (code === undefined) {
    if (isBuiltInTime(id)) return 'time';
    return BUILT_IN_PERCENTAGES.has(id) ? 'percentage' : 'number';
  }
  // Without texts in quotes, escaped signs, and colors or conditions in brackets. [h] counts hours.
  const signs = code
    .replaceAll(/"[^"]*"|\\.|_.|\*./g, '')
    .replaceAll(/\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi, '')
    .replaceAll(/general/gi, '');
  if (/[ymdhs]/i.test(signs)) return 'time';
  return signs.includes('%') ? 'percentage' : 'number';
}

/** Excel counts days from here, or in workbooks of an old Excel for the Mac from 1904 on. */
const EXCEL_EPOCH_MS = Date.UTC(1899, 11, 30);
const EXCEL_1904_EPOCH_MS = Date.UTC(1904, 0, 1);
/** Doubles are not exact from this value on, and Excel keeps 15 digits. */
const INEXACT = 1e15;

interface NumberTextOptions {
  kind: NumberKind;
  isFrom1904: boolean;
  /** The decimal mark of the texts in the same file. */
  decimal: DecimalMark | undefined;
}

/** The text that a CSV file would have, so that one parser reads both. `stored` is the number as the workbook has it. */
export function numberText(stored: string, { kind, isFrom1904, decimal }: NumberTextOptions): string {
  const value = Number(stored);
  // Identifiers of 16 digits or more are damaged. In this form, they are refused with a reason.
  if (!Number.isFinite(value) || Math.abs(value) >= INEXACT) return stored;
  if (kind === 'time') return timeText(value, isFrom1904) ?? stored;
  if (kind === 'percentage') return `${decimalText(Number((value * 100).toPrecision(15)), decimal)} %`;
  return decimalText(value, decimal);
}

function decimalText(value: number, decimal: DecimalMark | undefined): string {
  if (decimal === undefined) return formatDecimal(value);
  return decimal === 'comma' ? String(value).replace('.', ',') : String(value);
}

/** ISO 8601 without an offset: a workbook does not say its time zone. A time without a day has the number of no day. */
function timeText(days: number, isFrom1904: boolean): string | undefined {
  const ms = Math.round(days * DAY_MS);
  const firstMs = isFrom1904 ? EXCEL_1904_EPOCH_MS : EXCEL_EPOCH_MS;
  if (ms < 0 || Math.abs(firstMs + ms) > 8.64e15) return undefined;
  const iso = new Date(firstMs + ms).toISOString().replace(/(\.000)?Z$/, '');
  return days < 1 ? iso.slice(11) : iso;
}
