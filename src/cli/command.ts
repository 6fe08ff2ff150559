import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Pool } from 'pg';
import { type ChangeContext, operatorChange } from '../catalog/change_context.ts';
import { text as nameText } from '../catalog/field.ts';
import { findOrganization } from '../catalog/organizations.ts';
import type { CatalogRef } from '../catalog/upsert_rows.ts';
import { type Db, rolledBack, type Tx, transaction } from '../db/pool.ts';
import { withPool } from '../db/with_pool.ts';
import { type OperatorConfig, readOperatorConfig, readOperatorName } from '../settings/command_settings.ts';
import { errorCode } from '../values/error_code.ts';
import { parseTimeMs } from '../values/time.ts';
import { UserError } from '../values/user_error.ts';
import { parseField } from './options/field.ts';

/** The options of every operator command. */
export interface CommonOptions {
  json?: boolean;
}

export interface WriteOptions extends CommonOptions {
  dryRun?: boolean;
  as?: string;
}

/** A command that only reads. */
export function readCommand(name: string, description: string, example: string): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', `\nExample:\n  tankwatch ${example}`);
}

/** A command that changes something. The audit log records who did it, and --dry-run tries it first. */
export function writeCommand(name: string, description: string, example: string): Command {
  return recordedCommand(name, description, example).option(
    '--dry-run',
    'make the change, print the result, and roll it back',
  );
}

/** A command that the audit log records and that cannot be tried first. */
export function recordedCommand(name: string, description: string, example: string): Command {
  return readCommand(name, description, example).option(
    '--as <name>',
    'your name in the audit log (default: your user name)',
  );
}

export interface OperatorDatabase {
  pool: Pool;
  config: OperatorConfig;
}

export async function withDatabase<T>(work: (database: OperatorDatabase) => Promise<T>): Promise<T> {
  const config = readOperatorConfig(process.env);
  const { databaseUrl: url, databaseSetting: setting } = config;
  return withPool({ url, setting, applicationName: 'tankwatch operator' }, (pool) => work({ pool, config }));
}

/** Runs a change in one transaction under the operator's name. A dry run is the same transaction, rolled back. */
export async function runChange<T>(pool: Pool, options: WriteOptions, work: (tx: Tx) => Promise<T>): Promise<T> {
  const run = options.dryRun ? rolledBack : transaction;
  return run(pool, async (tx) => {
    await setActor(tx, options);
    return work(tx);
  });
}

async function setActor(tx: Tx, options: WriteOptions): Promise<void> {
  await tx.query(`select set_config('tankwatch.actor', $1, true)`, [options.as ?? readOperatorName(process.env)]);
}

export interface OrganizationOption {
  organization: string;
}

export const organizationOption = (): Option =>
  new Option('--organization <code>', 'code of the organization').makeOptionMandatory();

export const limitOption = (): Option =>
  new Option('--limit <n>', 'the largest number of results').default(50).argParser(parseCount);

export const excelSafeOption = (): Option =>
  new Option(
    '--excel-safe',
    'put an apostrophe before texts that a spreadsheet would run as a formula, such as =1+1; the import keeps the apostrophe',
  );

export const bomOption = (): Option =>
  new Option('--bom', 'begin with a byte order mark, so that Excel shows accents correctly; the import skips it');

/** Parses an option that is a time. A date alone is the start of that day in UTC, and a line on stderr says so. */
export function parseTime(text: string): string {
  const atMs = parseTimeMs(text, { allowDateOnly: true });
  if (atMs === undefined)
    throw new InvalidArgumentError('Not a valid time. Write it like 2026-01-01T00:00:00Z, or like 2026-01-01.');
  const time = new Date(atMs).toISOString();
  if (parseTimeMs(text) === undefined) console.error(`${text} is read as ${time}, the start of that day in UTC.`);
  return time;
}

