/**
 * Signs of a file in another encoding. Windows-1252 can decode every byte, so such a file decodes without an error, but with wrong
 * letters. This module changes no text: a file with such a sign is refused unless --encoding names its encoding.
 */
const WRONG_MARKS: readonly RegExp[] = [
  // Unassigned bytes of Windows-1252, and signs that names and addresses do not contain.
  /[\u0081\u008d\u008f\u0090\u009d¢¤¥¦¬¯¸¶‡ƒˆ˜‰]/u,
  // Letters that only Icelandic uses. Their bytes are Turkish letters in Windows-1254 and Czech letters in Windows-1250.
  /[ÐðÞþÝý]/u,
  // Cyrillic, Greek, Hebrew or Arabic: a word of three or more letters that all have accents, or five such letters in a row in a word
  // with other letters. ÑÁÑEZ has only three in a row.
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

/** Returns the text around the first match of a mark; undefined if no mark matches. */
function findWrongMark(text: string): string | undefined {
  const start = WRONG_MARKS.map((mark) => text.search(mark)).find((index) => index >= 0);
  if (start === undefined) return undefined;
  const before = /[^\s,;]*$/.exec(text.slice(Math.max(0, start - SHOWN_CHARACTERS), start))?.[0] ?? '';
  const after = /^[^,;\t]*/.exec(text.slice(start, start + SHOWN_CHARACTERS))?.[0] ?? '';
  return (before + after).trim();
}
