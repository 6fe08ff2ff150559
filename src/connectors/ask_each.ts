import { SourceError } from './source_client.ts';

/** After more consecutive failures, the source itself counts as failing. */
const MAX_CONSECUTIVE_FAILURES = 3;

/**
 * Asks a source for one item after another. An answer that cannot be read does not affect the other items. Throws if the source fails
 * before its first answer or more than three times in a row, if it limits requests, and if no answer can be read.
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
        if (failedInRow > MAX_CONSECUTIVE_FAILURES) throw error;
      }
      last = error;
    }
  }
  if (answered === 0 && last !== undefined) throw last;
}
