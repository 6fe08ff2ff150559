import type { TextFormat } from '../values/text_format.ts';
import type { Field } from './field.ts';

/** Corrections of common mistakes in a text that the field refused, the most likely first. */
const CORRECTIONS: readonly ((text: string) => string)[] = [
  // Letters that look like digits.
  (text) => (/\d|^[oOlI]+$/.test(text) ? text.replaceAll(/[oO]/g, '0').replaceAll(/[lI]/g, '1') : text),
  // A word for "about" before a number, or a sign such as % after it. Units such as "gal" are not removed.
  (text) => text.replace(/^\s*(?:ca\.?|approx\.?|aprox\.?|~)?\s*(-?[\d.,]+)\s*(?:%|°|pct\.?)?$/i, '$1'),
  // Spaces, such as in an e-mail address, and a comma before its last part.
  (text) => text.replaceAll(/\s+/g, '').replace(/,(?=[a-z]{2,}$)/i, '.'),
  // Text around an e-mail address, such as a name.
  (text) => /[^\s<>;,@]{1,64}@[^\s<>;,@]{1,255}/.exec(text)?.[0] ?? text,
];

/** Returns a corrected text that the field accepts. Null if no correction helps. */
export function proposeValue(field: Field<unknown>, text: string, format?: TextFormat): string | null {
  for (const correct of CORRECTIONS) {
    const corrected = correct(text.trim());
    if (corrected === '' || corrected === text.trim()) continue;
    const parsed = field(corrected, format);
    if ('value' in parsed && parsed.value !== null) return corrected;
  }
  return null;
}
