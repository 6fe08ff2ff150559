import type { Readers } from '../db/readers.ts';
import { findCustomerPage } from './customer_page.ts';
import { similarSearches } from './similar_words.ts';
import type { TankStatusRow } from './status_rows.ts';
import type { FleetScope } from './tank_filter.ts';
import { findTankPage } from './tank_page.ts';

/** The largest number of tanks, and of customers, that a search returns. */
export const MAX_FOUND = 8;
/** If fewer tanks and customers have the words as they were typed, those with similar words are found too. */
export const FEW_FOUND = 3;

/** Of this many tanks with similar words, the most urgent are returned: a common word need not be looked up in the whole fleet. */
const MAX_SIMILAR_MATCHES = 50;

interface FoundBy {
  words: readonly string[];
  maxMatches?: number;
}

interface Found {
  tanks: TankStatusRow[];
  customers: { id: string }[];
}

/** What was found with corrected words. */
interface Similar extends Found {
  words: string[];
  /** Other corrections of a single word. Of several words, it is not known whether a tank has them together. */
  others: string[][];
}

/** Finds tanks and customers with all words. If there are few, finds others with similar words too. */
export async function searchFleet(
  readers: Readers,
  scope: FleetScope,
  words: readonly string[],
): Promise<Found & { similar: Similar | null }> {
  const found = await findAll(readers, scope, { words });
  const isEnough = found.tanks.length + found.customers.length >= FEW_FOUND;
  return { ...found, similar: isEnough ? null : await findSimilar(readers, scope, words, found) };
}

async function findAll(readers: Readers, scope: FleetScope, filter: FoundBy): Promise<Found> {
  const [tanks, customers] = await Promise.all([
    findTankPage(readers, { scope, filter, sort: 'urgency', size: MAX_FOUND }),
    findCustomerPage(readers, { scope, filter, size: MAX_FOUND }),
  ]);
  return { tanks: tanks.rows, customers: customers.customers };
}

/** The first corrected search that finds something else. */
async function findSimilar(
  readers: Readers,
  scope: FleetScope,
  typed: readonly string[],
  exact: Found,
): Promise<Similar | null> {
  const ids = new Set([...exact.tanks, ...exact.customers].map(({ id }) => id));
  const isNew = ({ id }: { id: string }): boolean => !ids.has(id);
  const searches = await similarSearches(readers, scope, typed);
  for (const words of searches) {
    const found = await findAll(readers, scope, { words, maxMatches: MAX_SIMILAR_MATCHES });
    const [tanks, customers] = [found.tanks.filter(isNew), found.customers.filter(isNew)];
    if (tanks.length + customers.length > 0)
      return { words, others: typed.length > 1 ? [] : searches.filter((other) => other !== words), tanks, customers };
  }
  return null;
}
