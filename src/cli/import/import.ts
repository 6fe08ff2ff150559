import type { Command } from 'commander';
import type { Pool } from 'pg';
import { findOrganizations } from '../../catalog/organizations.ts';
import type { Db } from '../../db/pool.ts';
import { describeGroup } from '../../values/row_error.ts';
import { amount } from '../../values/text_format.ts';
import { DAY_MS } from '../../values/time.ts';
import { UserError } from '../../values/user_error.ts';
import { askYesOrNo } from '../ask.ts';
import { formatRecords, recordedCommand, type WriteOptions, withDatabase } from '../command.ts';
import {
  fileArguments,
  setArguments,
  setOption,
  shellCommand,
  withColumnOption,
  withFileOptions,
} from '../options/file.ts';
import {
  describeImportedReadings,
  deviceOption,
  type ImportedReadings,
  importReadingFile,
} from '../telemetry/import.ts';
import {
  describeImported,
  type Imported,
  importCatalogFile,
  readWords,
  valueArguments,
  withValueOption,
} from './catalog_files.ts';
import { readMappings, type TableMapping, writeMappings } from './mapping_file.ts';
import { ALL_COLUMNS, ALL_FIELDS, findTables, type KnownTable, sheetOf, type TableReadOptions } from './tables.ts';
import { type UnderstoodTable, understand } from './understand_table.ts';

interface GuidedOptions extends WriteOptions, TableReadOptions {
  organization?: string;
  shiftToNow?: boolean;
  yes?: boolean;
  mapping?: string;
  value?: string[];
}

const MAX_SHOWN_ERRORS = 10;

export function importCommand(): Command {
  return withFileOptions(
    withValueOption(
      withColumnOption(
        recordedCommand(
          'import',
          'import customers, tanks and readings: recognizes them by their columns, shows them, and asks',
          'import customers.csv tanks.csv history.xlsx --column created_at=Fecha --date-order dmy',
        ),
        ALL_COLUMNS,
      ),
    ),
  )
    .argument('<file...>', 'CSV files, workbooks (.xlsx), JSON lines, or folders with such files')
    .option('--organization <code>', 'code of the organization; may be left out if there is only one')
    .addOption(deviceOption())
    .addOption(setOption())
    .option('--mapping <file>', 'how the tables are read, as JSON; if there is no such file, it is written')
    .option('--shift-to-now', 'move all times by whole days, so that the newest reading is of today; for example files')
    .option('--yes', 'import without asking, for scripts')
    .option('--dry-run', 'show what was understood, and import nothing')
    .addHelpText(
      'after',
      '\nThe same rules as customers import, tanks import and telemetry import, which have more options, such as --bad.' +
        '\nA workbook may have a sheet for each. Bad rows are reported and skipped. Then the exit code is 1.',
    )
    .action((files: string[], options: GuidedOptions) => withDatabase(({ pool }) => runImport(pool, files, options)));
}

async function runImport(pool: Pool, files: readonly string[], options: GuidedOptions): Promise<void> {
  const say = (sentence: string): void => (options.json ? console.error(sentence) : console.log(sentence));
  const organization = await chooseOrganization(pool, options.organization);
  const saved = options.mapping === undefined ? undefined : await readMappings(options.mapping);
  const mappings = Array.isArray(saved) ? saved : [];
  const column = { ...(Array.isArray(saved) ? {} : saved), ...options.column };
  const words = readWords(options.value ?? [], ALL_FIELDS);
  const reading = { ...options, column, mappings, words, language: organization.language };
  const tables = await findTables(files, reading, say);
  const shiftMs = options.shiftToNow ? await daysToNow(tables, reading) : 0;
  if (options.shiftToNow)
    say(`all times are moved by ${amount(shiftMs / DAY_MS, 'days')}, so that the newest reading is of today.`);
  for (const table of tables) {
    const notes: string[] = [];
    const understood = await understand(table, reading, shiftMs, (note) => void notes.push(note));
    if (options.dryRun && understood.errors.length > 0) process.exitCode = 1;
    if (understood.hasLocalTimes)
      notes.push(`times without an offset are read as UTC; if they are local: --time-zone ${zoneOf(organization)}`);
    say(describeTable(table, understood, notes));
  }
  const again = shellCommand([
    'import',
    ...files,
    '--organization',
    organization.code,
    ...(options.device === undefined ? [] : ['--device', options.device]),
    ...(options.shiftToNow ? ['--shift-to-now'] : []),
    ...(options.mapping === undefined ? [] : ['--mapping', options.mapping]),
    ...setArguments(options.set ?? {}),
    ...valueArguments(options.value),
    ...fileArguments(options),
  ]);
  if (options.mapping !== undefined && saved === undefined) {
    await writeMappings(options.mapping, tables.map(tableMapping));
    say(`how the tables are read was written to ${options.mapping}; edit it to read them in another way.`);
  }
  if (options.dryRun) return say(`(a dry run: nothing was changed)\nto import it: ${again}`);
  const question = `import into ${organization.code} (${organization.name})?`;
  const advice = `nobody can answer here; to import without a question: ${again} --yes`;
  if (!options.yes && !(await askYesOrNo(question, advice))) return say('nothing was changed.');
  const results: (KnownTableResult & { table: string })[] = [];
  for (const table of tables) {
    const result = await importTable(pool, table, organization.no, { ...options, words, shiftMs });
    say(`${table.kind} of ${table.name}: ${result.text}`);
    results.push({ table: table.name, ...result });
    if (result.bad > 0) process.exitCode = 1;
  }
  const jsonTables = results.map(({ table, kind, result }) => ({ table, kind, ...result }));
  if (options.json) console.log(JSON.stringify({ organization: organization.code, tables: jsonTables }));
  else console.log(nextSteps(tables, organization.code));
}

