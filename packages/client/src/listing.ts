import type { List, ListParameters } from './types.ts';

/** A telemetry object has no id; its time is unique within its tank. */
export interface Listed {
  id?: string;
  created_at: string;
}

type FetchPage<Item> = (parameters: ListParameters) => Promise<List<Item>>;

/**
 * A list call. Awaited, it is the page that was asked for; iterated, it is every item from newest to oldest. Nothing is
 * sent before one of the two happens.
 */
export class Listing<Item extends Listed> implements PromiseLike<List<Item>>, AsyncIterable<Item> {
  readonly #fetchPage: FetchPage<Item>;
  readonly #parameters: ListParameters;
  #page: Promise<List<Item>> | undefined;

  constructor(fetchPage: FetchPage<Item>, parameters: ListParameters) {
    this.#fetchPage = fetchPage;
    this.#parameters = parameters;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- being awaited is what it is for
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
 * Everything that is there when the walk begins, once, however much arrives meanwhile. It never counts pages, which
 * arrivals shift: it asks each time for the first page at or before where it stands. Items of the oldest time on a page
 * may continue on the next, so that time is left to the next page, and no two pages share an item.
 */
async function* walk<Item extends Listed>(
  fetchPage: FetchPage<Item>,
  { size = 100, page, ...filters }: ListParameters,
): AsyncGenerator<Item, void, undefined> {
  if (page !== undefined) throw new TypeError('a page can be awaited; to iterate, leave it out');
  for (let until = filters.created_at_lte; ; ) {
    const { data, total_items } = await fetchPage({ ...filters, created_at_lte: until, size });
    const oldest = data.at(-1)?.created_at;
    if (oldest === undefined || data.length >= total_items) return yield* data;
    const newer = data.filter((item) => item.created_at !== oldest);
    if (newer.length > 0) {
      yield* newer;
      until = oldest;
    } else {
      yield* walkTie(fetchPage, { ...filters, created_at_gte: oldest, created_at_lte: oldest, size });
      until = new Date(Date.parse(oldest) - 1); // the service keeps milliseconds, so nothing lies between
    }
  }
}

/**
 * The items of one single time that fill a page or more, as an import leaves them. Here pages must be counted. An
 * arrival shifts items to a later page, where they are known; a deletion shifts them to an earlier page, past us, but
 * then the total has fallen, and the count begins again.
 */
async function* walkTie<Item extends Listed>(
  fetchPage: FetchPage<Item>,
  tie: ListParameters,
): AsyncGenerator<Item, void, undefined> {
  const known = new Set<string>();
  let total = 0;
  for (let page = 1; ; page++) {
    const { data, total_items, total_pages } = await fetchPage({ ...tie, page });
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
