import { basename } from 'node:path';
import type { Command } from 'commander';
import type { Pool } from 'pg';
import { importFile } from '../../catalog/import_file.ts';
import type { ImportTarget } from '../../catalog/import_row.ts';
import { CUSTOMER_IMPORT, TANK_IMPORT } from '../../catalog/import_targets.ts';
import type { UpsertCounts } from '../../catalog/upsert_rows.ts';
import { noteImport } from '../../deliveries/store_delivery_notes.ts';
import type { ByteSource } from '../../values/byte_source.ts';
import type { DecimalMark } from '../../values/decimal.ts';
import { describeRowError, type RowErrorGroup, RowErrorGroups } from '../../values/row_error.ts';
import { UserError } from '../../values/user_error.ts';
import { BadRowsFile } from '../bad_rows_file.ts';
import {
  type OrganizationOption,
  organizationOption,
  printImported,
  readOrganization,
  runChange,
  type WriteOptions,
  writeCommand,
} from '../command.ts';
import { inputFile } from '../input_file.ts';
import {
  type ColumnOption,
  type FileOptions,
  fileArguments,
  setArguments,
  setOption,
  shellCommand,
  tableOptions,
  textFormat,
  withColumnOption,
  withFileOptions,
  withRepeatedFlag,
} from '../options/file.ts';
import { Progress } from '../progress.ts';
import { readMapping } from './mapping_file.ts';

type ImportOptions = CatalogImportOptions & OrganizationOption & { mapping?: string; value?: string[]; set?: Texts };
type Texts = Readonly<Record<string, string>>;

/** What can be imported from a file of the catalog. */
const CATALOG_IMPORTS = {
  customers: CUSTOMER_IMPORT,
  tanks: TANK_IMPORT,
  notes: noteImport({ source: 'import', replace: false }),
} as const;
type ImportKind = keyof typeof CATALOG_IMPORTS;

const MAX_SHOWN_ERRORS = 50;

export const customersImportCommand = (): Command => importCommand('customers', 'external_key');
export const tanksImportCommand = (): Command => importCommand('tanks', 'owner and custom_id');
export const notesImportCommand = (): Command =>
  importCommand('notes', 'series and number').option(
    '--replace',
    'a note with the number of a stored one replaces it; otherwise other content is a bad row',
  );

function importCommand(what: ImportKind, key: string): Command {
  const target = CATALOG_IMPORTS[what];
  const command = withFileOptions(
    withColumnOption(
      writeCommand(
        'import',
        `create or update ${what} from a CSV file or a workbook, by ${key}; the same file twice changes nothing`,
        `${what} import ${what}.csv --organization a0gas --column ${what === 'notes' ? 'number=Folio' : 'name=Bezeichnung'} --bad bad.csv`,
      ),
    ),
  )
    .argument('<file>', 'a CSV file or a workbook (.xlsx) with a header, or - for standard input')
    .addOption(organizationOption())
    .option(
      '--mapping <file>',
      'a JSON file with columns as in --column: {"ours": "theirs", ...}, or a file that import has written',
    )
    .addOption(setOption())
    .option('--bad <file>', 'write the bad rows to this file, with a column that gives the reason')
    .addHelpText('after', importHelp(target));
  return withValueOption(command).action((file: string, options: ImportOptions) =>
    readOrganization(options, async (pool, no) => {
      const words = readWords(options.value ?? [], target);
      const mapped = await readMapping(options.mapping, what);
      const column = { ...mapped.columns, ...options.column };
      const constants = { ...mapped.constants, ...options.set };
      const source = await inputFile(file);
      const imported = await importCatalogFile(pool, what, source, no, {
        ...mapped.options,
        ...options,
        column,
        words,
        constants,
      });
      printImported(options, imported, describeImported(imported));
      if (options.dryRun && !options.json) {
        const values = [...valueArguments(options.value), ...setArguments(constants)];
        const real = [
          what,
          'import',
          file,
          '--organization',
          options.organization,
          ...(options.replace ? ['--replace'] : []),
          ...fileArguments({ ...mapped.options, ...options, column }),
        ];
        console.log(`to import it: ${shellCommand([...real, ...values])}`);
      }
      if (imported.bad > 0) process.exitCode = 1;
    }),
  );
}

export interface CatalogImportOptions extends WriteOptions, FileOptions, ColumnOption {
  words?: ReadonlyMap<string, ReadonlyMap<string, string>>;
  constants?: Readonly<Record<string, string>>;
  readsOnlyNamed?: boolean;
  /** The decimal mark of ambiguous numbers. The default follows from the language of the organization. */
  usual?: DecimalMark | undefined;
  bad?: string;
  /** True to replace delivery notes that exist. */
  replace?: boolean;
  /** Moves every time of the file. */
  shiftMs?: number;
  /** Receives what was detected about the file. The default prints it. */
  onNote?: (sentence: string) => void;
}

