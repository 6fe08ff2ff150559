/** A word as it can be typed into a shell. */
export const shellWord = (word: string): string =>
  /^[\p{L}\p{N}_./:=@%+,-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
