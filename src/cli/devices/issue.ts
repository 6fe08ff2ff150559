import { type FileHandle, open } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import {
  devicesToIssue,
  devicesWithoutIssue,
  type IssuedDevice,
  reasonWithoutPassword,
  recordIssues,
} from '../../catalog/devices.ts';
import type { Db } from '../../db/pool.ts';
import { devicePassword, deviceUserName } from '../../keys/device_password.ts';
import { readDeviceSecret } from '../../keys/own_secrets.ts';
import { readDeviceSecrets } from '../../settings/command_settings.ts';
import { FILE_FORMATS, type FileFormat } from '../../telemetry/reading_file.ts';
import { csvLine } from '../../values/csv.ts';
import { columnName } from '../../values/headings.ts';
import { type RowError, RowErrorGroups } from '../../values/row_error.ts';
import { readTable } from '../../values/table_reader.ts';
import { UserError } from '../../values/user_error.ts';
import {
  type OrganizationOption,
  organizationOption,
  printResult,
  readOrganization,
  recordedCommand,
  runChange,
  type WriteOptions,
} from '../command.ts';
import { fileError, inputFile } from '../input_file.ts';
import { type FileOptions, tableOptions, withTextOptions } from '../options/file.ts';
import { Progress } from '../progress.ts';

export interface PrintedCredentials {
  username: string;
  password: string;
  generation: number;
}

type IssueOptions = WriteOptions &
  OrganizationOption &
  FileOptions & { quiet?: boolean; file?: string; allMissing?: boolean; format?: FileFormat; output?: string };

const BATCH_DEVICES = 5_000;
const MAX_SHOWN_ERRORS = 50;
/** The columns with the serial, in files of readings and in files of exported tanks. */
const DEVICE_COLUMNS = new Set(['device_id', 'assigned_device_id']);
const COLUMNS = ['device_id', 'username', 'password', 'generation', 'tank_id', 'custom_id'] as const;

export function issueCommand(): Command {
  return withTextOptions(
    recordedCommand(
      'issue',
      'show the credentials of a device or of many; they stay the same until they are rotated',
      'devices issue --all-missing --organization a0gas --output credentials.csv',
    ),
  )
    .argument('[device]', 'serial of the device')
    .addOption(organizationOption())
    .option('--file <file>', 'the devices in a CSV file or workbook with a column device_id; - for standard input')
    .option('--all-missing', 'all devices on tanks whose credentials were never shown')
    .addOption(
      new Option('--format <format>', 'how --file and --all-missing write the credentials (default: csv)').choices(
        FILE_FORMATS,
      ),
    )
    .option('--output <file>', 'write the credentials to a new file that only you can read (default: standard output)')
    .option('--quiet', 'print only the password of one device')
    .action((device: string | undefined, options: IssueOptions) =>
      readOrganization(options, async (pool, no) => {
        const choices = [device, options.file, options.allMissing].filter((choice) => choice !== undefined);
        if (choices.length !== 1) throw new UserError('name one device, or use --file, or use --all-missing.');
        const secret = await readDeviceSecret(pool, readDeviceSecrets(process.env), { no, code: options.organization });
        const issue = async (devices: readonly IssuedDevice[]): Promise<IssuedCredentials[]> => {
          await runChange(pool, options, (tx) => recordIssues(tx, no, devices));
          return devices.map((issued) => ({ ...issued, ...credentialsOf(secret, options.organization, issued) }));
        };
        const named = device === undefined ? [] : await readIssuableDevice(pool, no, device);
        if (device !== undefined && options.output === undefined) {
          const [credentials] = await issue(named);
          if (credentials !== undefined) printCredentials(options, credentials);
          return;
        }
        await using output = await CredentialsOutput.open(options);
        if (device !== undefined) {
          await output.write(await issue(named));
          return;
        }
        const progress = new Progress('devices');
        const errors = new RowErrorGroups();
        let [issued, failed] = [0, 0];
        for await (const lines of deviceBatches(pool, no, options, (note) => progress.line(note))) {
          const devices = await devicesToIssue(pool, no, [...lines.keys()]);
          const checked = devices.map((checkedDevice) => [checkedDevice, findIssueError(checkedDevice)] as const);
          for (const [{ device_id }, error] of checked) {
            if (error !== null) errors.add(lines.get(device_id) ?? 0, error);
          }
          const issuable = checked.filter(([, error]) => error === null).map(([checkedDevice]) => checkedDevice);
          if (issuable.length > 0) await output.write(await issue(issuable));
          issued += issuable.length;
          failed += devices.length - issuable.length;
          progress.at('issued', issued);
        }
        for (const line of errors.describe(MAX_SHOWN_ERRORS)) progress.line(line);
        progress.line(`${issued} devices issued, ${failed} not issued`);
        if (failed > 0) process.exitCode = 1;
      }),
    );
}