/** Imports a file and prints what is wrong with its rows. */
export async function importCatalogFile(
  pool: Pool,
  what: ImportKind,
  source: ByteSource,
  organization: number,
  options: CatalogImportOptions,
): Promise<Imported> {
  const progress = new Progress(what);
  const errors = new RowErrorGroups();
  const warnings = new RowErrorGroups();
  await using bad = options.bad === undefined ? undefined : await BadRowsFile.create(options.bad, source.name);
  const { firstRows, importId, ...result } = await importFile(pool, source, targetOf(what, options), {
    organizationNo: organization,
    columns: options.column ?? {},
    ...(options.words === undefined ? {} : { words: options.words }),
    constants: options.constants,
    readsOnlyNamed: options.readsOnlyNamed,
    ...(what === 'notes' ? {} : { record: { what, fileName: basename(source.name) } }),
    csv: tableOptions(options, options.onNote ?? ((note) => progress.line(note))),
    format: {
      ...textFormat(options),
      shiftMs: options.shiftMs,
      ...(options.usual === undefined ? {} : { usual: options.usual }),
    },
    change: (work) => runChange(pool, options, work),
    isDryRun: options.dryRun ?? false,
    async onHeader({ cells, delimiter }) {
      if (bad) bad.delimiter = delimiter;
      await bad?.writeHeader(cells);
    },
    async onBadRow({ line, cells, errors: found }) {
      for (const error of found) errors.add(line, error);
      await bad?.writeRow(found.map(describeRowError).join('; '), cells);
    },
    onDoubtfulRow({ line, warnings: found = [] }) {
      for (const warning of found) warnings.add(line, warning);
    },
    onProgress: (phase, rows) => progress.at(phase, rows),
  });
  progress.end();
  for (const line of errors.describe(MAX_SHOWN_ERRORS)) progress.line(line);
  for (const line of warnings.describe(MAX_SHOWN_ERRORS)) progress.line(`warning: ${line}`);
  if (result.ignored.length > 0) progress.line(`ignored columns: ${result.ignored.join(', ')}`);
  return {
    ...result,
    errors: errors.list(),
    ...(importId === null ? {} : { import_id: importId }),
    ...(warnings.list().length > 0 ? { warnings: warnings.list() } : {}),
    ...(options.dryRun ? { first_rows: firstRows } : {}),
  };
}

const targetOf = (what: ImportKind, { replace = false }: CatalogImportOptions): ImportTarget =>
  what === 'notes' && replace ? noteImport({ source: 'import', replace }) : CATALOG_IMPORTS[what];

function importHelp({ fields, requiredColumns }: ImportTarget): string {
  const columns = [...new Set([...requiredColumns, ...Object.keys(fields)])].map((column) => {
    const choices = fields[column]?.choices;
    return choices === undefined ? column : `${column} (${choices.join(', ')})`;
  });
  return (
    `\nColumns:  ${columns.join(', ')}\nRequired: ${requiredColumns.join(', ')}` +
    '\nBad rows are reported and skipped. Then the exit code is 1. With --dry-run, the first rows are shown as understood.'
  );
}

export interface Imported extends UpsertCounts {
  read: number;
  bad: number;
  errors: RowErrorGroup[];
  /** The id that `imports undo` needs. */
  import_id?: string;
  /** What is implausible in rows that were imported. */
  warnings?: RowErrorGroup[];
  first_rows?: Record<string, unknown>[];
}

export const describeImported = ({ read, created, updated, unchanged, bad }: Imported): string =>
  `${read} rows: ${created} created, ${updated} updated, ${unchanged} unchanged, ${bad} bad`;

/** Adds --value, which says what a word of the file stands for. */
export const withValueOption = (command: Command): Command =>
  withRepeatedFlag(
    command.option(
      '--value <column:theirs=ours>',
      'what a word of the file stands for, such as capacity_unit:Liter=liters; may be repeated',
      (text: string, texts?: string[]) => [...(texts ?? []), text],
    ),
    '--value',
    /^[a-z_]+:.*=/,
  );

export const valueArguments = (values: readonly string[] = []): string[] =>
  values.flatMap((value) => ['--value', value]);

/** Parses --value: for each column, the values that the words of the file stand for. */
export function readWords(
  given: readonly string[],
  { fields }: Pick<ImportTarget, 'fields'>,
): Map<string, Map<string, string>> {
  const words = new Map<string, Map<string, string>>();
  for (const text of given) {
    const [, column = '', theirs = '', ours = ''] = /^([^:]+):(.*)=([^=]*)$/s.exec(text) ?? [];
    const field = fields[column];
    if (field === undefined) {
      const columns = Object.keys(fields).join(', ');
      throw new UserError(`--value must be written like column:theirs=ours, not ${text}; the columns are ${columns}.`);
    }
    const parsed = field(ours);
    if ('reason' in parsed) throw new UserError(`--value ${text}: ${column} ${parsed.reason}.`);
    const columnWords = words.get(column) ?? new Map<string, string>();
    words.set(column, columnWords.set(theirs.trim().normalize().toLowerCase(), ours));
  }
  return words;
}
