/**
 * Windows-1252 gives every byte a meaning, so a file in another encoding decodes without an error, with wrong letters.
 * These are the marks of such a file. Nothing here changes a text: a marked file is refused until --encoding names its
 * encoding.
 */
const WRONG_MARKS: readonly RegExp[] = [
  // Bytes without a meaning in Windows-1252, and signs that no name or address has.
  /[\u0081\u008d\u008f\u0090\u009d¢¤¥¦¬¯¸¶‡ƒˆ˜‰]/u,
  // Letters of Icelandic only. In Windows-1254 they are those of Turkish, in Windows-1250 those of Czech.
  /[ÐðÞþÝý]/u,
  // A word of three or more letters with accents only: Cyrillic, Greek, Hebrew or Arabic. In a word with other letters, such as
  // ÑÁÑEZ, five in a row.
  /(?<!\p{L})[À-ÖØ-öø-ÿ]{3,}(?!\p{L})|[À-ÖØ-öø-ÿ]{5}/u,
  // The bytes of UTF-8: some lines of the file are UTF-8, others are not.
  /[ÂÃ][\u0080-\u00bf€‚„…†Š‹ŒŽ‘’“”•–—™š›œžŸ]|â€/u,
  // Signs inside or at the end of a word: Polish letters of Windows-1250, Spanish ones of Mac OS Roman and MS-DOS.
  /\p{L}[¡¿‚„•–—…†£¹©®™]\p{L}|\p{Ll}[¡£¹]|\p{Ll}[ŽŒŠŸ]/u,
  // Raised digits inside or at the end of a word, except in units such as m³ and cm².
  /\p{L}{3}[²³]|[ln-z][²³]/iu,
];

const SHOWN_CHARACTERS = 20;

export interface ImplausibleText {
  line: number;
  text: string;
}

/** Finds the first text that looks wrong when the bytes are decoded as Windows-1252. */
export async function findImplausibleWesternText(
  chunks: AsyncIterable<Uint8Array>,
): Promise<ImplausibleText | undefined> {
  const decoder = new TextDecoder('windows-1252');
  let line = 1;
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      const found = findWrongMark(text);
      if (found !== undefined) return { line, text: found };
      line++;
    }
  }
  const found = findWrongMark(rest);
  return found === undefined ? undefined : { line, text: found };
}

/** The word around the first mark. */
function findWrongMark(text: string): string | undefined {
  const at = WRONG_MARKS.map((mark) => text.search(mark)).find((index) => index >= 0);
  if (at === undefined) return undefined;
  const before = /[^\s,;]*$/.exec(text.slice(Math.max(0, at - SHOWN_CHARACTERS), at))?.[0] ?? '';
  const after = /^[^,;\t]*/.exec(text.slice(at, at + SHOWN_CHARACTERS))?.[0] ?? '';
  return (before + after).trim();
}
