import { boolean, type Field, type FieldError, identifier, number, oneOf, orNull, text } from '../catalog/field.ts';
import { findTimeProblem } from '../telemetry/reading.ts';
import { UNIT_WORDS } from '../values/heading_words.ts';
import { PRODUCT_WORDS } from '../values/products.ts';
import { parseFileTime } from '../values/text_format.ts';
import { DAY_MS, isDay } from '../values/time.ts';

const ISO_DAY = /^\d{4}-\d\d-\d\d$/;
const WRITTEN_DAY = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/;

/**
 * How far in the future a note may be: the clock of a truck may be hours ahead, which the ledger corrects, and the day
 * may have begun in another time zone. A wrong year is refused.
 */
const MAX_NOTE_AHEAD_MS = 7 * DAY_MS;

/** A time, as ISO 8601, or only the day, such as 2026-10-31. */
const timeOrDay: Field<string> = (given, format) => {
  const trimmed = given.trim();
  const [, first = '', , second = '', year = ''] = WRITTEN_DAY.exec(trimmed) ?? [];
  const [day, month] = format?.dateOrder === 'mdy' ? [second, first] : [first, second];
  const iso = year === '' || format?.dateOrder === undefined ? trimmed : `${year}-${two(month)}-${two(day)}`;
  if (ISO_DAY.test(iso))
    return isDay(iso)
      ? inBounds(Date.parse(iso), iso)
      : { reason: 'must be a day of the calendar, such as 2026-10-31' };
  const atMs = parseFileTime(given, format);
  return typeof atMs === 'string' ? { reason: atMs } : inBounds(atMs, new Date(atMs).toISOString());
};

function inBounds(atMs: number, value: string): { value: string } | FieldError {
  const wrong = findTimeProblem(atMs, Date.now() + MAX_NOTE_AHEAD_MS);
  return wrong === undefined ? { value } : { reason: wrong.problem };
}

const two = (digits: string): string => digits.padStart(2, '0');

const series: Field<string> = (given) => (given.trim() === '' ? { value: '' } : text(50)(given));

/** The fields of a delivery note, as a file or a body writes them. */
export const NOTE_FIELDS = {
  series,
  number: identifier(100),
  at: timeOrDay,
  volume: number({
    accepts: (value) => value > 0 && value < 1e9,
    wanted: 'a number greater than 0 and below 1,000,000,000',
  }),
  unit: orNull(oneOf(UNIT_WORDS)),
  tank: orNull(identifier(200)),
  customer: orNull(identifier(200)),
  truck: orNull(text(200)),
  driver: orNull(text(200)),
  product: orNull(oneOf(PRODUCT_WORDS)),
  compensated: orNull(boolean),
  product_temperature: orNull(
    number({ accepts: (value) => Math.abs(value) <= 60, wanted: 'degrees Celsius from -60 to 60', isBelow1000: true }),
  ),
  filled_to: orNull(
    number({
      accepts: (value) => value >= 0 && value <= 100,
      wanted: 'a percentage from 0 to 100',
      isBelow1000: true,
      isPercentage: true,
    }),
  ),
  reference: orNull(text(200)),
  status: orNull(
    oneOf({
      valid: ['ok', 'válida', 'valida', 'vigente', 'activa'],
      cancelled: ['canceled', 'void', 'cancelada', 'cancelado', 'anulada'],
    }),
  ),
};
