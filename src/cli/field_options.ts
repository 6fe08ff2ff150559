import type { Command } from 'commander';
import { type Fields, type FieldValues, parseFields } from '../catalog/fields.ts';
import { UserError } from '../values/user_error.ts';

const flagOf = (field: string): string => field.replaceAll('_', '-');
const optionOf = (field: string): string => field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A flag for each field: --postal-code for postal_code. */
export function withFieldFlags(command: Command, fields: Fields, except: readonly string[] = []): Command {
  for (const field of Object.keys(fields)) {
    if (!except.includes(field)) command.option(`--${flagOf(field)} <text>`, field.replaceAll('_', ' '));
  }
  return command;
}

/** What the flags said, parsed; every mistake is named at once. `needed` must be there. */
export function fieldsFromFlags<F extends Fields>(
  fields: F,
  options: Readonly<Record<string, unknown>>,
  needed: readonly string[] = [],
): FieldValues<F> {
  const given = Object.fromEntries(
    Object.keys(fields).map((field) => {
      const said = options[optionOf(field)];
      return [field, typeof said === 'string' ? said : undefined];
    }),
  );
  const { values, errors } = parseFields(fields, given);
  const missing = needed.filter((field) => given[field] === undefined).map((field) => `--${flagOf(field)} is needed`);
  const all = [...missing, ...errors];
  if (all.length > 0) throw new UserError(`${all.join('; ')}.`);
  return values;
}
