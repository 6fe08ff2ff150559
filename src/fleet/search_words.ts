const MAX_WORDS = 5;
/**
 * The index has sequences of three characters: letters and digits, or two of them at the beginning or end of a word, which a
 * sign ends too. A search without such a sequence would read every tank.
 */
const INDEXED = /[\p{L}\p{N}]{3}|[\p{L}\p{N}]{2}[^\p{L}\p{N}]|[^\p{L}\p{N}][\p{L}\p{N}]{2}/u;

/** The words of a search, folded as `fold_text` of the database does. Null if no index can find them. */
export function searchWords(text: string): string[] | null {
  const words = foldText(text)
    .split(/\s+/)
    .filter((word) => word !== '');
  const isSearchable = words.some((word) => INDEXED.test(word));
  return isSearchable && words.length <= MAX_WORDS && text.length <= 100 && !text.includes('\0') ? words : null;
}

/** Lower case without accents, so that "maria" finds "María". */
const foldText = (text: string): string => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');

/** The pattern of a text that contains the word. */
export const likePattern = (word: string): string => `%${word.replace(/[\\%_]/g, '\\$&')}%`;
