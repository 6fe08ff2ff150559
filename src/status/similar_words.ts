import type { Readers } from '../db/readers.ts';
import { oneEditAway } from './one_edit.ts';
import { type FleetScope, ownTanks, SqlValues } from './tank_filter.ts';

/** The largest number of corrected searches. */
const MAX_SEARCHES = 3;
/** The largest number of words that are considered instead of one. */
const MAX_ALTERNATIVES = 5;
/** The largest number of an owner's tanks whose words are read. */
const MAX_OWN_TANKS = 1_000;
/** A shorter word is compared with whole words only: too many words begin in a similar way. */
const MIN_BEGINNING = 5;

/** A word of the scope. */
interface KnownWord {
  word: string;
  /** The number of customers and tanks that have it. */
  n: number;
}

interface SlippedWord {
  word: string;
  oneEditAway: ReadonlySet<string>;
}

/** What a word of a search may stand for. */
interface Reading {
  word: string;
  /** Lower is likelier. */
  doubt: number;
  n: number;
}

/** Numbers, and words of up to three letters, are not corrected: too many others are similar. */
const isCorrected = (word: string): boolean => /^\p{L}{4,30}$/u.test(word);

/**
 * The searches that may be meant, at most three, the likeliest first. In each, at least one word is replaced by a word of the scope that is
 * one slip away from it: two letters swapped, or one missing, too many or wrong. Words of others are never used.
 */
export async function similarSearches(
  readers: Readers,
  scope: FleetScope,
  words: readonly string[],
): Promise<string[][]> {
  const slipped = words.filter(isCorrected).map((word) => ({ word, oneEditAway: oneEditAway(word) }));
  if (slipped.length === 0) return [];
  const known =
    scope.customerNo === null
      ? await wordsOfOrganization(readers, scope.organizationNo, slipped)
      : await wordsOfOwner(readers, scope, scope.customerNo);
  return likeliest(words.map((word) => readingsOf(word, slipped, known)))
    .filter((search) => search.some((word, at) => word !== words[at]))
    .slice(0, MAX_SEARCHES);
}

/** The words of an organization that begin with a searched word or with one that is one slip away: a range of the index for each. */
function wordsOfOrganization(
  readers: Readers,
  organizationNo: number,
  slipped: readonly SlippedWord[],
): Promise<KnownWord[]> {
  const { add, list } = new SqlValues();
  const beginnings = slipped.flatMap((one) => [one.word, ...one.oneEditAway]);
  const text = `select s.word, s.n from unnest(${add(beginnings, 'text[]')}) as beginning
    cross join lateral (
      select word, n from search_words
      where organization_no = ${add(organizationNo, 'int')} and word >= beginning and word < beginning || chr(1114111)
      order by word limit ${MAX_ALTERNATIVES}
    ) as s`;
  return readers.query<KnownWord>({ text }, list);
}

/** The words of an owner and of the owner's tanks, which are few. */
function wordsOfOwner(readers: Readers, scope: FleetScope, customerNo: number): Promise<KnownWord[]> {
  const { add, list } = new SqlValues();
  const mine = `organization_no = ${add(scope.organizationNo, 'int')} and owner_no = ${add(customerNo, 'int')}`;
  const text = `select word, count(*)::int as n
    from (
      (select x.text from ${ownTanks(mine)} limit ${MAX_OWN_TANKS})
      union all select text from customer_texts where no = ${add(customerNo, 'int')}
    ) as mine cross join lateral string_to_table(text, ' ') as word
    where length(word) >= 4 group by word`;
  return readers.query<KnownWord>({ text }, list);
}

/** What a word may stand for: itself, or a similar word of the scope. If the scope has the word, it stands for itself more likely. */
function readingsOf(word: string, slipped: readonly SlippedWord[], known: readonly KnownWord[]): Reading[] {
  const similar = slipped.find((one) => one.word === word)?.oneEditAway;
  const itself = { word, doubt: 0, n: 1 };
  if (similar === undefined) return [itself];
  const isKnown = known.some((one) => one.word.includes(word));
  const others = new Map<string, Reading>();
  for (const one of known) {
    if (one.word.includes(word)) continue;
    if (similar.has(one.word)) others.set(one.word, { ...one, doubt: isKnown ? 2 : 0 });
    else if (!isKnown && beginsSimilarly(one.word, word, similar)) others.set(one.word, { ...one, doubt: 1 });
  }
  if (others.size === 0) return [itself];
  const best = [...others.values()].toSorted(byLikelihood).slice(0, MAX_ALTERNATIVES);
  return isKnown ? [itself, ...best] : best;
}

/** Whether a word is similar to the beginning of another one: a viewer may still be typing. */
const beginsSimilarly = (other: string, word: string, similar: ReadonlySet<string>): boolean =>
  word.length >= MIN_BEGINNING &&
  [word.length, word.length + 1].some((length) => length < other.length && similar.has(other.slice(0, length)));

const byLikelihood = (one: Omit<Reading, 'word'>, other: Omit<Reading, 'word'>): number =>
  one.doubt - other.doubt || other.n - one.n;

/** The likeliest combinations, one reading of each word. A few are kept after each word, because eight words have millions. */
function likeliest(readings: readonly Reading[][]): string[][] {
  let combinations: { words: string[]; doubt: number; n: number }[] = [{ words: [], doubt: 0, n: 1 }];
  for (const ofWord of readings)
    combinations = combinations
      .flatMap(({ words, doubt, n }) =>
        ofWord.map((one) => ({ words: [...words, one.word], doubt: doubt + one.doubt, n: n * one.n })),
      )
      .toSorted(byLikelihood)
      .slice(0, 2 * MAX_SEARCHES);
  return combinations.map(({ words }) => words);
}
