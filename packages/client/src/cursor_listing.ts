export interface CursorPage<Item> {
  data: Item[];
  next: string | null;
  has_more?: boolean;
}

interface CursorParameters {
  size?: number | undefined;
  after?: string | undefined;
}

/** The largest page size that all lists with cursors accept. */
const WALK_SIZE = 200;

/** A list with cursors. `await` returns one page. `for await` iterates over all items. No request is sent before that. */
export class CursorListing<Item, Page extends CursorPage<Item>> implements PromiseLike<Page>, AsyncIterable<Item> {
  readonly #fetchPage: (parameters: CursorParameters) => Promise<Page>;
  readonly #parameters: CursorParameters;
  readonly #walk: object;
  #page: Promise<Page> | undefined;

  /** `walk`: additional parameters of an iteration. The parameters of the caller overrule them. */
  constructor(
    fetchPage: (parameters: CursorParameters) => Promise<Page>,
    parameters: CursorParameters,
    walk: object = {},
  ) {
    this.#fetchPage = fetchPage;
    this.#parameters = parameters;
    this.#walk = walk;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a listing is meant to be awaited
  then<A = Page, B = never>(
    onPage?: ((page: Page) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#page ??= this.#fetchPage(this.#parameters);
    return this.#page.then(onPage, onError);
  }

  /** Ends at the last page. A feed, such as the events, ends when no more items can be read now. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    // A parameter that is undefined is one that is not given.
    const given = Object.fromEntries(Object.entries(this.#parameters).filter(([, value]) => value !== undefined));
    let after = this.#parameters.after;
    for (;;) {
      const page = await this.#fetchPage({ size: WALK_SIZE, ...this.#walk, ...given, after });
      yield* page.data;
      if (page.next === null || page.has_more === false) return;
      after = page.next;
    }
  }
}
