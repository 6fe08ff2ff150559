import type { TextFormat } from '../values/text_format.ts';
import type { Field } from './field.ts';

/** What people often mean by a text that is not a value, most likely first. */
const CORRECTIONS: readonly ((text: string) => string)[] = [
  // Letters that look like digits.
  (text) => (/\d|^[oOlI]+$/.test(text) ? text.replaceAll(/[oO]/g, '0').replaceAll(/[lI]/g, '1') : text),
  // A unit or a remark after a number. A unit that differs from that of the column is not removed.
  (text) => text.replace(/^\s*(?:ca\.?|approx\.?|aprox\.?|~)?\s*(-?[\d.,]+)\s*(?:%|°|pct\.?)?$/i, '$1'),
  // A mail address with a space, or with a comma before its last part.
  (text) => text.replaceAll(/\s+/g, '').replace(/,(?=[a-z]{2,}$)/i, '.'),
  (text) => /[^\s<>;,@]{1,64}@[^\s<>;,@]{1,255}/.exec(text)?.[0] ?? text,
];

/** A text that the field accepts instead. Null if there is no obvious one. */
export function proposeValue(field: Field<unknown>, text: string, format?: TextFormat): string | null {
  for (const correct of CORRECTIONS) {
    const corrected = correct(text.trim());
    if (corrected === '' || corrected === text.trim()) continue;
    const parsed = field(corrected, format);
    if ('value' in parsed && parsed.value !== null) return corrected;
  }
  return null;
}
