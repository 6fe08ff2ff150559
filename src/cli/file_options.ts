import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CsvOptions, DELIMITERS, type Delimiter } from '../values/csv_reader.ts';
import { DECIMAL_MARKS, type DecimalMark } from '../values/decimal.ts';
import { ENCODINGS, type Encoding } from '../values/text_encoding.ts';
import { DATE_ORDERS, type DateOrder, type TextFormat } from '../values/text_format.ts';
import { isTimeZone } from '../values/time.ts';

/** How a CSV file is written, for files whose bytes do not say it. */
export interface FileOptions {
  encoding?: Encoding;
  delimiter?: Delimiter;
  decimal?: DecimalMark;
  dateOrder?: DateOrder;
  timeZone?: string;
}

/** Adds the options of every command that reads a CSV file with values. */
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
    );

export const csvOptions = ({ encoding, delimiter }: FileOptions, onNote: (sentence: string) => void): CsvOptions => ({
  encoding,
  delimiter,
  onNote,
});

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
  if (!isTimeZone(text)) throw new InvalidArgumentError('Must be a time zone such as America/Mexico_City or UTC.');
  return text;
}
