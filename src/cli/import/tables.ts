import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  findColumns as findOwnColumns,
  findTargetColumns,
  type ImportTarget,
  knownColumns,
} from '../../catalog/import_row.ts';
import { CUSTOMER_IMPORT, TANK_IMPORT } from '../../catalog/import_targets.ts';
import { IMPORT_TARGETS, SAMPLE_ROWS, usualDecimal } from '../../catalog/suggest_mapping.ts';
import { type FileFormat, findReadingColumns, READING_COLUMNS } from '../../telemetry/reading_file.ts';
import { type ByteSource, peekSource } from '../../values/byte_source.ts';
import { type DecimalMark } from '../../values/decimal.ts';
import { columnAdvice, suggestColumns } from '../../values/heading_words.ts';
import { isZip, readTable, type TableOptions } from '../../values/table_reader.ts';
import { UserError } from '../../values/user_error.ts';
import { Workbook } from '../../values/xlsx/workbook.ts';
import { fileError, inputFile } from '../input_file.ts';
import { type ColumnOption, type FileOptions, tableOptions } from '../options/file.ts';
import { fileOptionsOf, isMappingOf, TABLE_KINDS, type TableKind, type TableMapping } from './mapping_file.ts';
import { hasUsualHeadings, READING_FIELDS, suggestTables } from './suggest_tables.ts';

/** All columns that --column can name. */
export const ALL_COLUMNS: readonly string[] = [
  ...new Set([...READING_COLUMNS, ...knownColumns(TANK_IMPORT), ...knownColumns(CUSTOMER_IMPORT)]),
];

/** All fields of customers and tanks, for --value. */
export const ALL_FIELDS: Pick<ImportTarget, 'fields'> = {
  fields: { ...CUSTOMER_IMPORT.fields, ...TANK_IMPORT.fields },
};

export interface TableReadOptions extends FileOptions, ColumnOption {
  device?: string;
  set?: Record<string, string>;
  /** What words of the file stand for. */
  words?: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The mappings of the mapping file. */
  mappings?: readonly TableMapping[];
  /** The language of the organization, such as es-MX. */
  language?: string;
}

/** A file, or a sheet of a workbook with several. */
interface Table {
  /** The name as it is shown. */
  name: string;
  source: ByteSource;
  sheet: string | undefined;
  format: FileFormat;
}

/** A table whose content is known. */
export interface KnownTable extends Table {
  kind: TableKind;
  /** The names of the columns that concern this kind. */
  column: Record<string, string>;
  /** The columns that the table has, also those with our names, for a mapping. */
  found: Record<string, string>;
  constants: Record<string, string>;
  /** The mapping of the file, or a suggested one. Undefined if its columns have our names, or those of --column. */
  mapping?: TableMapping;
  /** The decimal mark of ambiguous numbers. */
  usual?: DecimalMark | undefined;
  options: FileOptions;
}

const TABLE_FILE = /\.(csv|tsv|txt|xlsx|xlsm|ndjson|jsonl)$/i;

/** Finds the tables of files and folders. In a folder, a file that is not recognized is left out, and a note says why. */
export async function findTables(
  paths: readonly string[],
  options: TableReadOptions,
  onNote: (sentence: string) => void,
): Promise<KnownTable[]> {
  const tables: KnownTable[] = [];
  for (const path of paths) {
    const inFolder = await filesOf(path);
    for (const file of inFolder ?? [path]) {
      for (const table of await tablesOf(file, options)) {
        const recognized = await recognize(table, options);
        if (typeof recognized !== 'string') tables.push(...recognized);
        else if (inFolder === undefined) throw new UserError(recognized);
        else onNote(`left out: ${recognized}`);
      }
    }
  }
  if (tables.length === 0)
    throw new UserError(
      `there is no table of customers, tanks or readings in ${paths.join(', ')}; give CSV files or workbooks (.xlsx), or another folder.`,
    );
  return tables.toSorted((a, b) => TABLE_KINDS.indexOf(a.kind) - TABLE_KINDS.indexOf(b.kind));
}

/** The files of a folder in the order of their names; undefined if the path is not a folder. */
async function filesOf(path: string): Promise<string[] | undefined> {
  const found = await stat(path).catch((error: unknown) => {
    throw fileError(error, path);
  });
  if (!found.isDirectory()) return undefined;
  const entries = await readdir(path, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && TABLE_FILE.test(entry.name) && !entry.name.startsWith('~$'))
    .map(({ name }) => join(path, name))
    .toSorted();
}

async function tablesOf(file: string, { sheet }: TableReadOptions): Promise<Table[]> {
  const source = await inputFile(file);
  if (!source.isRepeatable) throw new UserError(`${file} can be read only once; save it as a file first.`);
  const format: FileFormat = /\.(ndjson|jsonl)$/i.test(file) ? 'ndjson' : 'csv';
  const table: Table = { name: basename(file), source, sheet, format };
  const { head, chunks } = await peekSource(source, 4);
  if (!isZip(head) || sheet !== undefined) return [table];
  const { sheets } = await Workbook.open(chunks());
  const visible = sheets.filter(({ isHidden }) => !isHidden);
  if (visible.length <= 1) return [table];
  return visible.map(({ name }) => ({ ...table, name: `${table.name}, sheet ${name}`, sheet: name }));
}

