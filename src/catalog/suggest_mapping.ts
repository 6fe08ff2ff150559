import { suggestColumns, unitOfHeading } from '../values/heading_words.ts';
import { columnName } from '../values/table_reader.ts';
import type { ImportKind, Mapping } from './import_record.ts';
import { type ImportTarget, knownColumns } from './import_row.ts';
import { CUSTOMER_IMPORT, TANK_IMPORT } from './import_targets.ts';

export const IMPORT_TARGETS: Readonly<Record<ImportKind, ImportTarget>> = {
  customers: CUSTOMER_IMPORT,
  tanks: TANK_IMPORT,
};

/** A name in a sheet is rather that of a customer than that of a tank. */
const FIRST_COLUMNS = [
  'owner',
  'external_key',
  'customer_name',
  'customer_email',
  'customer_phone',
  'customer_other_phones',
  'custom_id',
];

/** Columns that a person does not map: they come from other programs. */
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
    // A file of tanks has the numbers of customers as `owner`. The own number of a tank is `custom_id`.
    .filter((column) => column !== 'external_key' || target.requiredColumns.includes(column))
    .toSorted((a, b) => rank(a) - rank(b));
const rank = (column: string): number => {
  const at = FIRST_COLUMNS.indexOf(column);
  return at < 0 ? FIRST_COLUMNS.length : at;
};

/** What the headings of a file probably mean: those with our names, then those with words that files use. */
export function suggestMapping(header: readonly string[], target: ImportTarget): Mapping {
  const known = mappableColumns(target);
  const columns: Record<string, string> = {};
  for (const column of known) {
    const same = header.find((heading) => columnName(heading) === column);
    if (same !== undefined) columns[column] = same;
  }
  // In a file that is not of our form, a name beside the number of a customer is the name of the customer.
  if (target.requiredColumns.some((column) => columns[column] === undefined)) delete columns['name'];
  const taken = new Set(Object.values(columns));
  const open = header.filter((heading) => heading.trim() !== '' && !taken.has(heading));
  const missing = known.filter((column) => columns[column] === undefined);
  for (const [ours, theirs] of suggestColumns(open, missing)) columns[ours] = theirs;
  return { columns, constants: unitConstant(columns) };
}

/** The unit in the heading of the capacity, if the file has no column of units. */
function unitConstant({ capacity, capacity_unit: unit }: Readonly<Record<string, string>>): Record<string, string> {
  const named = capacity === undefined || unit !== undefined ? undefined : unitOfHeading(capacity);
  return named === undefined ? {} : { capacity_unit: named };
}

/** A file with something that only tanks have is a file of tanks. */
export function suggestKind(header: readonly string[]): ImportKind {
  const { columns } = suggestMapping(header, TANK_IMPORT);
  return ['capacity', 'assigned_device_id', 'custom_id'].some((column) => columns[column] !== undefined)
    ? 'tanks'
    : 'customers';
}