async function readIssuableDevice(db: Db, organization: number, device: string): Promise<IssuedDevice[]> {
  const found = await devicesToIssue(db, organization, [device]);
  const error = found.map(findIssueError).find((candidate) => candidate !== null);
  if (error) {
    const advice = (error.advice ?? '').replace(/^./, (first) => first.toLowerCase());
    throw new UserError(`the device ${device} ${error.problem}; ${advice}`);
  }
  return found;
}

function findIssueError({ device_id, is_known, revoked_at }: IssuedDevice): RowError | null {
  const error = { column: 'device_id', text: device_id };
  const withoutPassword = reasonWithoutPassword(device_id);
  if (withoutPassword !== null)
    return { ...error, problem: withoutPassword, advice: 'Assign a device to the tank first.' };
  if (!is_known) return { ...error, problem: 'was never on a tank', advice: 'Assign it to a tank first.' };
  if (revoked_at === null) return null;
  return { ...error, problem: 'is revoked', advice: 'To allow it again: tankwatch devices rotate' };
}

/** Batches of device ids, each with its line in the file. Without a file, the line is 0. */
async function* deviceBatches(
  db: Db,
  organization: number,
  options: IssueOptions,
  onNote: (note: string) => void,
): AsyncGenerator<Map<string, number>> {
  const seen = new Set<string>();
  if (options.file === undefined) {
    // A device whose credentials were shown is not found again. `seen` leaves out those that cannot be issued.
    for (;;) {
      const ids = (await devicesWithoutIssue(db, organization, BATCH_DEVICES)).filter((id) => !seen.has(id));
      if (ids.length === 0) return;
      for (const id of ids) seen.add(id);
      yield new Map(ids.map((id) => [id, 0]));
    }
  }
  let batch = new Map<string, number>();
  let column: number | undefined;
  const columnOf = (cells: readonly string[]): number =>
    cells.findIndex((cell) => DEVICE_COLUMNS.has(columnName(cell)));
  const findColumns = (cells: readonly string[]): number[] | undefined => {
    const found = columnOf(cells);
    return found < 0 ? undefined : [found];
  };
  const table = { ...tableOptions(options, onNote), findColumns };
  for await (const records of readTable(await inputFile(options.file), table)) {
    for (const { line, cells } of records) {
      if (column === undefined) {
        column = columnOf(cells);
        if (column < 0) throw new UserError(`the file has no column device_id; its columns are ${cells.join(', ')}.`);
        continue;
      }
      const id = cells[column]?.trim() ?? '';
      if (id === '' || id.includes('\0') || seen.has(id)) continue;
      seen.add(id);
      batch.set(id, line);
      if (batch.size < BATCH_DEVICES) continue;
      yield batch;
      batch = new Map();
    }
  }
  if (column === undefined) throw new UserError('the file is empty; it needs a column device_id.');
  if (batch.size > 0) yield batch;
}

export const credentialsOf = (
  secret: string,
  organizationCode: string,
  { device_id, generation }: Pick<IssuedDevice, 'device_id' | 'generation'>,
): PrintedCredentials => ({
  username: deviceUserName(organizationCode, device_id),
  password: devicePassword(secret, device_id, generation),
  generation,
});

export function printCredentials(
  options: WriteOptions & { quiet?: boolean },
  { username, password, generation }: PrintedCredentials,
): void {
  if (options.quiet) console.log(password);
  else printResult(options, { username, password, generation }, `user name: ${username}\npassword:  ${password}`);
}

type IssuedCredentials = IssuedDevice & PrintedCredentials;

/** Writes credentials as CSV or as one JSON object per line. */
class CredentialsOutput {
  readonly #handle: FileHandle | null;
  readonly #format: FileFormat;
  #isFirst = true;

  private constructor(handle: FileHandle | null, format: FileFormat) {
    this.#handle = handle;
    this.#format = format;
  }

  static async open({ output, format, json }: IssueOptions): Promise<CredentialsOutput> {
    const handle =
      output === undefined
        ? null
        : await open(output, 'wx', 0o600).catch((error: unknown) => {
            throw fileError(error, output, 'write');
          });
    return new CredentialsOutput(handle, format ?? (json ? 'ndjson' : 'csv'));
  }

  async write(credentials: readonly IssuedCredentials[]): Promise<void> {
    const header = this.#isFirst && this.#format === 'csv' ? csvLine(COLUMNS) : '';
    this.#isFirst = false;
    const text = header + credentials.map((issued) => this.#line(issued)).join('');
    if (this.#handle === null) process.stdout.write(text);
    else await this.#handle.appendFile(text);
  }

  #line(credentials: IssuedCredentials): string {
    const values = COLUMNS.map((column) => [column, credentials[column]] as const);
    if (this.#format === 'csv') return csvLine(values.map(([, value]) => value));
    return `${JSON.stringify(Object.fromEntries(values))}\n`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle?.close();
  }
}