/** Finds by the columns of a table what it contains. Returns a sentence if that is unknown. */
async function recognize(table: Table, options: TableReadOptions): Promise<KnownTable[] | string> {
  const { column = {}, device, mappings = [] } = options;
  const tableOfKind = (kind: TableKind, cells: readonly string[]): KnownTable => {
    const [columns, constants] = [columnsOf(kind, column), columnsOf(kind, options.set ?? {})];
    const found = foundColumns(kind, cells, columns, { constants });
    return { ...table, kind, column: columns, found, constants, options: {} };
  };
  if (table.format === 'ndjson') return [tableOfKind('readings', [])];
  const findColumns = (cells: readonly string[]): readonly number[] | undefined => {
    const isHeader =
      kindsOf(cells, column, device, options.set).length > 0 ||
      mappings.some((mapping) => isMappingOf(mapping, cells)) ||
      hasUsualHeadings(cells);
    return isHeader ? [] : undefined;
  };
  const read = { ...tableOptions({ ...options, ...sheetOf(table) }, () => {}), findColumns };
  const [header, ...rows] = await readFirstRows(table, read);
  if (header === undefined) return `${table.name} is empty.`;
  const saved = mappings.filter((mapping) => isMappingOf(mapping, header));
  const [kind] = saved.length > 0 ? [] : kindsOf(header, column, device, options.set);
  if (kind !== undefined) return [tableOfKind(kind, header)];
  const usual = usualDecimal(rows);
  const { language = 'en', set = {}, dateOrder } = options;
  const suggested =
    saved.length > 0 ? saved : suggestTables(header, rows, { column, set, device, language, dateOrder });
  if (suggested.length === 0) return unknownTable(table, header);
  return suggested.map((mapping) => {
    const columns = { ...mapping.columns, ...columnsOf(mapping.what, column) };
    return {
      ...table,
      kind: mapping.what,
      column: columns,
      found: foundColumns(mapping.what, header, columns, { readsOnlyNamed: true }),
      constants: { ...mapping.constants, ...columnsOf(mapping.what, set) },
      mapping,
      usual,
      options: fileOptionsOf(mapping),
    };
  });
}

async function readFirstRows(table: Table, read: TableOptions): Promise<(readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  for await (const records of readTable(table.source, read)) {
    for (const { cells } of records) if (rows.length <= SAMPLE_ROWS) rows.push(cells);
    if (rows.length > SAMPLE_ROWS) break;
  }
  return rows;
}

/** The kinds of which the table has all required columns, the most specific kind first. */
function kindsOf(
  cells: readonly string[],
  column: Record<string, string>,
  device: string | undefined,
  constants: Record<string, string> = {},
): TableKind[] {
  const kinds: TableKind[] = [];
  if (findReadingColumns(cells, columnsOf('readings', column), device) !== undefined) kinds.push('readings');
  for (const kind of ['tanks', 'customers'] as const) {
    const rowOptions = { columns: columnsOf(kind, column), constants: columnsOf(kind, constants) };
    if (findTargetColumns(cells, IMPORT_TARGETS[kind], rowOptions) !== undefined) kinds.push(kind);
  }
  return kinds;
}

const columnNamesOf = (kind: TableKind): readonly string[] =>
  kind === 'readings' ? READING_COLUMNS : knownColumns(IMPORT_TARGETS[kind]);

function columnsOf(kind: TableKind, column: Readonly<Record<string, string>>): Record<string, string> {
  const names = columnNamesOf(kind);
  return Object.fromEntries(Object.entries(column).filter(([ours]) => names.includes(ours)));
}

/** The headings of our columns that a table has. */
function foundColumns(
  kind: TableKind,
  header: readonly string[],
  columns: Readonly<Record<string, string>>,
  { readsOnlyNamed = false, constants = {} }: { readsOnlyNamed?: boolean; constants?: Record<string, string> } = {},
): Record<string, string> {
  const found = findOwnColumns(header, columnNamesOf(kind), { columns, readsOnlyNamed, constants });
  return Object.fromEntries(found.map(({ column }) => [column, columns[column] ?? column]));
}

function unknownTable({ name }: Table, header: readonly string[]): string {
  const columnTexts = header
    .map((text) => text.trim().replaceAll(/\s+/g, ' '))
    .join(', ')
    .slice(0, 500);
  const needs = {
    readings: READING_FIELDS,
    tanks: TANK_IMPORT.requiredColumns,
    customers: CUSTOMER_IMPORT.requiredColumns,
  };
  const [likely] = Object.values(needs).toSorted(
    (a, b) => columnAdvice(header, b).length / b.length - columnAdvice(header, a).length / a.length,
  );
  const advice = columnAdvice(header, likely ?? []);
  // A file of one tank names no device.
  const isOneTank = likely === needs.readings && suggestColumns(header, ['device_id']).length === 0;
  return (
    `${name} is not recognized: its columns are ${columnTexts}. Readings need ${needs.readings.join(', ')}; tanks need ` +
    `${needs.tanks.join(', ')}; customers need ${needs.customers.join(', ')}. Map your names with --column ours=theirs, or give a value with --set column=value.` +
    advice +
    (advice !== '' && isOneTank ? ' --device ID' : '')
  );
}

/** The option that selects the sheet of a table. */
export const sheetOf = ({ sheet }: Pick<KnownTable, 'sheet'>): { sheet?: string } =>
  sheet === undefined ? {} : { sheet };
