import { userInfo } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Pool } from 'pg';
import { findOrganization } from '../catalog/organizations.ts';
import type { CatalogRef } from '../catalog/upsert_rows.ts';
import { type OperatorConfig, readOperatorConfig } from '../config.ts';
import { type Db, openPool, rolledBack, type Tx, transaction } from '../db/pool.ts';
import { parseTimeMs } from '../values/time.ts';
import { UserError } from '../values/user_error.ts';

/** What every command of an operator's takes. */
export interface CommonOptions {
  json?: boolean;
}

export interface WriteOptions extends CommonOptions {
  dryRun?: boolean;
  as?: string;
}

/** A command that only looks. */
export function readCommand(name: string, description: string, example: string): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', `\nExample:\n  tankwatch ${example}`);
}

/** A command that changes something: recorded under a name, and it can be tried first. */
export function writeCommand(name: string, description: string, example: string): Command {
  return readCommand(name, description, example)
    .option('--dry-run', 'do everything, then undo it; tell what would have happened')
    .option('--as <name>', 'who you are, for the audit log (default: your user name)');
}

export interface OperatorDatabase {
  pool: Pool;
  config: OperatorConfig;
}

export async function withDatabase<T>(work: (database: OperatorDatabase) => Promise<T>): Promise<T> {
  const config = readOperatorConfig(process.env);
  const pool = openPool({ url: config.databaseUrl, applicationName: 'tankwatch operator' });
  try {
    return await work({ pool, config });
  } finally {
    await pool.end();
  }
}

/** Runs a change in one transaction under the operator's name; a dry run is the same, rolled back at its end. */
export async function change<T>(pool: Pool, options: WriteOptions, work: (tx: Tx) => Promise<T>): Promise<T> {
  const commitOrNot = options.dryRun ? rolledBack : transaction;
  return commitOrNot(pool, async (tx) => {
    await actAs(tx, options);
    return work(tx);
  });
}

export async function actAs(tx: Tx, options: WriteOptions): Promise<void> {
  await tx.query(`select set_config('tankwatch.actor', $1, true)`, [options.as ?? userInfo().username]);
}

export interface InOrganization {
  organization: string;
}

export const organizationOption = (): Option =>
  new Option('--organization <code>', 'the organization, by its code').makeOptionMandatory();

export const limitOption = (): Option =>
  new Option('--limit <n>', 'how many at most').default(50).argParser((text) => {
    if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('Must be a whole number from 1 to 9999999.');
    return Number(text);
  });

/** Parses an option that is a time, or a date for midnight UTC. */
export function timeOption(text: string): string {
  const atMs = parseTimeMs(text, { allowDateOnly: true });
  if (atMs === undefined) throw new InvalidArgumentError('Not a time; write it like 2026-01-01T00:00:00Z.');
  return new Date(atMs).toISOString();
}

export function hours(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('Must be a whole number of hours, from 0 to 9999.');
  return Number(text);
}

/** The number of the organization with this code. */
export async function organizationNo(db: Db, code: string): Promise<number> {
  const no = await findOrganization(db, code);
  if (no === undefined) throw new UserError(`there is no organization ${code}; see: tankwatch organizations list`);
  return no;
}

/** Finds one object by what the operator calls it and changes it, in one transaction. */
export function changeFound<T>(
  find: (db: Db, organization: number, reference: string) => Promise<CatalogRef>,
  reference: string,
  options: WriteOptions & InOrganization,
  work: (tx: Tx, organization: number, no: number) => Promise<T>,
): Promise<{ id: string; result: T }> {
  return withDatabase(({ pool }) =>
    change(pool, options, async (tx) => {
      const organization = await organizationNo(tx, options.organization);
      const found = await find(tx, organization, reference);
      return { id: found.id, result: await work(tx, organization, found.no) };
    }),
  );
}

/** Prints a result for a script or for a person. */
export function print(options: WriteOptions, result: object, text: string): void {
  if (options.json) console.log(JSON.stringify(options.dryRun ? { dry_run: true, ...result } : result));
  else console.log(options.dryRun ? `${text}\n(a dry run: nothing was changed)` : text);
}

/** One object, a field to a line. */
export function printFields(options: CommonOptions, object: Record<string, unknown>): void {
  const line = ([field, value]: [string, unknown]): string => `${field}: ${cell(value)}`;
  print(options, object, Object.entries(object).map(line).join('\n'));
}

/** Rows as a table for people, or one JSON array. */
export function printRows(options: CommonOptions, rows: readonly Record<string, unknown>[]): void {
  if (options.json) console.log(JSON.stringify(rows));
  else console.log(rows.length === 0 ? 'none' : table(rows));
}

function table(rows: readonly Record<string, unknown>[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const lines = [columns, ...rows.map((row) => columns.map((column) => cell(row[column])))];
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

/** Senders choose some of these texts: what would move the cursor or end a line is shown, not done. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll(/\p{Cc}/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
