import { Type } from 'typebox';
import type { Field } from '../../catalog/fields.ts';
import { invalidParameters } from '../../http/problem.ts';
import { integer, type Parameter } from '../parameters.ts';

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

/** The page size of lists whose entries have numbers, newest first. */
export const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;
export const pageSize: Parameter<number> = {
  schema: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: PAGE_SIZE }),
  description: 'Maximum number of entries.',
  parse: integer(1, MAX_PAGE_SIZE),
};
export const before: Parameter<number> = {
  schema: Type.Integer({ minimum: 1 }),
  description: 'Return only entries before this number.',
  parse: integer(1, Number.MAX_SAFE_INTEGER),
};
export const numberOf = (given: unknown): number | undefined => (typeof given === 'number' ? given : undefined);

/** A key in a path, checked as the same field in a body. Throws 422. */
export function pathField(name: string, field: Field<string | null>, text = ''): string {
  const parsed = field(text);
  if ('value' in parsed && parsed.value !== null) return parsed.value;
  const reason = 'reason' in parsed ? parsed.reason : 'must not be empty';
  throw invalidParameters([{ param: name, code: 'invalid', detail: `The path ${reason}.` }]);
}
