import { type Command, InvalidArgumentError } from 'commander';
import { type Field, type Fields, type FieldValues, parseFields } from '../../catalog/field.ts';
import { UserError } from '../../values/user_error.ts';

const optionName = (field: string): string => field.replaceAll('_', '-');
const optionKey = (field: string): string => field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Adds an option for each field, such as --postal-code for postal_code. */
export function withFieldOptions(command: Command, fields: Fields, except: readonly string[] = []): Command {
  for (const [field, { choices }] of Object.entries(fields)) {
    const values = choices === undefined ? '' : ` (choices: ${choices.map((choice) => `"${choice}"`).join(', ')})`;
    if (!except.includes(field)) command.option(`--${optionName(field)} <text>`, field.replaceAll('_', ' ') + values);
  }
  return command;
}

/** Parses the field options. The error lists every missing and every invalid field. */
export function fieldsFromOptions<F extends Fields>(
  fields: F,
  options: Readonly<Record<string, unknown>>,
  required: readonly string[] = [],
): FieldValues<F> {
  const texts = Object.fromEntries(
    Object.keys(fields).map((field) => {
      const text = options[optionKey(field)];
      return [field, typeof text === 'string' ? text : undefined];
    }),
  );
  const { values, errors } = parseFields(fields, texts);
  const missing = required
    .filter((field) => texts[field] === undefined)
    .map((field) => `--${optionName(field)} is required`);
  const problems = [...missing, ...errors];
  if (problems.length > 0) throw new UserError(`${problems.join('; ')}.`);
  return values;
}

/** Parses the field options of a change. At least one field must be given. */
export function changesFromOptions<F extends Fields>(
  fields: F,
  options: Readonly<Record<string, unknown>>,
): FieldValues<F> {
  const values = fieldsFromOptions(fields, options);
  if (Object.keys(values).length === 0) throw new UserError('name at least one field to change.');
  return values;
}

/** Parses an option whose text is a field. */
export function parseField<T>(field: Field<T>, text: string): T {
  const parsed = field(text);
  if ('value' in parsed) return parsed.value;
  throw new InvalidArgumentError(`It ${parsed.reason}.`);
}

/** Parses an argument whose text is a field. The message names the argument, such as `the mail address`. */
export function parseArgument<T>(field: Field<T>, text: string, name: string): T {
  const parsed = field(text);
  if ('value' in parsed) return parsed.value;
  throw new UserError(`${name} ${parsed.reason}.`);
}
