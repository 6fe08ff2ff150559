import { Type } from 'typebox';
import type { Statement } from '../../db/readers.ts';
import type { ExactTime } from '../../values/time.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import {
  integerParameter,
  type Parameter,
  type ParameterSet,
  type ParameterValues,
  parseTimeFilter,
  sqlTime,
} from '../parameters.ts';

const createdAt = (relation: 'after' | 'before'): Parameter<ExactTime> => ({
  schema: Type.String({ format: 'date-time' }),
  description: `Return only objects created at or ${relation} this time. A time without Z or an offset is UTC.`,
  parse: parseTimeFilter,
});

const pagingParameters = {
  created_at_gte: createdAt('after'),
  created_at_lte: createdAt('before'),
  page: integerParameter('Number of the page to return. A page past the end is empty and has the correct totals.', {
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 1,
  }),
  size: integerParameter('Maximum number of objects on a page.', { minimum: 1, maximum: 100, default: 10 }),
};

/** The part of a list operation that differs between resources. Paging, totals and links are the same for all. */
export interface ListDefinition<Filters extends ParameterSet>
  extends Omit<Operation, 'returns' | 'parameters' | 'handle'> {
  filters: Filters;
  source(request: OperationRequest<ParameterValues<Filters>>): ListSource | Promise<ListSource>;
}

/**
 * The statement that serves a request. Its parameters are the scope, the time range, the paging, then `filterValues`.
 */
export interface ListSource {
  statement: Statement;
  scopeNo: number;
  filterValues?: unknown[];
}

/** A row of a counted list: an item with the total, or only the total if the page is empty. */
type ListRow = { total_items: number; object: string | null };

export function listOperation<Filters extends ParameterSet>(definition: ListDefinition<Filters>): Operation {
  return {
    ...definition,
    returns: 'list',
    parameters: { ...pagingParameters, ...definition.filters },
    async handle(request: OperationRequest<ParameterValues<typeof pagingParameters> & ParameterValues<Filters>>) {
      const { page = 1, size = 10, created_at_gte, created_at_lte } = request.parameters;
      const { statement, scopeNo, filterValues = [] } = await definition.source(request);
      const range = [rangeStart(created_at_gte), rangeEnd(created_at_lte)];
      // BigInt, because page 2^53 times size 100 exceeds the integers that a number represents exactly.
      const skip = ((BigInt(page) - 1n) * BigInt(size)).toString();
      const rows = await request.readers.query<ListRow>(statement, [scopeNo, ...range, skip, size, ...filterValues]);

      const total_items = rows[0]?.total_items ?? 0;
      const total_pages = Math.ceil(total_items / size);
      const data = rows.filter((row) => row.object !== null);
      return {
        body: { object: 'list', data, page, size, total_pages, total_items },
        headers: { link: linkHeader(request, page, total_pages) },
      };
    },
  };
}

/** The first stored millisecond at or after the time. */
const rangeStart = (time: ExactTime | undefined): string =>
  time === undefined ? '-infinity' : sqlTime(time.isPastMs ? time.ms + 1 : time.ms);

/** The first stored millisecond after the time, because the range excludes its end. */
const rangeEnd = (time: ExactTime | undefined): string => (time === undefined ? 'infinity' : sqlTime(time.ms + 1));

/** RFC 8288 links as absolute paths, with the caller's filters. */
function linkHeader({ path, given }: OperationRequest, page: number, totalPages: number): string {
  const last = Math.max(totalPages, 1);
  const filters = given.size === 0 ? '' : withoutPage(given);
  const link = (rel: string, target: number): string => `<${path}?${filters}page=${target}>; rel="${rel}"`;
  const neighbours = [
    ...(page > 1 ? [link('prev', Math.min(page - 1, last))] : []),
    ...(page < last ? [link('next', page + 1)] : []),
  ];
  return [link('first', 1), ...neighbours, link('last', last)].join(', ');
}

function withoutPage(given: URLSearchParams): string {
  const rest = new URLSearchParams(given);
  rest.delete('page');
  return rest.size === 0 ? '' : `${rest.toString()}&`;
}
