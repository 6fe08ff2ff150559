/** Quotes a word for a POSIX shell, if it needs quotes. */
export const shellWord = (word: string): string =>
  /^[\p{L}\p{N}_./:=@%+,-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
