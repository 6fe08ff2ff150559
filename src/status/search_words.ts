const MAX_WORDS = 8;
const MAX_LENGTH = 100;
/** Signs that are left out of a search, as `search_text` of the database leaves them out of texts. */
const SIGNS = /[-.:()/+'"#*&@|_%\\!?[\]{}<>=$^`~‐‑–—‘’“”´·°«»¡¿…]/g;
/** Separators of words: spaces, commas, and all other signs. A pattern has only letters and digits. */
const SEPARATORS = /[^\p{L}\p{N}]+/u;
/** The index has sequences of three letters or digits. A search without one would compare every text. */
const INDEXED = /[\p{L}\p{N}]{3}/u;

/**
 * The words of a search, folded as `search_text` of the database does. Null if the text is too long or has too many words, or if no
 * index can find them.
 */
export function searchWords(text: string): string[] | null {
  if (text.length > MAX_LENGTH || text.includes('\0')) return null;
  const given = text
    .replace(GROUPED_PHONE, joinDigits)
    .split(/\s+/)
    .filter((word) => word !== '');
  const words = withoutCountryCode(given).flatMap((word) =>
    foldText(phoneDigits(word) ?? word)
      .replace(SIGNS, '')
      .split(SEPARATORS)
      .filter((part) => part !== ''),
  );
  return words.length <= MAX_WORDS && words.some((word) => INDEXED.test(word)) ? words : null;
}

/** Converts a text to lower case without accents, so that "maria" finds "María". */
const foldText = (text: string): string => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');

/** A whole phone number in groups, as in "+49 30 123456" or "(802) 555-0142", is one word. */
const GROUPED_PHONE = /(?:\+|\(|\b00)\d[\d\s().\-/]{7,}/g;
const joinDigits = (phone: string): string =>
  phone.replace(/\D/g, '').length >= 9 ? `${phone.replace(/\s/g, '')} ` : phone;

/** A country code before a part of a number, as in "+52 461 555": the number may be stored without it. */
const withoutCountryCode = (words: readonly string[]): readonly string[] =>
  words.length > 1 ? words.filter((word) => !/^\+\d{1,3}$/.test(word)) : words;

/**
 * A whole phone number as one word. A number with a country code is compared by its last eight digits, and the leading
 * 0 of a national number is left out, because the same number may be stored in the other form. Null if it is not a
 * phone number.
 */
function phoneDigits(word: string): string | null {
  if (!/^[+\d(][\d().\-/]{7,}$/.test(word)) return null;
  const digits = word.replace(/\D/g, '');
  if (/^(\+|\(?00)/.test(word)) return digits.slice(-8);
  return digits.replace(/^0(?=[1-9])/, '');
}

/**
 * The pattern of texts with the word: anywhere in the text if the word has three letters or digits, otherwise at the beginning of a
 * word. So the index can be used for every pattern, and "church street 50" does not find number 150.
 */
export const likePattern = (word: string): string => (INDEXED.test(word) ? `%${word}%` : `% ${word}%`);

/** The largest number of sequences per word. More would hardly narrow the search, and each costs a lookup. */
const MAX_SEQUENCES = 10;

/**
 * The parts of the words that the index of texts contains, as patterns: sequences of three characters, or a shorter word as a
 * beginning. `words` has the index of the word of each pattern.
 */
export function indexedSequences(words: readonly string[]): { patterns: string[]; words: number[] } {
  const found = words.flatMap((word, index) => {
    const letters = Array.from(word);
    const sequences = letters.slice(2).map((_, from) => letters.slice(from, from + 3).join(''));
    const patterns = sequences.length === 0 ? [word] : [...new Set(sequences)].slice(0, MAX_SEQUENCES);
    return patterns.map((sequence) => ({ pattern: likePattern(sequence), index }));
  });
  return { patterns: found.map(({ pattern }) => pattern), words: found.map(({ index }) => index) };
}
