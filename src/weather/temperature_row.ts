import { parseDecimal } from '../values/decimal.ts';
import { parseFileTime, type TextFormat } from '../values/text_format.ts';
import { DAY_MS, parseTimeMs } from '../values/time.ts';

/** The columns of a file of temperatures, and the fields of a temperature in a request. */
export const TEMPERATURE_COLUMNS = [
  'station',
  'postal_code',
  'latitude',
  'longitude',
  'date',
  'mean',
  'min',
  'max',
  'unit',
  'kind',
  'issued_at',
  'source',
] as const;
export type TemperatureColumn = (typeof TEMPERATURE_COLUMNS)[number];
export type TemperatureCells = Readonly<Record<TemperatureColumn, string>>;

export const byColumn = <Value>(valueOf: (column: TemperatureColumn) => Value): Record<TemperatureColumn, Value> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entries are made from all columns
  Object.fromEntries(TEMPERATURE_COLUMNS.map((column) => [column, valueOf(column)])) as Record<
    TemperatureColumn,
    Value
  >;

const TEMPERATURE_KINDS = ['observed', 'forecast', 'normal'] as const;
export type TemperatureKind = (typeof TEMPERATURE_KINDS)[number];

/** The mean temperature of one day at one place. */
export interface Temperature {
  /** Identifies the place in its organization. */
  place: string;
  postalCode: string | null;
  latitude: number | null;
  longitude: number | null;
  /** The number of days since 1970-01-01, by the clock of the place. */
  day: number;
  kind: TemperatureKind;
  meanC: number;
  issuedAtMs: number;
  source: string;
}

/** An error in a row, such as "date: 'x' must be a day". */
export interface TemperatureError {
  column: TemperatureColumn;
  text: string;
  problem: string;
}

export const isTemperatureError = (row: Temperature | TemperatureError): row is TemperatureError => 'problem' in row;

/** The limits of a daily mean. No place with tanks has had a mean outside of them. */
export const MIN_TEMPERATURE_C = -70;
export const MAX_TEMPERATURE_C = 55;
/** The largest number of days from today to the day of a forecast. */
const MAX_ACCEPTED_FORECAST_DAYS = 30;
const MAX_TEXT_CHARACTERS = 64;

/** An error that only `parseTemperature` throws and catches. */
class InvalidCellError extends Error {
  readonly error: TemperatureError;

  constructor(column: TemperatureColumn, text: string, problem: string) {
    super(problem);
    this.error = { column, text: text.slice(0, MAX_TEXT_CHARACTERS), problem };
  }
}

/** Parses the texts of a row that was received at `nowMs`. This is the issue time of a forecast without one. */
export function parseTemperature(
  cells: TemperatureCells,
  nowMs: number,
  format: TextFormat = {},
): Temperature | TemperatureError {
  try {
    const place = parsePlace(cells, format);
    const day = parseDay(cells.date, format);
    const today = Math.floor(nowMs / DAY_MS);
    const kind = parseKind(cells.kind, day < today ? 'observed' : 'forecast');
    // `today` is the day in UTC. In some time zones the next day has already begun.
    if (kind === 'observed' && day > today + 1) throw new InvalidCellError('date', cells.date, 'is in the future');
    if (kind === 'forecast' && day > today + MAX_ACCEPTED_FORECAST_DAYS)
      throw new InvalidCellError('date', cells.date, `is more than ${MAX_ACCEPTED_FORECAST_DAYS} days ahead`);
    return {
      ...place,
      day,
      kind,
      meanC: parseMean(cells, format),
      issuedAtMs: parseIssue(cells.issued_at, kind, day, nowMs),
      source: shortText('source', cells.source),
    };
  } catch (error) {
    if (error instanceof InvalidCellError) return error.error;
    throw error;
  }
}

type PlaceFields = Pick<Temperature, 'place' | 'postalCode' | 'latitude' | 'longitude'>;

/** Parses a station, a postal code or coordinates. A station may also have the other two, by which tanks are matched with it. */
function parsePlace(cells: TemperatureCells, format: TextFormat): PlaceFields {
  const station = shortText('station', cells.station);
  const postalCode = shortText('postal_code', cells.postal_code).toUpperCase().replaceAll(/\s/g, '');
  const latitude = parseCoordinate('latitude', cells.latitude, 90, format);
  const longitude = parseCoordinate('longitude', cells.longitude, 180, format);
  if ((latitude === null) !== (longitude === null))
    throw new InvalidCellError(latitude === null ? 'latitude' : 'longitude', '', 'is missing');
  const fields = { postalCode: postalCode === '' ? null : postalCode, latitude, longitude };
  if (station !== '') return { place: station, ...fields };
  // The prefix prevents that a station and a postal code with the same number are one place.
  if (postalCode !== '') return { place: `postal ${postalCode}`, ...fields };
  if (latitude !== null && longitude !== null)
    return { place: `at ${latitude.toFixed(2)},${longitude.toFixed(2)}`, ...fields };
  throw new InvalidCellError('station', '', 'is missing; name a station, a postal_code, or latitude and longitude');
}

