import { SourceError } from './source_client.ts';

/** After more consecutive failures, the source itself counts as failing. */
const MAX_FAILED = 3;

/**
 * Asks a source for one item after another. An item for which the source always fails does not affect the others. Throws
 * if no item was answered, after more than three consecutive failures, and if the source limits requests.
 */
export async function* askEach<Item, Answer>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Answer>,
): AsyncGenerator<{ item: Item; answer: Answer }> {
  let last: SourceError | undefined;
  let [answered, failedInRow] = [0, 0];
  for (const item of items) {
    try {
      const answer = await ask(item);
      answered++;
      failedInRow = 0;
      yield { item, answer };
    } catch (error) {
      if (!(error instanceof SourceError) || error.problem === 'limited') throw error;
      if (error.problem !== 'changed') {
        if (answered === 0) throw error;
        failedInRow++;
        if (failedInRow > MAX_FAILED) throw error;
      }
      last = error;
    }
  }
  if (answered === 0 && last !== undefined) throw last;
}