type ChosenOrganization = Awaited<ReturnType<typeof findOrganizations>>[number];

/** The time zone that is suggested for local times. */
const zoneOf = ({ time_zone }: ChosenOrganization): string => (time_zone === 'UTC' ? 'America/Mexico_City' : time_zone);

const SHOWN_CODES = 20;

async function chooseOrganization(db: Db, code: string | undefined): Promise<ChosenOrganization> {
  const found = await findOrganizations(db, { code, limit: SHOWN_CODES });
  const [first] = found;
  if (first === undefined && code !== undefined)
    throw new UserError(`there is no organization ${code}; list them with: tankwatch organizations list`);
  if (first === undefined)
    throw new UserError(
      'there is no organization yet; create one: tankwatch organizations create --name "Your company"',
    );
  if (found.length > 1)
    throw new UserError(`choose an organization with --organization: ${found.map((each) => each.code).join(', ')}`);
  return first;
}

/** The number of whole days between the newest reading and now, in milliseconds. */
async function daysToNow(tables: readonly KnownTable[], options: TableReadOptions): Promise<number> {
  let newestMs: number | null = null;
  for (const table of tables) {
    if (table.kind !== 'readings') continue;
    const { newestMs: newestOfTableMs } = await understand(table, options, 0, () => {});
    if (newestOfTableMs !== null) newestMs = Math.max(newestMs ?? newestOfTableMs, newestOfTableMs);
  }
  if (newestMs === null) throw new UserError('--shift-to-now needs a file with readings.');
  return Math.max(0, Math.floor((Date.now() - newestMs) / DAY_MS)) * DAY_MS;
}

/** The mapping with which the next file of this form is read like this table. */
const tableMapping = ({ kind, found, constants, mapping }: KnownTable): TableMapping => ({
  ...mapping,
  what: kind,
  columns: found,
  constants,
});

/** Describes what was guessed, which a person must see before the import. */
function describeMapping({ column, constants, options, mapping }: KnownTable): string[] {
  if (mapping === undefined) return [];
  const pairs = (values: Readonly<Record<string, string>>): string =>
    Object.entries(values)
      .map(([ours, theirs]) => `${ours} = ${theirs}`)
      .join(', ');
  const order = options.dateOrder === undefined ? '' : `; dates are ${options.dateOrder}`;
  const otherwise = Object.keys(constants).length === 0 ? [] : [`where the file has none: ${pairs(constants)}`];
  return [`read as ${pairs(column)}${order}`, ...otherwise];
}

function describeTable(table: KnownTable, understood: UnderstoodTable, tableNotes: readonly string[]): string {
  const { name, kind } = table;
  const { rows, firstRows, errors } = understood;
  const notes = [...tableNotes, ...describeMapping(table)];
  const errorLines = errors.slice(0, MAX_SHOWN_ERRORS).map((group) => `  ${describeGroup(group)}`);
  const rowLines = firstRows.length === 0 ? [] : [formatRecords(firstRows).replaceAll(/^/gm, '  ')];
  const heading = `${name}: ${amount(rows, 'rows')} of ${kind}${firstRows.length === 0 ? '' : '; the first, as understood:'}`;
  return [heading, ...notes.map((note) => `  (${note})`), ...rowLines, ...errorLines, ''].join('\n');
}

interface KnownTableResult {
  kind: KnownTable['kind'];
  text: string;
  bad: number;
  result: Imported | ImportedReadings;
}

/** Imports a table as the command of its kind does. */
async function importTable(
  pool: Pool,
  table: KnownTable,
  organization: number,
  options: GuidedOptions & Pick<TableReadOptions, 'words'> & { shiftMs: number },
): Promise<KnownTableResult> {
  const { kind, source, column, constants, usual, mapping, format } = table;
  const read = { column, constants, usual, readsOnlyNamed: mapping !== undefined };
  const tableOptions = { ...table.options, ...options, ...sheetOf(table), ...read, onNote: () => {} };
  if (kind === 'readings') {
    const result = await importReadingFile(pool, source, organization, { ...tableOptions, format });
    return { kind, text: describeImportedReadings(result), bad: result.rejected, result };
  }
  const result = await importCatalogFile(pool, kind, source, organization, tableOptions);
  return { kind, text: describeImported(result), bad: result.bad, result };
}

function nextSteps(tables: readonly KnownTable[], code: string): string {
  const kinds = new Set(tables.map(({ kind }) => kind));
  const steps: [string, string][] = [];
  if (!kinds.has('tanks') && !kinds.has('readings')) steps.push(['import their tanks', 'import tanks.csv']);
  else if (!kinds.has('readings')) steps.push(['import past readings', 'import readings.csv']);
  if (kinds.has('readings')) {
    steps.push(['see the tanks to refill next', 'tanks forecast']);
    steps.push(['see the alerts of the past', 'alerts list']);
  }
  if (kinds.has('tanks')) steps.push(['get the passwords of the devices', 'devices issue --all-missing']);
  const lines = steps.map(([what, command]) => `  ${what}: tankwatch ${command} --organization ${code}`);
  return `\nnext:\n${lines.join('\n')}`;
}
