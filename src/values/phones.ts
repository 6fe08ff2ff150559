/** A phone number of a customer. */
export interface Phone {
  number: string;
  /** Whose it is, or when to call it. */
  whose: string | null;
  /** Whether people text it when a tank loses gas. */
  text_for_loss: boolean;
}

export const MAX_PHONES = 10;
export const MAX_WHOSE = 100;
const TEXTED = '[text]';
/** A number of at least three digits, then whose it is. */
const ONE_PHONE = /^(\+?[\d(][\d\s()./-]*\d)[\s,:]*(.*)$/s;

/** Phones as one text, as in a cell of a file: `802 555 0177: Ann Church [text]; 802 555 0160`. */
export const formatPhones = (phones: readonly Phone[]): string =>
  phones
    .map(({ number, whose, text_for_loss: isTexted }) => {
      // The colon ends the number: "24 h" begins with digits.
      const named = whose === null ? number : `${number}: ${whose}`;
      return isTexted ? `${named} ${TEXTED}` : named;
    })
    .join('; ');

/** Whether a name of a phone keeps its meaning in such a text. */
export const isWritableWhose = (whose: string): boolean => !/[;\n\r]/.test(whose) && !whose.trim().endsWith(TEXTED);

/** The phones of a text, which are separated by semicolons or line breaks. Undefined if one of them has no number. */
export function parsePhones(text: string): Phone[] | undefined {
  const parts = text
    .split(/[;\n\r]+/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const phones = parts.map((part) => {
    const isTexted = part.endsWith(TEXTED);
    const [, number = '', rest = ''] = ONE_PHONE.exec(isTexted ? part.slice(0, -TEXTED.length).trim() : part) ?? [];
    const whose = rest.trim().replace(/^\((.*)\)$/s, '$1');
    return { number, whose: whose === '' ? null : whose, text_for_loss: isTexted };
  });
  return phones.every(({ number }) => number.replaceAll(/\D/g, '').length >= 3) ? phones : undefined;
}
