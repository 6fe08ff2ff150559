import { DECIMAL_MARKS, type DecimalMark, parseDecimal } from '../values/decimal.ts';
import { DAY, DAY_AND_TIME, TIME_OF_DAY } from '../values/file_dates.ts';
import { isAboutTank, isCustomer, suggestColumns, UNIT_WORDS, unitOfHeading } from '../values/heading_words.ts';
import { columnName, distinctHeadings, HeadingIndex, joinedCells, shortCell, together } from '../values/headings.ts';
import type { ImportKind, Mapping } from './import_record.ts';
import { type ImportTarget, knownColumns, measureOf } from './import_row.ts';
import { CUSTOMER_IMPORT, TANK_IMPORT } from './import_targets.ts';
import { LEVEL_COLUMNS } from './tank_levels.ts';

export const IMPORT_TARGETS: Readonly<Record<ImportKind, ImportTarget>> = {
  customers: CUSTOMER_IMPORT,
  tanks: TANK_IMPORT,
};

/** The number of rows from which the contents of the columns are guessed. */
export const SAMPLE_ROWS = 50;

/** These columns are suggested first, because a name in a file is more often the name of a customer than of a tank. */
const FIRST_COLUMNS = [
  'owner',
  'external_key',
  'customer_name',
  'customer_email',
  'customer_phone',
  'customer_other_phones',
  'custom_id',
];

/** Columns that are not offered to a person for mapping, because only files of other programs have them. */
const PROGRAM_COLUMNS = new Set([
  'created_at',
  'is_batch_tank',
  'is_mobile',
  'is_phone_texted',
  'is_verified',
  'report_interval_hours',
  'verified_at',
]);
export const mappableColumns = (target: ImportTarget): string[] =>
  knownColumns(target)
    .filter((column) => !PROGRAM_COLUMNS.has(column))
    // In a file of tanks, the number of the customer is `owner` and the number of the tank is `custom_id`.
    .filter((column) => column !== 'external_key' || target.requiredColumns.includes(column))
    .toSorted((a, b) => rank(a) - rank(b));
const rank = (column: string): number => {
  const at = FIRST_COLUMNS.indexOf(column);
  return at < 0 ? FIRST_COLUMNS.length : at;
};

/**
 * Suggests what the columns of a file mean. Columns with our names are mapped first, then columns whose headings have
 * common words and whose values fit. `rows` are the first rows. Without them, only the headings count.
 */
export function suggestMapping(
  header: readonly string[],
  target: ImportTarget,
  rows: readonly (readonly string[])[] = [],
): Mapping {
  const headings = distinctHeadings(header);
  const names = headings.map(columnName);
  const known = mappableColumns(target);
  const columns: Record<string, string> = {};
  for (const column of known) {
    const same = headings[names.indexOf(column)];
    if (same !== undefined) columns[column] = same;
  }
  // In a file that lacks some of our column names, a column `name` probably has the names of customers, not of tanks.
  if (target.requiredColumns.some((column) => columns[column] === undefined)) delete columns['name'];
  const taken = new Set(Object.values(columns));
  const samples = headings.map((_, at) =>
    rows.map((cells) => shortCell(cells[at] ?? '')).filter((cell) => cell !== ''),
  );
  const open = headings.map((heading) => (taken.has(heading) ? '' : heading));
  const missing = known.filter((column) => columns[column] === undefined);
  const fits = (ours: string, at: number): number => (open[at] === '' ? 0 : fitOf(ours, samples[at] ?? [], target));
  for (const [ours, theirs] of suggestColumns(open, missing, fits)) columns[ours] = theirs;
  completeLevel(columns, headings, (at) => samples[at] ?? []);
  completeNames(columns, headings, target, (at) => fitOf(nameOf(target), samples[at] ?? [], target) > 0);
  shareColumns(columns, target, (theirs) => {
    const places = new HeadingIndex(header).find(theirs);
    return rows.map((cells) => joinedCells(cells, places));
  });
  return { columns, constants: unitConstant(columns) };
}

/** How well values fit our column: 0 if they do not, 1 if they can, more if they hardly fit another column. */
function fitOf(ours: string, values: readonly string[], target: ImportTarget): number {
  const field = target.fields[ours];
  if (values.length === 0) return 1;
  const share = (is: (value: string) => boolean): number => values.filter(is).length / values.length;
  const accepts = (value: string): boolean =>
    field === undefined || DECIMAL_MARKS.some((usual) => 'value' in field(value, { usual }));
  const isCapacity = (value: string): boolean => accepts(measureOf(value)?.digits ?? '');
  if (ours.endsWith('email')) return share(accepts) >= 0.5 ? 3 : 0;
  if (ours === 'measured_at') return share((value) => DAY.test(value) || DAY_AND_TIME.test(value)) >= 0.6 ? 1 : 0;
  if (ours === 'capacity') return share(isCapacity) > 0.4 ? 1 : 0;
  if (share(accepts) < 0.5) return 0;
  if (field?.choices !== undefined) return 2;
  if (ours === 'owner' || ours === 'external_key' || ours === 'custom_id') return share(isWords) > 0.6 ? 0 : 1;
  const isName = ours === 'customer_name' || (ours === 'name' && target === CUSTOMER_IMPORT);
  if (isName) return share((value) => /\p{L}{2}/u.test(value) && !value.includes('@')) > 0.4 ? 1 : 0;
  if (ours.endsWith('phone')) return share((value) => /(\d\D*){5}/.test(value) && !value.includes('@')) > 0.4 ? 1 : 0;
  return 1;
}

/** Whether a value has two words and no digits, such as a name. Numbers and keys do not. */
const isWords = (value: string): boolean => /\p{L}[.,]*\s+\p{L}/u.test(value) && !/\d/.test(value);

