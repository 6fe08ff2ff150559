import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { DECIMAL_MARKS } from '../../values/decimal.ts';
import { HeadingIndex } from '../../values/headings.ts';
import { DATE_ORDERS } from '../../values/text_format.ts';
import { UserError } from '../../values/user_error.ts';
import { fileError, readJsonInput } from '../input_file.ts';
import type { FileOptions } from '../options/file.ts';

/** In the order in which they are imported: tanks need their owners, and readings their tanks. */
export const TABLE_KINDS = ['customers', 'tanks', 'readings'] as const;
export type TableKind = (typeof TABLE_KINDS)[number];

const Texts = Type.Record(Type.String(), Type.String());
const closed = { additionalProperties: false };

/** How the tables with certain headings are read. */
export const TableMapping = Type.Object(
  {
    what: Type.Enum([...TABLE_KINDS]),
    columns: Texts,
    constants: Type.Optional(Texts),
    decimal: Type.Optional(Type.Enum([...DECIMAL_MARKS])),
    date_order: Type.Optional(Type.Enum([...DATE_ORDERS])),
    time_zone: Type.Optional(Type.String()),
  },
  closed,
);
export type TableMapping = Static<typeof TableMapping>;

const MappingFile = Type.Object({ tables: Type.Array(TableMapping) }, closed);
const [CompiledFile, CompiledNames] = [Compile(MappingFile), Compile(Texts)];

/** The mappings of a file; undefined if there is no such file yet. A file of names only is for one table. */
export async function readMappings(file: string): Promise<TableMapping[] | Record<string, string> | undefined> {
  if (!existsSync(file)) return undefined;
  const value = await readJsonInput(file);
  if (CompiledFile.Check(value)) return value.tables;
  if (CompiledNames.Check(value)) return value;
  throw new UserError(
    `the mapping file ${file} must be a JSON object such as {"name": "Bezeichnung"}, or {"tables": [{"what": "tanks", "columns": {"name": "Bezeichnung"}}]}.`,
  );
}

export async function writeMappings(file: string, tables: readonly TableMapping[]): Promise<void> {
  await writeFile(file, `${JSON.stringify({ tables }, null, 2)}\n`, { flag: 'wx' }).catch((error: unknown) => {
    throw fileError(error, file, 'write');
  });
}

/** Whether the mapping is for a table with this header: it has all headings. */
export const isMappingOf = ({ columns }: TableMapping, header: readonly string[]): boolean => {
  const headings = new HeadingIndex(header);
  return Object.values(columns).every((theirs) => headings.find(theirs).length > 0);
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
  const [table, another] = found.filter((one) => one.what === what);
  if (table === undefined || another !== undefined)
    throw new UserError(
      `the mapping file ${file} has ${table === undefined ? 'no table' : 'several tables'} of ${what}; use tankwatch import --mapping ${file}, or --column.`,
    );
  return { columns: table.columns, constants: table.constants ?? {}, options: fileOptionsOf(table) };
}
