/** A phone number of a customer. */
export interface Phone {
  number: string;
  /** The person who has the phone, or when to call it. */
  whose: string | null;
  /** True if people send a text to it when a tank loses gas. */
  text_for_loss: boolean;
}

export const MAX_PHONES = 10;
export const MAX_WHOSE = 100;
const TEXTED = '[text]';
/** A number, then its person. */
const ONE_PHONE = /^(\+?[\d(][\d\s()./-]*\d)[\s,:]*(.*)$/s;

/** Writes phones as one text, for a cell of a file: `802 555 0177: Ann Church [text]; 802 555 0160`. */
export const formatPhones = (phones: readonly Phone[]): string =>
  phones
    .map(({ number, whose, text_for_loss: isTexted }) => {
      // The colon ends the number: "24 h" begins with digits.
      const named = whose === null ? number : `${number}: ${whose}`;
      return isTexted ? `${named} ${TEXTED}` : named;
    })
    .join('; ');

/** Returns true if `parsePhones` returns this person from the text of `formatPhones`. */
export const isWritableWhose = (whose: string): boolean => !/[;\n\r]/.test(whose) && !whose.trim().endsWith(TEXTED);

/** Parses phones that are separated by semicolons or line breaks. Returns undefined if one has a number of less than three digits. */
export function parsePhones(text: string): Phone[] | undefined {
  const parts = text
    .split(/[;\n\r]+/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const phones = parts.map((part) => {
    const isTexted = part.endsWith(TEXTED);
    const phone = isTexted ? part.slice(0, -TEXTED.length).trim() : part;
    const [, number = '', rest = ''] = ONE_PHONE.exec(phone) ?? [];
    // What follows a colon is the person as `formatPhones` has written it. Parentheses are part of it.
    const after = phone.slice(number.length).trimStart();
    const whose = after.startsWith(':') ? after.slice(1).trim() : rest.trim().replace(/^\((.*)\)$/s, '$1');
    return { number, whose: whose === '' ? null : whose, text_for_loss: isTexted };
  });
  return phones.every(({ number }) => number.replaceAll(/\D/g, '').length >= 3) ? phones : undefined;
}
