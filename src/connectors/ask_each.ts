import { SourceError } from './source_client.ts';

/** After more consecutive failures, the source itself counts as failing. */
const MAX_FAILED = 3;

/**
 * Asks a source for one item after another. An item for which the source has no answer, or always fails, does not
 * affect the others. Throws if the source answers for no item.
 */
export async function* askEach<Item, Answer>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Answer>,
): AsyncGenerator<{ item: Item; answer: Answer }> {
  let last: SourceError | undefined;
  let [read, failed] = [0, 0];
  for (const item of items) {
    try {
      const answer = await ask(item);
      read++;
      failed = 0;
      yield { item, answer };
    } catch (error) {
      if (!(error instanceof SourceError) || error.problem === 'limited') throw error;
      if (error.problem !== 'changed' && (read === 0 || ++failed > MAX_FAILED)) throw error;
      last = error;
    }
  }
  if (read === 0 && last !== undefined) throw last;
}
