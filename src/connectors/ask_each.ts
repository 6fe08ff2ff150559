import { SourceError } from './source_client.ts';

/** After more than these one after the other, it is the source that fails. */
const MAX_FAILED = 3;

/**
 * Asks a source for one thing after another. One for which it has no answer, or always fails, does not affect the others. Throws if it
 * answers for none of them.
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
