import { once } from 'node:events';
import type { Command } from 'commander';
import { exportCsv } from '../catalog/export_csv.ts';
import { importFile } from '../catalog/import_file.ts';
import type { ImportTarget } from '../catalog/import_row.ts';
import { CUSTOMER_IMPORT, TANK_IMPORT } from '../catalog/import_targets.ts';
import type { UpsertCounts } from '../catalog/upsert_rows.ts';
import { parseJson } from '../values/json.ts';
import { describeRowError, type RowErrorGroup, RowErrorGroups } from '../values/row_error.ts';
import { UserError } from '../values/user_error.ts';
import { BadRowsFile } from './bad_rows_file.ts';
import {
  bomOption,
  type CommonOptions,
  excelSafeOption,
  formatRecords,
  type OrganizationOption,
  organizationNo,
  organizationOption,
  printResult,
  readCommand,
  runChange,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';
import { csvOptions, type FileOptions, textFormat, withFileOptions } from './file_options.ts';
import { inputFile } from './input_file.ts';
import { Progress } from './progress.ts';

type ImportOptions = WriteOptions &
  OrganizationOption &
  FileOptions & { column?: string[]; mapping?: string; value?: string[]; bad?: string };

const MAX_SHOWN_ERRORS = 50;

export const customersImportCommand = (): Command => importCommand('customers', CUSTOMER_IMPORT, 'external_key');
export const tanksImportCommand = (): Command => importCommand('tanks', TANK_IMPORT, 'owner and custom_id');
export const customersExportCommand = (): Command => exportCommand('customers');
export const tanksExportCommand = (): Command => exportCommand('tanks');

function importCommand(what: 'customers' | 'tanks', target: ImportTarget, key: string): Command {
  return withFileOptions(
    writeCommand(
      'import',
      `create or update ${what} from a CSV file, by ${key}; the same file twice changes nothing`,
      `${what} import ${what}.csv --organization a0gas --column name=Bezeichnung --bad bad.csv`,
    ),
  )
    .argument('<file>', 'a CSV file with a header, or - for standard input')
    .addOption(organizationOption())
    .option('--column <ours=theirs...>', 'use another column name: our name=name in the file')
    .option('--mapping <file>', 'the same in a JSON file: {"ours": "theirs", ...}')
    .option('--value <column:theirs=ours...>', 'what a word of the file stands for, such as capacity_unit:Liter=liters')
    .option('--bad <file>', 'write the bad rows to this file, with a column that gives the reason')
    .addHelpText('after', importHelp(target))
    .action((file: string, options: ImportOptions) =>
      withDatabase(async ({ pool }) => {
        const progress = new Progress(what);
        const source = await inputFile(file);
        const errors = new RowErrorGroups();
        const words = readWords(options.value ?? [], target);
        const columns = await readMapping(options);
        const organization = await organizationNo(pool, options.organization);
        await using bad = options.bad === undefined ? undefined : await BadRowsFile.create(options.bad, file);
        const { firstRows, ...result } = await importFile(pool, source, target, {
          organizationNo: organization,
          columns,
          words,
          csv: csvOptions(options, (note) => progress.line(note)),
          format: textFormat(options),
          change: (work) => runChange(pool, options, work),
          isDryRun: options.dryRun ?? false,
          onHeader: ({ cells, delimiter }) => bad?.writeHeader(cells, delimiter),
          async onBadRow({ line, cells, errors: found }) {
            for (const error of found) errors.add(line, error);
            await bad?.writeRow(found.map(describeRowError).join('; '), cells);
          },
          onProgress: (phase, rows) => progress.at(phase, rows),
        });
        for (const line of errors.describe(MAX_SHOWN_ERRORS)) progress.line(line);
        if (result.ignored.length > 0) progress.line(`ignored columns: ${result.ignored.join(', ')}`);
        printImported(options, {
          ...result,
          errors: errors.list(),
          ...(options.dryRun ? { first_rows: firstRows } : {}),
        });
        if (result.bad > 0) process.exitCode = 1;
      }),
    );
}

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

interface Imported extends UpsertCounts {
  read: number;
  bad: number;
  errors: RowErrorGroup[];
  first_rows?: Record<string, unknown>[];
}

function printImported(options: ImportOptions, imported: Imported): void {
  const { read, created, updated, unchanged, bad, first_rows: firstRows = [] } = imported;
  const shown =
    firstRows.length === 0 ? '' : `the first rows, as they were understood:\n${formatRecords(firstRows)}\n\n`;
  const counts = `${read} rows: ${created} created, ${updated} updated, ${unchanged} unchanged, ${bad} bad`;
  printResult(options, imported, shown + counts);
}

/** Parses --value: for each column, the values that the words of the file stand for. */
function readWords(given: readonly string[], { fields }: ImportTarget): Map<string, Map<string, string>> {
  const words = new Map<string, Map<string, string>>();
  for (const text of given) {
    const [, column = '', theirs = '', ours = ''] = /^([^:]+):(.*)=([^=]*)$/s.exec(text) ?? [];
    const field = fields[column];
    if (field === undefined) {
      const known = Object.keys(fields).join(', ');
      throw new UserError(`--value must be written like column:theirs=ours, not ${text}; the columns are ${known}.`);
    }
    const parsed = field(ours);
    if ('reason' in parsed) throw new UserError(`--value ${text}: ${column} ${parsed.reason}.`);
    const ofColumn = words.get(column) ?? new Map<string, string>();
    words.set(column, ofColumn.set(theirs.trim().normalize().toLowerCase(), ours));
  }
  return words;
}

async function readMapping({ column = [], mapping }: ImportOptions): Promise<Record<string, string>> {
  const fromFile: unknown = mapping === undefined ? {} : await readJson(mapping);
  if (typeof fromFile !== 'object' || fromFile === null)
    throw new UserError('the mapping file must be a JSON object such as {"name": "Bezeichnung"}');
  const entries = [
    ...Object.entries(fromFile).map(([ours, theirs]) => [ours, String(theirs)] as const),
    ...column.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UserError(`--column must be written like name=Bezeichnung, not ${pair}`);
      return [pair.slice(0, at), pair.slice(at + 1)] as const;
    }),
  ];
  return Object.fromEntries(entries);
}

async function readJson(file: string): Promise<unknown> {
  const value = parseJson(Buffer.concat(await Array.fromAsync((await inputFile(file)).chunks())));
  if (value === undefined) throw new UserError(`the mapping file ${file} is not JSON.`);
  return value;
}

function exportCommand(what: 'customers' | 'tanks'): Command {
  return readCommand(
    'export',
    `write all ${what} as CSV to standard output, in the format of import`,
    `${what} export --organization a0gas > ${what}.csv`,
  )
    .addOption(organizationOption())
    .addOption(excelSafeOption())
    .addOption(bomOption())
    .action((options: CommonOptions & OrganizationOption & { excelSafe?: boolean; bom?: boolean }) =>
      withDatabase(async ({ pool }) => {
        const organization = await organizationNo(pool, options.organization);
        const format = { isSpreadsheetSafe: options.excelSafe ?? false, hasByteOrderMark: options.bom ?? false };
        for await (const text of exportCsv(pool, organization, what, format)) {
          if (!process.stdout.write(text)) await once(process.stdout, 'drain');
        }
      }),
    );
}
