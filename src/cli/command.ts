import { Command, InvalidArgumentError, Option } from 'commander';
import type { Pool } from 'pg';
import { type ChangeContext, operatorChange } from '../catalog/change_context.ts';
import { text as nameText } from '../catalog/field.ts';
import { findOrganization } from '../catalog/organizations.ts';
import type { CatalogRef } from '../catalog/upsert_rows.ts';
import { type Db, openPool, rolledBack, type Tx, transaction } from '../db/pool.ts';
import { type OperatorConfig, readOperatorConfig, readOperatorName } from '../settings/command_settings.ts';
import { parseTimeMs } from '../values/time.ts';
import { UserError } from '../values/user_error.ts';

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
  const pool = openPool({
    url: config.databaseUrl,
    setting: config.databaseSetting,
    applicationName: 'tankwatch operator',
  });
  try {
    return await work({ pool, config });
  } finally {
    await pool.end();
  }
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
  new Option('--limit <n>', 'the largest number of results').default(50).argParser(parseLimit);

export function parseLimit(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('Must be a whole number from 1 to 9999999.');
  return Number(text);
}

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

export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('Must be a whole number from 1 to 9999999.');
  return Number(text);
}

/** Parses an option that is a name of something. */
export const parseName =
  (maxLength: number) =>
  (given: string): string => {
    const parsed = nameText(maxLength)(given);
    if ('value' in parsed) return parsed.value;
    throw new InvalidArgumentError(`It ${parsed.reason}.`);
  };

export function parseHours(text: string, max = 9_999): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) > max)
    throw new InvalidArgumentError(`Must be a whole number of hours, from 0 to ${max}.`);
  return Number(text);
}

/** Finds the internal number of an organization by its code. */
export async function organizationNo(db: Db, code: string): Promise<number> {
  const no = await findOrganization(db, code);
  if (no === undefined)
    throw new UserError(`there is no organization ${code}; list them with: tankwatch organizations list`);
  return no;
}

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

/** Finds one object by its id or by the operator's own reference, and changes it, in one transaction. */
export const changeObject = <T>(
  find: (db: Db, organization: number, reference: string) => Promise<CatalogRef>,
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
): Command =>
  readCommand('list', description, example)
    .addOption(organizationOption())
    .action((options: CommonOptions & OrganizationOption) =>
      withDatabase(async ({ pool }) =>
        printRows(options, await list(pool, await organizationNo(pool, options.organization))),
      ),
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

/** Prints rows as a table, or as one JSON array with --json. */
export function printRows(options: CommonOptions, rows: readonly object[]): void {
  if (options.json) console.log(JSON.stringify(rows));
  else console.log(rows.length === 0 ? 'none' : formatTable(rows));
}

/** Objects with many fields, each in one line. */
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

export const counted = (number: number, noun: string): string =>
  `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;

/** Escapes control characters: some texts come from senders, and must not move the cursor or end the line. */
export function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll(/\p{Cc}/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
