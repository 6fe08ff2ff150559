export const DECIMAL_MARKS = ['comma', 'point'] as const;
export type DecimalMark = (typeof DECIMAL_MARKS)[number];

/**
 * - `ambiguous`: 1.000 and 1,000 are 1 in some countries and 1000 in others.
 * - `contrary`: the text contradicts the given mark, such as 12,5 where a point is the decimal mark.
 */
export type DecimalError = 'not a number' | 'ambiguous' | 'contrary';

const MARKS: Readonly<Record<DecimalMark, string>> = { comma: ',', point: '.' };
/** Blanks and apostrophes are never decimal marks. France and Switzerland write groups of three digits with them. */
const GROUP_SIGNS = " \u00a0\u202f\u2009'’";

const NUMBER = new RegExp(`^([+-]?)([\\d.,${GROUP_SIGNS}]*)(?:[eE]([+-]?\\d{1,3}))?$`);

/** Parses a number in the notation of any country, if it has only one meaning. */
export function parseDecimal(text: string, mark?: DecimalMark): number | DecimalError {
  const [, sign = '', body = '', exponent] = NUMBER.exec(text.trim()) ?? [];
  const plain = plainDigits(body, mark, exponent !== undefined);
  if (typeof plain !== 'string') return plain.error;
  return /^(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(`${sign}${plain}e${exponent ?? 0}`) : 'not a number';
}

export interface NumberHabits {
  /** The decimal mark that a person chose for a file. A number that contradicts it is an error. */
  decimal?: DecimalMark | undefined;
  /** The decimal mark of the language of the person or organization. It is used only for numbers with two meanings. */
  usual?: DecimalMark | undefined;
  /** No value of the field reaches 1000, so 19.043 has only one meaning. */
  isBelow1000?: boolean;
}

/**
 * Parses a number from a person or a file. If the usual mark is a point, 1,234 is 1234, 12,5 is 12.5, and 1.234 stays ambiguous: meters
 * show at most two decimals, so the writer may come from another country and mean 1234.
 */
export function parseNumber(
  text: string,
  { decimal, usual, isBelow1000 = false }: NumberHabits,
): number | DecimalError {
  const parsed = parseDecimal(text, decimal);
  if (parsed !== 'ambiguous') return parsed;
  if (isBelow1000) return parseDecimal(text.replace(',', '.'), 'point');
  return usual !== undefined && text.includes(otherSign(usual)) ? parseDecimal(text, usual) : 'ambiguous';
}

/** Returns the decimal mark of a language: en-US and es-MX write 0.5; es-ES and de-DE write 0,5. `es` is treated as es-MX. */
export const decimalMarkOf = (language: string): DecimalMark =>
  new Intl.NumberFormat(language === 'es' ? 'es-MX' : language).format(0.5).includes(',') ? 'comma' : 'point';

/** Returns the digits without signs of groups and with a decimal point. */
function plainDigits(
  body: string,
  mark: DecimalMark | undefined,
  hasExponent: boolean,
): string | { error: DecimalError } {
  const signs: string[] = body.match(/\D/g) ?? [];
  const kinds = [...new Set(signs)];
  const [first, last] = [signs[0], signs.at(-1)];
  if (first === undefined || last === undefined) return /^\d+$/.test(body) ? body : { error: 'not a number' };
  // A single sign can be a decimal mark or, before exactly three digits, the sign of a group.
  if (signs.length === 1 && /[.,]/.test(last)) return resolveSingleSign(body, last, mark, hasExponent);
  if (hasExponent || kinds.length > 2) return { error: 'not a number' };
  const decimalSign = kinds.length === 2 ? last : undefined;
  if (decimalSign !== undefined && (!/[.,]/.test(decimalSign) || signs.indexOf(decimalSign) < signs.length - 1))
    return { error: 'not a number' };
  const [whole = '', fraction = ''] = decimalSign === undefined ? [body] : body.split(decimalSign);
  const groups = whole.split(first);
  const isGrouped = /^[1-9]\d{0,2}$/.test(groups[0] ?? '') && groups.slice(1).every((group) => /^\d{3}$/.test(group));
  if (!isGrouped || (decimalSign !== undefined && fraction === '')) return { error: 'not a number' };
  const isContrary = mark !== undefined && (decimalSign === otherSign(mark) || first === MARKS[mark]);
  return isContrary ? { error: 'contrary' } : `${groups.join('')}.${fraction}`;
}

const otherSign = (mark: DecimalMark): string => (mark === 'comma' ? '.' : ',');

function resolveSingleSign(
  body: string,
  sign: string,
  mark: DecimalMark | undefined,
  hasExponent: boolean,
): string | { error: DecimalError } {
  const [whole = '', fraction = ''] = body.split(sign);
  const isGroupShaped = /^[1-9]\d{0,2}$/.test(whole) && fraction.length === 3 && !hasExponent;
  const asDecimal = `${whole}.${fraction}`;
  if (mark === undefined) return isGroupShaped ? { error: 'ambiguous' } : asDecimal;
  if (MARKS[mark] === sign) return asDecimal;
  return isGroupShaped ? whole + fraction : { error: 'contrary' };
}

/** Removes a percent sign at the end. A regular expression that also removes blanks takes quadratic time for a cell of blanks. */
export function withoutPercentSign(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.endsWith('%') ? trimmed.slice(0, -1) : text;
}

/** Writes a number so that it is unambiguous for `parseDecimal`: 1.125 becomes 1.1250. */
export function formatDecimal(value: number): string {
  const text = String(value);
  return parseDecimal(text) === 'ambiguous' ? `${text}0` : text;
}

/** Replaces values that are too small to be measured by 0, because PostgreSQL refuses 1e-320 for a column of four bytes. */
export const orZero = (value: number): number => (Math.abs(value) < 1e-30 ? 0 : value);