/** Parses an option that is a whole number within these limits. The message names the unit. */
export const parseWhole =
  (min: number, max: number, unit = '') =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Must be a whole number${unit && ` of ${unit}`} from ${min} to ${max}.`);
  };

export const parseCount = parseWhole(1, 9_999_999);

/** Parses an option that is a name of something. */
export const parseName =
  (maxLength: number) =>
  (text: string): string =>
    parseField(nameText(maxLength), text);

/** Finds the internal number of an organization by its code. */
export async function organizationNo(db: Db, code: string): Promise<number> {
  const no = await findOrganization(db, code);
  if (no === undefined)
    throw new UserError(`there is no organization ${code}; list them with: tankwatch organizations list`);
  return no;
}

/** Reads something of an organization. */
export const readOrganization = <T>(
  { organization }: OrganizationOption,
  work: (pool: Pool, organizationNo: number) => Promise<T>,
): Promise<T> => withDatabase(async ({ pool }) => work(pool, await organizationNo(pool, organization)));

/** Changes something of an organization, in one transaction under the operator's name. */
export const changeOrganization = <T>(
  options: WriteOptions & OrganizationOption,
  work: (change: ChangeContext) => Promise<T>,
): Promise<T> =>
  withDatabase(({ pool }) =>
    runChange(pool, options, async (tx) => {
      const organization = await organizationNo(tx, options.organization);
      return work(operatorChange(tx, organization, { isDryRun: options.dryRun === true }));
    }),
  );

/** Finds one object by its id or by a reference of the organization, and changes it, in one transaction. */
export const changeObject = <T>(
  find: (tx: Tx, organization: number, reference: string) => Promise<CatalogRef>,
  reference: string,
  options: WriteOptions & OrganizationOption,
  work: (tx: Tx, organization: number, no: number) => Promise<T>,
): Promise<{ id: string; result: T }> =>
  changeOrganization(options, async ({ tx, organizationNo: organization }) => {
    const found = await find(tx, organization, reference);
    return { id: found.id, result: await work(tx, organization, found.no) };
  });

/** The command that lists what an organization has of one kind. */
export const listCommand = (
  description: string,
  example: string,
  list: (db: Db, organization: number) => Promise<readonly object[]>,
  name = 'list',
): Command =>
  readCommand(name, description, example)
    .addOption(organizationOption())
    .action((options: CommonOptions & OrganizationOption) =>
      readOrganization(options, async (pool, no) => printRows(options, await list(pool, no))),
    );

/** Prints a result as text, or as JSON with --json. */
export function printResult(options: WriteOptions, result: object, text: string): void {
  if (options.json) console.log(JSON.stringify(options.dryRun ? { dry_run: true, ...result } : result));
  else console.log(options.dryRun ? `${text}\n(a dry run: nothing was changed)` : text);
}

/** Prints one object, one field per line. */
export function printFields(options: CommonOptions, object: Record<string, unknown>): void {
  const line = ([field, value]: [string, unknown]): string => `${field}: ${formatCell(value)}`;
  printResult(options, object, Object.entries(object).map(line).join('\n'));
}

/** Prints the result of an import, below the rows that a dry run shows as they were understood. */
export function printImported(
  options: WriteOptions,
  imported: { first_rows?: Record<string, unknown>[] },
  text: string,
): void {
  const rows = imported.first_rows ?? [];
  const shown = rows.length === 0 ? '' : `the first rows, as they were understood:\n${formatRecords(rows)}\n\n`;
  printResult(options, imported, shown + text);
}

/** Prints rows as a table, or as one JSON array with --json. */
export function printRows(options: CommonOptions, rows: readonly object[]): void {
  if (options.json) console.log(JSON.stringify(rows));
  else console.log(rows.length === 0 ? 'none' : formatTable(rows));
}

/** Prints a long text in pieces. The reader of a pipe may close it early, as `head` does. */
export const printPieces = (pieces: AsyncIterable<string> | Iterable<string>): Promise<void> =>
  pipeline(pieces, process.stdout).catch((error: unknown) => {
    if (errorCode(error) !== 'EPIPE') throw error;
  });

/** Formats objects with many fields, each in one line. */
export const formatRecords = (rows: readonly Record<string, unknown>[]): string =>
  rows
    .map((row) =>
      Object.entries(row)
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([field, value]) => `${field}: ${formatCell(value)}`)
        .join(', '),
    )
    .join('\n');

export function formatTable(rows: readonly object[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const lines = [columns, ...rows.map((row) => columns.map((column) => formatCell(Reflect.get(row, column))))];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Escapes control characters: some texts come from senders, and must not move the cursor or end the line. */
export function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll(/\p{Cc}/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
