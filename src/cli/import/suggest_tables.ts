import { missingColumns } from '../../catalog/import_row.ts';
import { IMPORT_TARGETS, mappableColumns, suggestKind, suggestMapping } from '../../catalog/suggest_mapping.ts';
import { LEVEL_COLUMNS } from '../../catalog/tank_levels.ts';
import { countryOf } from '../../values/country.ts';
import { parseDecimal, withoutPercentSign } from '../../values/decimal.ts';
import { DAY, DAY_AND_TIME, needsOrder, provenDateOrder, TIME_OF_DAY } from '../../values/file_dates.ts';
import { suggestColumns } from '../../values/heading_words.ts';
import { distinctHeadings, HeadingIndex, together } from '../../values/headings.ts';
import { NO_EMAIL } from '../../values/no_email.ts';
import type { DateOrder } from '../../values/text_format.ts';
import { usualConstants } from '../../values/usual_constants.ts';
import type { TableKind, TableMapping } from './mapping_file.ts';

type Texts = Readonly<Record<string, string>>;
type Rows = readonly (readonly string[])[];

interface Hints {
  /** The columns that a person has named. */
  column: Texts;
  /** The constants that a person has set. */
  set: Texts;
  device: string | undefined;
  /** The language of the organization. */
  language: string;
  dateOrder?: DateOrder | undefined;
}

export const READING_FIELDS = ['device_id', 'created_at', 'fill_percentage'];
const USUAL_HEADINGS = 3;

/** Whether a row is a header: it has at least `USUAL_HEADINGS` headings that files usually have. */
export const hasUsualHeadings = (cells: readonly string[]): boolean =>
  suggestColumns(cells, READING_FIELDS).length >= USUAL_HEADINGS ||
  suggestColumns(cells, mappableColumns(IMPORT_TARGETS[suggestKind(cells)])).length >= USUAL_HEADINGS;

/**
 * Suggests what a table has: customers, tanks with or without their customers, readings, or tanks and their last readings. Empty if
 * something is missing that cannot be guessed.
 */
export function suggestTables(header: readonly string[], rows: Rows, hints: Hints): TableMapping[] {
  const likely = suggestKind(header);
  const catalog = suggestCatalog(header, rows, likely, hints);
  const readings = suggestReadings(header, rows, hints);
  // A list of levels may name customers. Only with capacities it is a list of tanks.
  if (readings !== undefined && catalog?.columns['capacity'] === undefined) return [readings];
  const other = likely === 'tanks' ? 'customers' : 'tanks';
  const found = catalog ?? suggestCatalog(header, rows, other, hints);
  if (readings === undefined) return found === undefined ? [] : [found];
  // Columns of levels belong to the readings and not to the catalog.
  const isCatalog = ([column]: [string, string]): boolean => !Object.hasOwn(LEVEL_COLUMNS, column);
  const columns = Object.fromEntries(Object.entries(found?.columns ?? {}).filter(isCatalog));
  return [...(found === undefined ? [] : [{ ...found, columns }]), readings];
}

function suggestCatalog(
  header: readonly string[],
  rows: Rows,
  what: Exclude<TableKind, 'readings'>,
  { column, set, language, dateOrder }: Hints,
): TableMapping | undefined {
  const target = IMPORT_TARGETS[what];
  const importColumns = mappableColumns(target);
  const named = Object.entries(column).filter(([ours]) => importColumns.includes(ours));
  const values = Object.fromEntries(Object.entries(set).filter(([ours]) => importColumns.includes(ours)));
  const suggested = suggestMapping(header, target, rows);
  const columns: Record<string, string> = { ...suggested.columns, ...Object.fromEntries(named) };
  const [place] = new HeadingIndex(header).find(columns['measured_at'] ?? '');
  const days = place === undefined ? [] : rows.map((cells) => cells[place] ?? '');
  const order = provenDateOrder(days);
  // Levels whose dates are ambiguous are left out unless a person names them, because their rows would be refused.
  const isUnknown = order === undefined && dateOrder === undefined && days.some(needsOrder);
  if (isUnknown) for (const ours in LEVEL_COLUMNS) if (column[ours] === undefined) delete columns[ours];
  const knownConstants = { ...suggested.constants, ...values };
  const missing = missingColumns(
    Object.keys(columns).map((ours) => ({ column: ours })),
    target,
    knownConstants,
  );
  const nameOfTank = language.startsWith('es') ? 'Tanque' : 'Tank';
  const constants = usualConstants(
    { what, columns, constants: knownConstants, missing },
    { nameOfTank, unit: unitOf(language), noEmail: NO_EMAIL },
  );
  return missing.some((field) => constants[field] === undefined)
    ? undefined
    : { what, columns, constants, ...(order === undefined ? {} : { date_order: order }) };
}

/** The unit of a country. Without a country, nothing is guessed. */
function unitOf(language: string): string | undefined {
  const country = language === 'es' ? 'MX' : countryOf(language);
  if (country === null) return undefined;
  return country === 'US' ? 'gallons' : 'liters';
}

function suggestReadings(header: readonly string[], rows: Rows, { column, device }: Hints): TableMapping | undefined {
  const headings = distinctHeadings(header);
  const share = (index: number, is: (cell: string) => boolean): number => {
    const filled = rows.map((cells) => (cells[index] ?? '').trim()).filter((cell) => cell !== '');
    return filled.length === 0 ? 0 : filled.filter(is).length / filled.length;
  };
  const fits: Readonly<Record<string, (index: number) => boolean>> = {
    device_id: (index) => share(index, (cell) => /^\S+$/.test(cell)) >= 0.6,
    created_at: (index) => share(index, (cell) => DAY.test(cell) || DAY_AND_TIME.test(cell)) >= 0.6,
    fill_percentage: (index) => share(index, isPercentage) >= 0.6,
  };
  const wanted = READING_FIELDS.filter((field) => column[field] === undefined && !(field === 'device_id' && device));
  const columns: Record<string, string> = Object.fromEntries(
    suggestColumns(headings, wanted, (ours, index) => (fits[ours]?.(index) === true ? 1 : 0)),
  );
  const day = columns['created_at'] === undefined ? -1 : headings.indexOf(columns['created_at']);
  if (day >= 0 && share(day, (cell) => DAY.test(cell)) > 0.6) {
    const time = headings.findIndex((_, index) => share(index, (cell) => TIME_OF_DAY.test(cell)) > 0.6);
    if (time < 0) return undefined; // a date without a time is not enough
    columns['created_at'] = together([headings[day] ?? '', headings[time] ?? '']);
  }
  for (const field of READING_FIELDS) if (column[field] !== undefined) columns[field] = column[field];
  const missing = wanted.filter((field) => columns[field] === undefined);
  if (missing.length > 0) return undefined;
  const order = day < 0 ? undefined : provenDateOrder(rows.map((cells) => cells[day] ?? ''));
  return { what: 'readings', columns, ...(order === undefined ? {} : { date_order: order }) };
}

function isPercentage(cell: string): boolean {
  const value = parseDecimal(withoutPercentSign(cell));
  return typeof value === 'number' && value >= 0 && value <= 110;
}
