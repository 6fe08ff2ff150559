import type { List, ListParameters } from './types.ts';

/** Telemetry objects have no id, but their times are unique within a tank. */
export interface Listed {
  id?: string;
  created_at: string;
}

type FetchPage<Item> = (parameters: ListParameters) => Promise<List<Item>>;

/**
 * A list call. `await` returns one page. `for await` iterates over all items, from newest to oldest. No request is sent
 * before that.
 */
export class Listing<Item extends Listed> implements PromiseLike<List<Item>>, AsyncIterable<Item> {
  readonly #fetchPage: FetchPage<Item>;
  readonly #parameters: ListParameters;
  #page: Promise<List<Item>> | undefined;

  constructor(fetchPage: FetchPage<Item>, parameters: ListParameters) {
    this.#fetchPage = fetchPage;
    this.#parameters = parameters;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a Listing is meant to be awaited
  then<A = List<Item>, B = never>(
    onPage?: ((page: List<Item>) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#page ??= this.#fetchPage(this.#parameters);
    return this.#page.then(onPage, onError);
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<List<Item> | B> {
    return this.then(undefined, onError);
  }

  finally(onSettled?: (() => void) | null): Promise<List<Item>> {
    return this.then((page) => page).finally(onSettled);
  }

  [Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    return walk(this.#fetchPage, this.#parameters);
  }
}

/**
 * Yields every item that exists at the start exactly once, even if items are added meanwhile. It does not use page
 * numbers, because new items shift the pages. Each request asks for the first page of the items that are not newer than
 * the oldest time so far. Items with this time may not all fit on a page, so they are left to the next request.
 */
async function* walk<Item extends Listed>(
  fetchPage: FetchPage<Item>,
  { size = 100, page, ...filters }: ListParameters,
): AsyncGenerator<Item, void, undefined> {
  if (page !== undefined) throw new TypeError('iteration does not support the parameter page; leave it out');
  for (let until = filters.created_at_lte; ; ) {
    const { data, total_items } = await fetchPage({ ...filters, created_at_lte: until, size });
    const oldest = data.at(-1)?.created_at;
    if (oldest === undefined || data.length >= total_items) return yield* data;
    const newer = data.filter((item) => item.created_at !== oldest);
    if (newer.length > 0) {
      yield* newer;
      until = oldest;
    } else {
      yield* walkEqualTimes(fetchPage, { ...filters, created_at_gte: oldest, created_at_lte: oldest, size });
      until = new Date(Date.parse(oldest) - 1); // times are stored in milliseconds, so no item is in between
    }
  }
}

/**
 * Yields the items of one single time that fill a page or more, for example after an import. Here page numbers are
 * needed. A new item shifts others to a later page, where `known` filters them. A deletion shifts items to a page that
 * was read already; then the total decreases, and reading restarts at page 1.
 */
async function* walkEqualTimes<Item extends Listed>(
  fetchPage: FetchPage<Item>,
  filters: ListParameters,
): AsyncGenerator<Item, void, undefined> {
  const known = new Set<string>();
  let total = 0;
  for (let page = 1; ; page++) {
    const { data, total_items, total_pages } = await fetchPage({ ...filters, page });
    for (const item of data) {
      const key = item.id ?? item.created_at;
      if (!known.has(key)) yield item;
      known.add(key);
    }
    if (total_items < total) page = 0;
    else if (page >= total_pages) return;
    total = total_items;
  }
}
