import type { Statement } from '../db/readers.ts';
import type { ExactTime } from '../values/time.ts';
import { type ParameterSet, type ParameterValues, pagingParameters, sqlTime } from './parameters.ts';
import type { Read, ReadRequest } from './read.ts';

/** What a resource tells of its list; paging, totals and links are nobody else's business. */
export interface ListDefinition<Filters extends ParameterSet> extends Omit<Read, 'answers' | 'parameters' | 'answer'> {
  filters: Filters;
  /** The statement that serves this call, the caller's scope, which comes first in it, and what follows the paging. */
  source(call: ReadRequest<ParameterValues<Filters>>): Source | Promise<Source>;
}

export interface Source {
  statement: Statement;
  scopeNo: number;
  more?: unknown[];
}

/** A row of the list engine: an item beside the total, or the total alone where the page is empty. */
type ListRow = { total_items: number; object: string | null };

export function listRead<Filters extends ParameterSet>(definition: ListDefinition<Filters>): Read {
  return {
    ...definition,
    answers: 'list',
    parameters: { ...pagingParameters, ...definition.filters },
    async answer(call: ReadRequest<ParameterValues<typeof pagingParameters> & ParameterValues<Filters>>) {
      const { page = 1, size = 10, created_at_gte, created_at_lte } = call.parameters;
      const { statement, scopeNo, more = [] } = await definition.source(call);
      const range = [from(created_at_gte), to(created_at_lte)];
      // Page 2^53 times size 100 is past what a number holds exactly.
      const skip = ((BigInt(page) - 1n) * BigInt(size)).toString();
      const rows = await call.readers.query<ListRow>(statement, [scopeNo, ...range, skip, size, ...more]);

      const total_items = rows[0]?.total_items ?? 0;
      const total_pages = Math.ceil(total_items / size);
      const data = rows.filter((row) => row.object !== null);
      return {
        body: { object: 'list', data, page, size, total_pages, total_items },
        headers: { link: links(call, page, total_pages) },
      };
    },
  };
}

/** The first stored millisecond at or after the moment. */
const from = (time: ExactTime | undefined): string =>
  time === undefined ? '-infinity' : sqlTime(time.isPastMs ? time.ms + 1 : time.ms);

/** The first stored millisecond after the moment: ranges are half open. */
const to = (time: ExactTime | undefined): string => (time === undefined ? 'infinity' : sqlTime(time.ms + 1));

/** RFC 8288, path-absolute, with the caller's own filters. */
function links({ path, given }: ReadRequest, page: number, totalPages: number): string {
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
