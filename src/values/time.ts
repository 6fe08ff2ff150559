export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * A time with full precision: whole milliseconds, which are stored, and whether the text had a nonzero digit below them. With both, a
 * filter with microseconds is compared exactly.
 */
export interface ExactTime {
  ms: number;
  isPastMs: boolean;
}

export interface IsoTimeOptions {
  /** Accept a space in place of the T, as in PostgreSQL and many CSV files. */
  allowSpace?: boolean;
  /** Accept a date alone and read it as midnight UTC. */
  allowDateOnly?: boolean;
  maxFractionDigits?: number;
}

/** The years 1000 to 9999 (UTC). PostgreSQL and JavaScript write these times in the same way, and some days around them too. */
export const COMMON_ERA_MS = { first: Date.UTC(1000, 0), last: 253_402_300_799_999 } as const;

const ISO_TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:([Tt ])([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d+))?)?(?:[Zz]|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?)?$/;

/**
 * Parses ISO 8601: a date, a time and an offset. A time without an offset is UTC. Returns undefined for any other text and for days
 * that do not exist. Date.parse is not used, because it accepts many other notations and reads February 30 as March 2. Checking its
 * result would take three times as long, and every reading has a time.
 */
export function parseIsoTime(
  text: string,
  { allowSpace = false, allowDateOnly = false, maxFractionDigits = 9 }: IsoTimeOptions = {},
): ExactTime | undefined {
  const match = ISO_TIME.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, separator, hour = '0', minute = '0', second = '0', fraction = ''] = match;
  const [sign, offsetHours = '0', offsetMinutes = '0'] = match.slice(9);
  if (separator === undefined ? !allowDateOnly : separator === ' ' && !allowSpace) return undefined;
  if (fraction.length > maxFractionDigits) return undefined;

  const midnightMs = new Date(0).setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const midnight = new Date(midnightMs);
  if (midnight.getUTCDate() !== Number(day) || midnight.getUTCMonth() !== Number(month) - 1) return undefined;

  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  const milliseconds = fraction === '' ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'));
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * MINUTE_MS;
  const utcMs = midnightMs + seconds * SECOND_MS + milliseconds + (sign === '-' ? offsetMs : -offsetMs);
  return { ms: utcMs, isPastMs: fraction.length > 3 && /[1-9]/.test(fraction.slice(3)) };
}

/**
 * Parses times in files, payloads and command line options to Unix milliseconds. Many programs write these times, so a space and any
 * number of fraction digits are accepted; digits below a millisecond are ignored.
 */
export function parseTimeMs(
  text: string,
  { allowDateOnly = false }: Pick<IsoTimeOptions, 'allowDateOnly'> = {},
): number | undefined {
  const options = { allowSpace: true, allowDateOnly, maxFractionDigits: Number.POSITIVE_INFINITY };
  return parseIsoTime(text, options)?.ms;
}

/** A time of day such as 07:00. */
export const CLOCK_TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

/** Returns true for a day of the calendar, such as 2026-10-31. */
export const isDay = (text: string): boolean =>
  text.length === 10 && parseTimeMs(text, { allowDateOnly: true }) !== undefined;

const DATE_TEXTS = new Map<number, string>();
const MAX_DATE_TEXTS = 5_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));

/**
 * Writes the text of Date.toISOString in a third of the time, for the years 1970 to 9999. The texts of days are cached, because a page
 * of tanks has 600 times within few days.
 */
export function formatIsoTime(ms: number): string {
  const day = Math.floor(ms / DAY_MS);
  let date = DATE_TEXTS.get(day);
  if (date === undefined) {
    if (DATE_TEXTS.size >= MAX_DATE_TEXTS) DATE_TEXTS.clear();
    date = new Date(day * DAY_MS).toISOString().slice(0, 10);
    DATE_TEXTS.set(day, date);
  }
  const rest = Math.floor(ms) - day * DAY_MS;
  const hours = TWO_DIGITS[Math.floor(rest / HOUR_MS)];
  const minutes = TWO_DIGITS[Math.floor(rest / MINUTE_MS) % 60];
  const seconds = TWO_DIGITS[Math.floor(rest / SECOND_MS) % 60];
  return `${date}T${hours}:${minutes}:${seconds}.${String(rest % SECOND_MS).padStart(3, '0')}Z`;
}
