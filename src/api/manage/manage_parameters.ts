import { Type } from 'typebox';
import type { Field } from '../../catalog/field.ts';
import { invalidParameters, type ParameterError } from '../../http/problem.ts';
import { integer, integerParameter, type Parameter, type ParameterValues } from '../parameters.ts';
import { pageEnd } from '../schemas/values.ts';

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

/** The default page size of lists whose entries have numbers. */
const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;
const pageSize = integerParameter('Maximum number of entries.', {
  minimum: 1,
  maximum: MAX_PAGE_SIZE,
  default: PAGE_SIZE,
});
const after: Parameter<number> = {
  schema: Type.String(),
  description: '`next` of the page before.',
  parse: integer(1, Number.MAX_SAFE_INTEGER),
};
const before: Parameter<number> = {
  schema: Type.Integer({ minimum: 1 }),
  description: 'Return only entries before this number. The same as `after`.',
  isDeprecated: true,
  parse: integer(1, Number.MAX_SAFE_INTEGER),
};
/** The parameters of lists whose entries have numbers. */
export const numberedPages = { size: pageSize, after, before };

/** Reads a page of a list whose entries have numbers, newest first. */
export async function readNumberedPage<Item extends { number: number }>(
  { size = PAGE_SIZE, after: next, before: beforeNumber }: ParameterValues<typeof numberedPages>,
  read: (page: { size: number; beforeNo: number | null }) => Promise<Item[]>,
): Promise<{ object: 'list'; data: Item[]; next: string | null; has_more: boolean }> {
  const rows = await read({ size: size + 1, beforeNo: next ?? beforeNumber ?? null });
  const data = rows.slice(0, size);
  return { object: 'list', data, ...pageEnd(rows.length > size ? String(data.at(-1)?.number) : null) };
}

/** The error of a field of a body that differs from the path. */
export const contradictsPath = (param: string): ParameterError => ({
  param,
  code: 'contradiction',
  detail: 'Must be that of the path.',
});

/** A key in a path. It is checked like the same field of a body. Throws 422. */
export function pathField(name: string, field: Field<string | null>, text = ''): string {
  const parsed = field(text);
  if ('value' in parsed && parsed.value !== null) return parsed.value;
  const reason = 'reason' in parsed ? parsed.reason : 'must not be empty';
  throw invalidParameters([{ param: name, code: 'invalid', detail: `The path ${reason}.` }]);
}
