import type { Readers } from '../db/readers.ts';
import { findCustomerPage } from './customer_page.ts';
import { similarSearches } from './similar_words.ts';
import type { TankStatusRow } from './status_rows.ts';
import type { FleetScope } from './tank_filter.ts';
import { findTankPage } from './tank_page.ts';

/** A search returns at most this many tanks, and at most this many customers. */
export const MAX_FOUND = 8;
/** If fewer tanks and customers together match the words as typed, similar words are searched too. */
export const FEW_FOUND = 3;

/** At most this many tanks with similar words are found, because a common word would match a large part of the fleet. */
const MAX_SIMILAR_MATCHES = 50;

interface FoundBy {
  words: readonly string[];
  maxMatches?: number;
}

interface Found {
  tanks: TankStatusRow[];
  customers: { id: string }[];
}

/** The tanks and customers that were found with corrected words. */
interface Similar extends Found {
  words: string[];
  /** Other corrections of a single word. Empty for several words: it is not known whether one tank has all of them. */
  others: string[][];
}

/** Finds tanks and customers that match all words. If there are few, it also finds others with similar words. */
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

/** Returns the first corrected search that finds other tanks or customers. */
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
