import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { exportCsv } from '../catalog/export_csv.ts';
import { type ImportTarget, importFile, openFile } from '../catalog/import_file.ts';
import { CUSTOMER_IMPORT, TANK_IMPORT } from '../catalog/import_targets.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  excelSafeOption,
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
import { Progress } from './progress.ts';

type ImportOptions = WriteOptions & OrganizationOption & { column?: string[]; mapping?: string };

const MAX_SHOWN_BAD_ROWS = 1_000;

export const customersImportCommand = (): Command => importCommand('customers', CUSTOMER_IMPORT, 'external_key');
export const tanksImportCommand = (): Command => importCommand('tanks', TANK_IMPORT, 'owner and custom_id');
export const customersExportCommand = (): Command => exportCommand('customers');
export const tanksExportCommand = (): Command => exportCommand('tanks');

function importCommand(what: 'customers' | 'tanks', kind: ImportTarget, key: string): Command {
  const columns = [...new Set([...kind.requiredColumns, ...Object.keys(kind.fields)])].join(', ');
  return writeCommand(
    'import',
    `create or update ${what} from a CSV file, by ${key}; the same file twice changes nothing`,
    `${what} import ${what}.csv --organization a0gas --column name=Bezeichnung`,
  )
    .argument('<file>', 'a CSV file with a header, or - for standard input')
    .addOption(organizationOption())
    .option('--column <ours=theirs...>', 'use another column name: our name=name in the file')
    .option('--mapping <file>', 'the same in a JSON file: {"ours": "theirs", ...}')
    .addHelpText(
      'after',
      `\nColumns:  ${columns}\nRequired: ${kind.requiredColumns.join(', ')}\nBad rows are reported and skipped. Then the exit code is 1.`,
    )
    .action((file: string, options: ImportOptions) =>
      withDatabase(async ({ pool }) => {
        const progress = new Progress(what);
        let shown = 0;
        const result = await importFile(pool, openFile(file), kind, {
          organizationNo: await organizationNo(pool, options.organization),
          columns: await readMapping(options),
          change: (work) => runChange(pool, options, work),
          onBadRow(line, reasons) {
            if (shown++ < MAX_SHOWN_BAD_ROWS) progress.line(`line ${line}: ${reasons.join('; ')}`);
          },
          onProgress: (phase, rows) => progress.at(phase, rows),
        });
        progress.end();
        if (shown > MAX_SHOWN_BAD_ROWS) progress.line(`... and ${shown - MAX_SHOWN_BAD_ROWS} more bad rows`);
        if (result.ignored.length > 0) progress.line(`ignored columns: ${result.ignored.join(', ')}`);
        const { read, created, updated, unchanged, bad } = result;
        printResult(
          options,
          { ...result },
          `${read} rows: ${created} created, ${updated} updated, ${unchanged} unchanged, ${bad} bad`,
        );
        if (bad > 0) process.exitCode = 1;
      }),
    );
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
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new UserError(`cannot read the mapping file ${file} as JSON: ${error instanceof Error ? error.message : ''}`);
  }
}

function exportCommand(what: 'customers' | 'tanks'): Command {
  return readCommand(
    'export',
    `write all ${what} as CSV to standard output, in the format of import`,
    `${what} export --organization a0gas > ${what}.csv`,
  )
    .addOption(organizationOption())
    .addOption(excelSafeOption())
    .action((options: CommonOptions & OrganizationOption & { excelSafe?: boolean }) =>
      withDatabase(async ({ pool }) => {
        const organization = await organizationNo(pool, options.organization);
        const isSpreadsheetSafe = options.excelSafe ?? false;
        for await (const text of exportCsv(pool, organization, what, { isSpreadsheetSafe })) {
          if (!process.stdout.write(text)) await once(process.stdout, 'drain');
        }
      }),
    );
}