function shortText(column: TemperatureColumn, text: string): string {
  if (text.length > MAX_TEXT_CHARACTERS || /\p{Cc}/u.test(text))
    throw new InvalidCellError(
      column,
      text,
      `must have at most ${MAX_TEXT_CHARACTERS} characters, without line breaks`,
    );
  return text.trim();
}

function parseCoordinate(
  column: 'latitude' | 'longitude',
  text: string,
  limit: number,
  format: TextFormat,
): number | null {
  if (text === '') return null;
  const value = parseDecimal(text, text.includes('.') ? 'point' : format.decimal);
  if (typeof value !== 'number' || Math.abs(value) > limit)
    throw new InvalidCellError(column, text, `must be a number from -${limit} to ${limit}`);
  return Math.round(value * 1e4) / 1e4;
}

function parseDay(text: string, { dateOrder }: TextFormat): number {
  // The date is the local day of the place: an hour or an offset after it is ignored.
  const [date] = /^\d{4}-\d\d-\d\d(?=$|[T ])/.exec(text) ?? [];
  const atMs =
    date === undefined ? parseFileTime(`${text} 00:00`, { dateOrder }) : parseTimeMs(date, { allowDateOnly: true });
  if (typeof atMs === 'number' && atMs >= 0) return Math.floor(atMs / DAY_MS);
  const isOtherOrder = /^\d{1,2}([/.-])\d{1,2}\1\d{4}$/.test(text) && dateOrder === undefined;
  throw new InvalidCellError(
    'date',
    text,
    `must be a day such as 2026-01-31${isOtherOrder ? '; or use --date-order' : ''}`,
  );
}

function parseKind(text: string, otherwise: TemperatureKind): TemperatureKind {
  const kind = TEMPERATURE_KINDS.find((known) => known === (text.toLowerCase() || otherwise));
  if (kind === undefined) throw new InvalidCellError('kind', text, `must be one of ${TEMPERATURE_KINDS.join(', ')}`);
  return kind;
}

function parseMean(cells: TemperatureCells, format: TextFormat): number {
  const toCelsius = parseUnit(cells.unit);
  const read = (column: 'mean' | 'min' | 'max'): number => {
    const text = cells[column];
    const value = parseDecimal(text.replace(/\s*°?[CF]$/i, ''), format.decimal);
    if (typeof value !== 'number') throw new InvalidCellError(column, text, 'must be a number such as -8.5');
    const celsius = toCelsius(value);
    if (celsius < MIN_TEMPERATURE_C || celsius > MAX_TEMPERATURE_C)
      throw new InvalidCellError(
        column,
        text,
        `must be between ${MIN_TEMPERATURE_C} and ${MAX_TEMPERATURE_C} °C; is the unit right?`,
      );
    return celsius;
  };
  if (cells.mean !== '') return hundredth(read('mean'));
  if (cells.min === '' && cells.max === '')
    throw new InvalidCellError('mean', '', 'is missing; give mean, or min and max');
  const [min, max] = [read('min'), read('max')];
  if (min > max) throw new InvalidCellError('min', cells.min, 'is above max');
  return hundredth((min + max) / 2);
}

const hundredth = (value: number): number => Math.round(value * 100) / 100;

function parseUnit(text: string): (degrees: number) => number {
  const unit = text.replace('°', '').toLowerCase();
  if (unit === '' || unit === 'c' || unit === 'celsius') return (degrees) => degrees;
  if (unit === 'f' || unit === 'fahrenheit') return (degrees) => (degrees - 32) / 1.8;
  throw new InvalidCellError('unit', text, 'must be C or F');
}

/**
 * Parses the issue time. The newest issue of a day is used. The issue time of an observation is the end of its day by default, so that
 * importing a file again changes nothing.
 */
function parseIssue(text: string, kind: TemperatureKind, day: number, nowMs: number): number {
  if (text === '') return kind === 'forecast' ? nowMs : (day + 1) * DAY_MS;
  const atMs = parseTimeMs(text, { allowDateOnly: true });
  if (atMs === undefined) throw new InvalidCellError('issued_at', text, 'must be a time such as 2026-01-31T06:00:00Z');
  if (atMs > nowMs + DAY_MS) throw new InvalidCellError('issued_at', text, 'is in the future');
  return atMs;
}
