import { type Command, InvalidArgumentError, Option } from 'commander';
import { DELIMITERS, type Delimiter } from '../../values/csv_reader.ts';
import { DECIMAL_MARKS, type DecimalMark } from '../../values/decimal.ts';
import { shellWord } from '../../values/shell_word.ts';
import type { TableOptions } from '../../values/table_reader.ts';
import { ENCODINGS, type Encoding } from '../../values/text_encoding.ts';
import { DATE_ORDERS, type DateOrder, type TextFormat } from '../../values/text_format.ts';
import { parseTimeZone } from '../../values/zoned_time.ts';

/** How a file is read, for files whose bytes do not show it. */
export interface FileOptions {
  sheet?: string;
  encoding?: Encoding;
  delimiter?: Delimiter;
  decimal?: DecimalMark;
  dateOrder?: DateOrder;
  timeZone?: string;
}

/** The headings of the file, by the names that Tankwatch has for the columns. */
export interface ColumnOption {
  column?: Record<string, string>;
}

/** Adds the options of every command that reads a CSV file or a workbook with values. */
export const withFileOptions = (command: Command): Command =>
  withTextOptions(command)
    .addOption(
      new Option('--decimal <mark>', 'the decimal mark, if numbers such as 1.000 are ambiguous').choices(DECIMAL_MARKS),
    )
    .addOption(
      new Option('--date-order <order>', 'for days such as 31/12/2025: day first or month first').choices(DATE_ORDERS),
    )
    .option(
      '--time-zone <zone>',
      'zone of times without an offset, such as America/Mexico_City (default: UTC)',
      parseZone,
    );

/** Adds the options that concern the text of a file, and not its values. */
export const withTextOptions = (command: Command): Command =>
  command
    .addOption(new Option('--encoding <encoding>', 'encoding of the file (default: detected)').choices(ENCODINGS))
    .option(
      '--delimiter <delimiter>',
      'what separates the cells (choices: "comma", "semicolon", "tab"; default: detected)',
      parseDelimiter,
    )
    .option('--sheet <name>', 'the sheet of a workbook (default: the first one)');

/** Adds --column. `ourColumns` are the allowed columns; a command that leaves it out checks them itself. */
export function withColumnOption(command: Command, ourColumns?: readonly string[]): Command {
  const parse = (text: string, columns: Record<string, string> = {}): Record<string, string> => {
    const [, ours = '', theirs = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (theirs === '' || (ourColumns !== undefined && !ourColumns.includes(ours))) {
      const names = ourColumns === undefined ? '' : `; our columns are ${ourColumns.join(', ')}`;
      throw new InvalidArgumentError(`Write it like created_at=Fecha, our name first${names}.`);
    }
    return { ...columns, [ours]: theirs };
  };
  const description = 'the name of a column in the file: our name=name in the file; may be repeated';
  return withRepeatedFlag(command.option('--column <ours=theirs>', description, parse), '--column', /^[a-z_]+=/);
}

/** The option --set, for columns that the file does not have. */
export const setOption = (): Option =>
  new Option(
    '--set <column=value>',
    'the value of a column where the file has none, for new rows, such as capacity_unit=gallons; may be repeated',
  ).argParser((text: string, values: Record<string, string>): Record<string, string> => {
    const [, column, value = ''] = /^([a-z_]+)=(.*)$/s.exec(text) ?? [];
    if (column === undefined) throw new InvalidArgumentError('Write it like capacity_unit=gallons.');
    return { ...values, [column]: value };
  });

export const setArguments = (constants: Readonly<Record<string, string>>): string[] =>
  Object.entries(constants).flatMap(([column, value]) => ['--set', `${column}=${value}`]);

/**
 * Accepts several values after one flag, as 0.2 did: `--column a=b c=d`. With a variadic option of commander, a file after
 * them would be read as one more value.
 */
export function withRepeatedFlag(command: Command, flag: string, value: RegExp): Command {
  const parseOptions = command.parseOptions.bind(command);
  command.parseOptions = (args) => {
    const repeated: string[] = [];
    let flagIndex = Number.NEGATIVE_INFINITY;
    for (const arg of args) {
      if (arg === flag) flagIndex = repeated.length;
      else if (repeated.length - flagIndex === 2 && value.test(arg)) {
        flagIndex = repeated.length;
        repeated.push(flag);
      }
      repeated.push(arg);
    }
    return parseOptions(repeated);
  };
  return command;
}

export const tableOptions = (
  { encoding, delimiter, sheet, decimal }: FileOptions,
  onNote: (sentence: string) => void,
): TableOptions => ({ encoding, delimiter, sheet, decimal, onNote });

export const textFormat = ({ decimal, dateOrder, timeZone }: FileOptions): TextFormat => ({
  decimal,
  dateOrder,
  timeZone,
});

function parseDelimiter(text: string): Delimiter {
  const [, found] = Object.entries(DELIMITERS).find(([name, sign]) => text === name || text === sign) ?? [];
  if (found === undefined) throw new InvalidArgumentError('Must be comma, semicolon or tab.');
  return found;
}

function parseZone(text: string): string {
  const zone = parseTimeZone(text);
  if (zone === undefined) throw new InvalidArgumentError('Must be a time zone such as America/Mexico_City or UTC.');
  return zone;
}

/** The arguments that make another command read the file in the same way. */
export function fileArguments({
  encoding,
  delimiter,
  sheet,
  decimal,
  dateOrder,
  timeZone,
  column = {},
}: FileOptions & ColumnOption): string[] {
  const delimiterName = Object.entries(DELIMITERS).find(([, sign]) => sign === delimiter)?.[0];
  const flags = {
    encoding,
    delimiter: delimiterName,
    sheet,
    decimal,
    'date-order': dateOrder,
    'time-zone': timeZone,
  };
  return [
    ...Object.entries(column).flatMap(([ours, theirs]) => ['--column', `${ours}=${theirs}`]),
    ...Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}`, value])),
  ];
}

/** A command as it can be typed into a shell. */
export const shellCommand = (words: readonly string[]): string => ['tankwatch', ...words].map(shellWord).join(' ');
