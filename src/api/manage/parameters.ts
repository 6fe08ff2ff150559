import { Type } from 'typebox';
import type { Field } from '../../catalog/fields.ts';
import { invalidParameters } from '../../http/problem.ts';
import type { Parameter } from '../parameters.ts';

/** A parameter that is true or false. */
export const flag = (description: string): Parameter<boolean> => ({
  schema: Type.Boolean({ default: false }),
  description,
  parse: (text) =>
    text === 'true' || text === 'false'
      ? { value: text === 'true' }
      : { code: 'invalid', detail: 'Must be true or false.' },
});

export const dryRun = flag('Make all checks, answer as if the change was made, and change nothing.');

/** A key in a path, checked as the same field in a body. Throws 422. */
export function pathField(name: string, field: Field<string | null>, text = ''): string {
  const parsed = field(text);
  if ('value' in parsed && parsed.value !== null) return parsed.value;
  const reason = 'reason' in parsed ? parsed.reason : 'must not be empty';
  throw invalidParameters([{ param: name, code: 'invalid', detail: `The path ${reason}.` }]);
}
