import { OpenExports } from '../../src/api/open_exports.ts';
import type { Operation } from '../../src/api/operation.ts';
import { parseParameters } from '../../src/api/parameters.ts';
import type { Readers } from '../../src/db/readers.ts';
import { givenCaller } from './caller.ts';

export interface Page {
  data: Record<string, unknown>[];
  total_items: number;
  total_pages: number;
}

/** Reads a list as a caller does, from its parameters to its body, but without HTTP. */
export async function askList(
  readers: Readers,
  operation: Operation,
  scope: { organizationNo: number; customerNo?: number; id?: string },
  query: string,
): Promise<Page> {
  const given = new URLSearchParams(query);
  const caller = givenCaller({ organizationNo: scope.organizationNo, customerNo: scope.customerNo ?? null });
  const parameters = parseParameters(operation.parameters, given, undefined);
  const { body } = await operation.handle({
    readers,
    caller,
    id: scope.id ?? '',
    parameters,
    path: '',
    given,
    reauthorize: async () => {},
    exports: new OpenExports(),
    followReadings: () => Promise.resolve('0'),
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the body of every list
  return body as Page;
}

/** Reads all pages of a list. `read` gets the end of the query: nothing for the first page, then `&after=...`. */
export async function readPages<Read extends { next: string | null }>(
  read: (after: string) => Promise<Read>,
): Promise<Read[]> {
  const pages = [await read('')];
  for (let next = pages[0]?.next; typeof next === 'string'; next = pages.at(-1)?.next)
    pages.push(await read(`&after=${next}`));
  return pages;
}
