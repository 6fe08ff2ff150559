import type { Readers } from '../db/readers.ts';
import { oneEditAway } from './one_edit.ts';
import { type FleetScope, ownTanks, SqlValues } from './tank_filter.ts';

/** The largest number of corrected searches. */
const MAX_SEARCHES = 3;
/** The largest number of alternatives to one word. */
const MAX_ALTERNATIVES = 5;
/** The largest number of an owner's tanks whose words are read. */
const MAX_OWN_TANKS = 1_000;
/** A shorter word is compared with whole words only, because too many words begin with similar letters. */
const MIN_BEGINNING = 5;

/** A word of the scope. */
interface KnownWord {
  word: string;
  /** The number of customers and tanks that have it. */
  n: number;
}

/** A searched word that may be misspelled. */
interface CorrectedWord {
  word: string;
  oneEditAway: ReadonlySet<string>;
}

/** A word that a searched word may stand for. */
interface Alternative {
  word: string;
  /** Lower is likelier. */
  doubt: number;
  n: number;
}

/** Numbers, and words of up to three letters, are not corrected: too many others are similar. */
const isCorrected = (word: string): boolean => /^\p{L}{4,30}$/u.test(word);

/**
 * Returns at most three corrected searches, the likeliest first. In each of them, at least one word is replaced by a word of the scope
 * that differs from it by one edit: two letters swapped, or one missing, added or wrong. Words outside the scope are never used.
 */
export async function similarSearches(
  readers: Readers,
  scope: FleetScope,
  words: readonly string[],
): Promise<string[][]> {
  const corrected = words.filter(isCorrected).map((word) => ({ word, oneEditAway: oneEditAway(word) }));
  if (corrected.length === 0) return [];
  const known =
    scope.customerNo === null
      ? await wordsOfOrganization(readers, scope.organizationNo, corrected)
      : await wordsOfOwner(readers, scope, scope.customerNo);
  return likeliest(words.map((word) => alternativesOf(word, corrected, known)))
    .filter((search) => search.some((word, index) => word !== words[index]))
    .slice(0, MAX_SEARCHES);
}

/** Reads the words of an organization that begin with a searched word or with a word one edit away, each as a range of the index. */
function wordsOfOrganization(
  readers: Readers,
  organizationNo: number,
  corrected: readonly CorrectedWord[],
): Promise<KnownWord[]> {
  const { add, list } = new SqlValues();
  const beginnings = corrected.flatMap((searched) => [searched.word, ...searched.oneEditAway]);
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

/** The words that a searched word may stand for: itself, or a similar word of the scope. A word that the scope has is the likeliest. */
function alternativesOf(word: string, corrected: readonly CorrectedWord[], known: readonly KnownWord[]): Alternative[] {
  const similar = corrected.find((searched) => searched.word === word)?.oneEditAway;
  const itself = { word, doubt: 0, n: 1 };
  if (similar === undefined) return [itself];
  const isKnown = known.some((other) => other.word.includes(word));
  const others = new Map<string, Alternative>();
  for (const other of known) {
    if (other.word.includes(word)) continue;
    if (similar.has(other.word)) others.set(other.word, { ...other, doubt: isKnown ? 2 : 0 });
    else if (!isKnown && beginsSimilarly(other.word, word, similar)) others.set(other.word, { ...other, doubt: 1 });
  }
  if (others.size === 0) return [itself];
  const best = [...others.values()].toSorted(byLikelihood).slice(0, MAX_ALTERNATIVES);
  return isKnown ? [itself, ...best] : best;
}

/** Returns true if a word is similar to the beginning of another word, because a person may still be typing. */
const beginsSimilarly = (other: string, word: string, similar: ReadonlySet<string>): boolean =>
  word.length >= MIN_BEGINNING &&
  [word.length, word.length + 1].some((length) => length < other.length && similar.has(other.slice(0, length)));

const byLikelihood = (one: Omit<Alternative, 'word'>, other: Omit<Alternative, 'word'>): number =>
  one.doubt - other.doubt || other.n - one.n;

/** The likeliest combinations of one alternative for each word. Eight words have millions, so only a few are kept after each word. */
function likeliest(alternatives: readonly Alternative[][]): string[][] {
  let combinations: { words: string[]; doubt: number; n: number }[] = [{ words: [], doubt: 0, n: 1 }];
  for (const ofWord of alternatives)
    combinations = combinations
      .flatMap(({ words, doubt, n }) =>
        ofWord.map((next) => ({ words: [...words, next.word], doubt: doubt + next.doubt, n: n * next.n })),
      )
      .toSorted(byLikelihood)
      .slice(0, 2 * MAX_SEARCHES);
  return combinations.map(({ words }) => words);
}
