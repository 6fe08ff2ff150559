import { UserError } from '../user_error.ts';
import { SAVE_AS_CSV, WORKBOOK_LIMITS } from './limits.ts';
import { type Package, parsePart } from './parts.ts';

/** Reads the texts that cells refer to by number. The parts of a text with several fonts are joined. */
export async function readSharedStrings(pack: Package, path = 'xl/sharedStrings.xml'): Promise<string[]> {
  const strings: string[] = [];
  const text = new InlineText();
  let characters = 0;
  await parsePart(pack, path, WORKBOOK_LIMITS.stringBytes, {
    onOpen(name) {
      if (name === 'si') text.clear();
      text.open(name);
    },
    onText: (piece) => text.add(piece),
    onClose(name) {
      text.close(name);
      if (name !== 'si') return;
      characters += text.value.length;
      if (characters > WORKBOOK_LIMITS.stringCharacters || strings.length >= WORKBOOK_LIMITS.strings)
        throw new UserError(`the workbook has too many texts; ${SAVE_AS_CSV}.`);
      strings.push(text.value);
    },
  });
  return strings;
}

/** Collects the text of the elements `t`, except those in the pronunciation (`rPh`). */
export class InlineText {
  value = '';
  #isText = false;
  #isPronunciation = false;

  clear(): void {
    this.value = '';
  }

  open(name: string): void {
    if (name === 'rPh') this.#isPronunciation = true;
    if (name === 't') this.#isText = !this.#isPronunciation;
  }

  add(piece: string): void {
    // A longer text is refused where its cell is read.
    if (this.#isText && this.value.length <= WORKBOOK_LIMITS.cellCharacters) this.value += piece;
  }

  close(name: string): void {
    if (name === 'rPh') this.#isPronunciation = false;
    if (name === 't') this.#isText = false;
  }
}
