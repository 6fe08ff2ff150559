import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { DECIMAL_MARKS, type DecimalMark } from '../../values/decimal.ts';
import { HeadingIndex } from '../../values/headings.ts';
import { isObject } from '../../values/json.ts';
import { DATE_ORDERS, type DateOrder } from '../../values/text_format.ts';
import { UserError } from '../../values/user_error.ts';
import { parseTimeZone } from '../../values/zoned_time.ts';
import { fileError, readJsonInput } from '../input_file.ts';
import type { FileOptions } from '../options/file.ts';

/** The kinds of tables in the order in which they are imported: tanks need their owners, and readings their tanks. */
export const TABLE_KINDS = ['customers', 'tanks', 'readings'] as const;
export type TableKind = (typeof TABLE_KINDS)[number];

type Texts = Record<string, string>;

/** How the tables with certain headings are read. */
export interface TableMapping {
  what: TableKind;
  columns: Texts;
  constants?: Texts;
  decimal?: DecimalMark;
  date_order?: DateOrder;
  time_zone?: string;
}

const isTexts = (value: unknown): value is Texts =>
  isObject(value) && Object.values(value).every((text) => typeof text === 'string');
const isOneOf = (choices: readonly string[], value: unknown): boolean => choices.some((choice) => choice === value);
/** What each property of a mapping must be. Only `what` and `columns` are required. */
const PROPERTIES: Readonly<Record<string, (value: unknown) => boolean>> = {
  what: (value) => isOneOf(TABLE_KINDS, value),
  columns: isTexts,
  constants: isTexts,
  decimal: (value) => isOneOf(DECIMAL_MARKS, value),
  date_order: (value) => isOneOf(DATE_ORDERS, value),
  time_zone: (value) => typeof value === 'string' && parseTimeZone(value) !== undefined,
};
const isTableMapping = (value: unknown): value is TableMapping =>
  isObject(value) &&
  'what' in value &&
  'columns' in value &&
  Object.entries(value).every(([name, given]) => PROPERTIES[name]?.(given) === true);

/**
 * The mappings of a file; undefined if there is no such file yet. A file with names of columns only is for one table.
 */
export async function readMappings(file: string): Promise<TableMapping[] | Record<string, string> | undefined> {
  if (!existsSync(file)) return undefined;
  const value = await readJsonInput(file);
  const tables = isObject(value) ? value['tables'] : undefined;
  if (Array.isArray(tables) && tables.every(isTableMapping)) return tables;
  if (isTexts(value)) return value;
  throw new UserError(
    `the mapping file ${file} must be a JSON object such as {"name": "Bezeichnung"}, or {"tables": [{"what": "tanks", "columns": {"name": "Bezeichnung"}}]}.`,
  );
}

export async function writeMappings(file: string, tables: readonly TableMapping[]): Promise<void> {
  await writeFile(file, `${JSON.stringify({ tables }, null, 2)}\n`, { flag: 'wx' }).catch((error: unknown) => {
    throw fileError(error, file, 'write');
  });
}

/** Whether the mapping is for a table with this header: the header has all its headings. A mapping without headings is for no table. */
export const isMappingOf = ({ columns }: TableMapping, header: readonly string[]): boolean => {
  const headings = new HeadingIndex(header);
  const named = Object.values(columns);
  return named.length > 0 && named.every((theirs) => headings.find(theirs).length > 0);
};

export const fileOptionsOf = ({ decimal, date_order, time_zone }: TableMapping): FileOptions => ({
  ...(decimal === undefined ? {} : { decimal }),
  ...(date_order === undefined ? {} : { dateOrder: date_order }),
  ...(time_zone === undefined ? {} : { timeZone: time_zone }),
});

/** What a mapping file says about one kind of table, for the commands of one table. */
export async function readMapping(
  file: string | undefined,
  what: string,
): Promise<{ columns: Record<string, string>; constants: Record<string, string>; options: FileOptions }> {
  const nothing = { columns: {}, constants: {}, options: {} };
  if (file === undefined) return nothing;
  const found = await readMappings(file);
  if (found === undefined)
    throw new UserError(`there is no mapping file ${file}; tankwatch import --mapping ${file} writes one.`);
  if (!Array.isArray(found)) return { ...nothing, columns: found };
  const [table, another] = found.filter((mapping) => mapping.what === what);
  if (table === undefined || another !== undefined)
    throw new UserError(
      `the mapping file ${file} has ${table === undefined ? 'no table' : 'several tables'} of ${what}; use tankwatch import --mapping ${file}, or --column.`,
    );
  return { columns: table.columns, constants: table.constants ?? {}, options: fileOptionsOf(table) };
}
