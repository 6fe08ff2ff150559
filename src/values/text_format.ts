import type { DecimalMark } from './decimal.ts';
import { parseTimeMs } from './time.ts';
import { zonedTimeMs } from './zoned_time.ts';

export const DATE_ORDERS = ['dmy', 'mdy'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** The notation of numbers and times in a file, if its texts alone are ambiguous. */
export interface TextFormat {
  decimal?: DecimalMark | undefined;
  /** The decimal mark of the language of the organization, for numbers with two meanings. */
  usual?: DecimalMark | undefined;
  /** The order of day and month in dates such as 31/12/2025. Without it, only ISO 8601 is accepted. */
  dateOrder?: DateOrder | undefined;
  /** The time zone of times without an offset, such as America/Mexico_City. The default is UTC. */
  timeZone?: string | undefined;
  /** This time is added to every time of the file, to move example files to the present. */
  shiftMs?: number | undefined;
}

/** Times of Excel: 31/12/2025 14:05, 31.12.2025 14:05:30, 12/31/2025 2:05 PM, 31/12/2025 02:05 p. m. */
const SPREADSHEET_TIME =
  /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}),?\s+(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,3}))?)?(?:\s*([ap])\.?\s*m\.?)?$/i;
const HAS_OFFSET = /(?:[Zz]|[+-]\d\d(?::?\d\d)?)$/;

export const hasOffset = (text: string): boolean => HAS_OFFSET.test(text.trim().slice(10));

/** Parses a time to Unix milliseconds. Returns a problem, the end of the sentence "'x' <problem>", if this is impossible. */
export function parseFileTime(text: string, format?: TextFormat): number | string {
  const atMs = parseStoredTime(text, format);
  return typeof atMs === 'string' ? atMs : atMs + (format?.shiftMs ?? 0);
}

function parseStoredTime(text: string, format: TextFormat | undefined): number | string {
  // Accepts a day and a time that were joined from two cells of a workbook, and the French notation 14h05.
  const given = text
    .trim()
    .replace(/T00:00(:00)?\s+(?=\d)/, ' ')
    .replace(/(\d)\s?h\s?(\d\d)/i, '$1:$2');
  const isoMs = parseTimeMs(given);
  if (isoMs !== undefined) return hasOffset(given) ? isoMs : inZone(isoMs, format?.timeZone);
  if (format !== undefined && /^\d{1,2}([/.-])\d{1,2}\1\d{4}/.test(given)) {
    if (format.dateOrder === undefined)
      return 'must be a time such as 2025-12-31T14:05:00Z; for days such as 31/12/2025, use --date-order and --time-zone';
    const localMs = spreadsheetTimeMs(given, format.dateOrder);
    if (localMs !== undefined) return inZone(localMs, format.timeZone);
    return `is not a time with --date-order ${format.dateOrder}; write it like 2025-12-31T14:05:00Z`;
  }
  return 'must be a time such as 2025-08-13T16:38:55Z';
}

function inZone(localMs: number, timeZone: string | undefined): number | string {
  if (timeZone === undefined) return localMs;
  const atMs = zonedTimeMs(localMs, timeZone);
  if (atMs === 'skipped') return `does not exist in ${timeZone}: the clocks were set forward`;
  if (atMs === 'repeated') return `exists twice in ${timeZone}: the clocks were set back; write it with an offset`;
  return atMs;
}

function spreadsheetTimeMs(text: string, order: DateOrder): number | undefined {
  const [, first = '', , second = '', year = '', hourText = '', minute = '', seconds = '00', fraction = '', half] =
    SPREADSHEET_TIME.exec(text) ?? [];
  const [day, month] = order === 'dmy' ? [first, second] : [second, first];
  const hour = half === undefined ? Number(hourText) : hourOf(Number(hourText), half);
  if (hourText === '' || hour === undefined) return undefined;
  const two = (digits: string | number): string => String(digits).padStart(2, '0');
  const iso = `${year}-${two(month)}-${two(day)}T${two(hour)}:${minute}:${seconds}.${fraction.padEnd(3, '0')}Z`;
  return parseTimeMs(iso);
}

/** Converts an hour with AM or PM: 12 AM is midnight and 12 PM is noon. */
function hourOf(hour: number, half: string): number | undefined {
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

/** Writes a number with its noun: 1 tank, 2,300 tanks. */
export const amount = (n: number, nouns: string): string =>
  `${n.toLocaleString('en')} ${n === 1 ? nouns.slice(0, -1) : nouns}`;
