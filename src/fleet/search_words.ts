const MAX_WORDS = 5;
/** The index is over sequences of three characters; shorter words alone would read every tank. */
const INDEXED_CHARACTERS = 3;

/** The words of a search, folded as `fold_text` of the database does. Null if no index can find them. */
export function searchWords(text: string): string[] | null {
  const words = foldText(text)
    .split(/\s+/)
    .filter((word) => word !== '');
  const isSearchable = words.some((word) => word.length >= INDEXED_CHARACTERS);
  return isSearchable && words.length <= MAX_WORDS && text.length <= 100 && !text.includes('\0') ? words : null;
}

/** Lower case without accents, so that "maria" finds "María". */
const foldText = (text: string): string => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');

/** The pattern of a text that contains the word. */
export const likePattern = (word: string): string => `%${word.replace(/[\\%_]/g, '\\$&')}%`;