/**
 * Joins the day of a level with its time of day if they are in two columns. Removes the suggestion of a level without a
 * time, and of a time without a level.
 */
function completeLevel(
  columns: Record<string, string>,
  headings: readonly string[],
  valuesOf: (at: number) => readonly string[],
): void {
  const { fill_percentage: level, measured_at: day } = columns;
  if (level === undefined || day === undefined) {
    for (const column in LEVEL_COLUMNS) delete columns[column];
    return;
  }
  const areMostly = (at: number, form: RegExp): boolean =>
    valuesOf(at).filter((value) => form.test(value)).length > 0.6 * valuesOf(at).length;
  const time = headings.findIndex(
    (heading, at) => heading !== '' && valuesOf(at).length > 0 && areMostly(at, TIME_OF_DAY),
  );
  if (time >= 0 && areMostly(headings.indexOf(day), DAY))
    columns['measured_at'] = together([day, headings[time] ?? '']);
}

const FIRST_NAME = /^(first name|given name|vorname|nombres?|nombre de pila|prénom|prenom|primeiro nome)\b/i;
const LAST_NAME = /^(last name|surname|family name|nachname|apellidos?|nom de famille|sobrenome)\b/i;

const nameOf = (target: ImportTarget): string => (target === CUSTOMER_IMPORT ? 'name' : 'customer_name');

/**
 * If the file has first and last names in two columns, the name is a column of whole names, such as "Customer", or the
 * two columns together.
 */
function completeNames(
  columns: Record<string, string>,
  headings: readonly string[],
  target: ImportTarget,
  areNames: (at: number) => boolean,
): void {
  const ours = nameOf(target);
  const [first, last] = [FIRST_NAME, LAST_NAME].map((words) => headings.find((heading) => words.test(heading)));
  if (first === undefined || last === undefined) return;
  const isFree = (theirs: string): boolean =>
    Object.entries(columns).every(([column, taken]) => column === ours || taken !== theirs);
  const whole = headings.find(
    (heading, at) => heading !== '' && isCustomer(heading) && areNames(at) && isFree(heading),
  );
  columns[ours] = whole ?? together([first, last]);
}

/**
 * Maps a missing key to another column: a program without customer numbers identifies customers by name. The unit may
 * be in the cells of the capacity.
 */
function shareColumns(
  columns: Record<string, string>,
  target: ImportTarget,
  valuesOf: (theirs: string) => readonly string[],
): void {
  const isUnique = (theirs: string): boolean => {
    const values = valuesOf(theirs).map((value) => value.trim());
    const filled = values.filter((value) => value !== '');
    return filled.length > 0 && new Set(filled).size === filled.length;
  };
  const { name, customer_name: customerName, assigned_device_id: device, capacity } = columns;
  if (target === CUSTOMER_IMPORT) {
    if (columns['external_key'] === undefined && name !== undefined && isUnique(name)) columns['external_key'] = name;
    return;
  }
  if (columns['owner'] === undefined && customerName !== undefined && valuesOf(customerName).length > 0)
    columns['owner'] = customerName;
  const own = [device, columns['owner']].find((theirs) => theirs !== undefined && isUnique(theirs));
  if (columns['custom_id'] === undefined && own !== undefined) columns['custom_id'] = own;
  const hasUnits = (theirs: string): boolean =>
    valuesOf(theirs).some((value) => isUnit(measureOf(value)?.unit.toLowerCase() ?? ''));
  if (capacity !== undefined && columns['capacity_unit'] === undefined && hasUnits(capacity))
    columns['capacity_unit'] = capacity;
}

const isUnit = (word: string): boolean => Object.values(UNIT_WORDS).some((words) => words.some((one) => one === word));

/** The unit in the heading of the capacity, if the file has no column of units. */
function unitConstant({ capacity, capacity_unit: unit }: Readonly<Record<string, string>>): Record<string, string> {
  const isOfCells = unit !== undefined && unit !== capacity;
  const named = capacity === undefined || isOfCells ? undefined : unitOfHeading(capacity);
  return named === undefined ? {} : { capacity_unit: named };
}

/** A file with something that only tanks have is a file of tanks. */
export function suggestKind(header: readonly string[]): ImportKind {
  const { capacity, assigned_device_id: device, custom_id: customId } = suggestMapping(header, TANK_IMPORT).columns;
  const isNumberOfTank = customId !== undefined && (isAboutTank(customId) || columnName(customId) === 'custom_id');
  return capacity !== undefined || device !== undefined || isNumberOfTank ? 'tanks' : 'customers';
}

/** How the numbers of a file are written, if some have only one meaning: 1.234,5 has a decimal comma. */
export function usualDecimal(rows: readonly (readonly string[])[]): DecimalMark | undefined {
  const marks = new Set<DecimalMark>();
  for (const cell of rows.flat()) {
    const [, digits = ''] = /^(\d[\d.,]*\d)\s*(?:%|\p{L}{1,4}\.?)?$/u.exec(cell.trim()) ?? [];
    if (!/[.,]/.test(digits) || typeof parseDecimal(digits) !== 'number') continue;
    // The last sign is the decimal mark if other signs differ from it, or if it does not separate groups: 0.845,
    // 1234.567.
    const last = /[.,](?=\d*$)/.exec(digits)?.[0] === ',' ? 'comma' : 'point';
    const isDecimal = !/^[1-9]\d{0,2}(?:[.,]\d{3})+$/.test(digits) || new Set(digits.match(/[.,]/g)).size > 1;
    marks.add(isDecimal ? last : last === 'comma' ? 'point' : 'comma');
  }
  return marks.size === 1 ? [...marks][0] : undefined;
}
