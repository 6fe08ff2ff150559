import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { exportCsv } from '../catalog/export_csv.ts';
import { type ImportTarget, importFile, openFile } from '../catalog/import_file.ts';
import { CUSTOMER_IMPORT, TANK_IMPORT } from '../catalog/import_targets.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  change,
  type InOrganization,
  organizationNo,
  organizationOption,
  print,
  readCommand,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';
import { Progress } from './progress.ts';

type ImportOptions = WriteOptions & InOrganization & { column?: string[]; mapping?: string };

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
    .option('--column <ours=theirs...>', "the file's name for a column of ours")
    .option('--mapping <file>', 'the same in a JSON file: {"ours": "theirs", ...}')
    .addHelpText(
      'after',
      `\nColumns: ${columns}\nNeeded:  ${kind.requiredColumns.join(', ')}\nBad rows are reported and left out; then the exit code is 1.`,
    )
    .action((file: string, options: ImportOptions) =>
      withDatabase(async ({ pool }) => {
        const progress = new Progress(what);
        let shown = 0;
        const result = await importFile(pool, openFile(file), kind, {
          organizationNo: await organizationNo(pool, options.organization),
          columns: await readMapping(options),
          change: (work) => change(pool, options, work),
          onBadRow(line, reasons) {
            if (shown++ < MAX_SHOWN_BAD_ROWS) progress.say(`line ${line}: ${reasons.join('; ')}`);
          },
          onProgress: (phase, rows) => progress.at(phase, rows),
        });
        progress.end();
        if (shown > MAX_SHOWN_BAD_ROWS) progress.say(`... and ${shown - MAX_SHOWN_BAD_ROWS} more bad rows`);
        if (result.ignored.length > 0) progress.say(`not read: the column(s) ${result.ignored.join(', ')}`);
        const { read, created, updated, unchanged, bad } = result;
        print(
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
    throw new UserError('the mapping file must be a JSON object: {"ours": "theirs"}');
  const entries = [
    ...Object.entries(fromFile).map(([ours, theirs]) => [ours, String(theirs)] as const),
    ...column.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UserError(`--column takes ours=theirs, such as name=Bezeichnung, not ${pair}`);
      return [pair.slice(0, at), pair.slice(at + 1)] as const;
    }),
  ];
  return Object.fromEntries(entries);
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new UserError(
      `the mapping file ${file} cannot be read as JSON: ${error instanceof Error ? error.message : ''}`,
    );
  }
}

function exportCommand(what: 'customers' | 'tanks'): Command {
  return readCommand(
    'export',
    `write all ${what} as CSV to standard output; import reads it back`,
    `${what} export --organization a0gas > ${what}.csv`,
  )
    .addOption(organizationOption())
    .action((options: CommonOptions & InOrganization) =>
      withDatabase(async ({ pool }) => {
        for await (const text of exportCsv(pool, await organizationNo(pool, options.organization), what)) {
          if (!process.stdout.write(text)) await once(process.stdout, 'drain');
        }
      }),
    );
}
