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

/** Parses a number as spreadsheets of any country write it, if it has only one meaning. */
export function parseDecimal(text: string, mark?: DecimalMark): number | DecimalError {
  const [, sign = '', body = '', exponent] = NUMBER.exec(text.trim()) ?? [];
  const plain = plainDigits(body, mark, exponent !== undefined);
  if (typeof plain !== 'string') return plain.error;
  return /^(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(`${sign}${plain}e${exponent ?? 0}`) : 'not a number';
}

/** The same digits without groups and with a decimal point. */
function plainDigits(
  body: string,
  mark: DecimalMark | undefined,
  hasExponent: boolean,
): string | { error: DecimalError } {
  const signs: string[] = body.match(/\D/g) ?? [];
  const kinds = [...new Set(signs)];
  const [first, last] = [signs[0], signs.at(-1)];
  if (first === undefined || last === undefined) return /^\d+$/.test(body) ? body : { error: 'not a number' };
  // One sign that occurs once can be a decimal mark or, before exactly three digits, the sign of a group.
  if (signs.length === 1 && /[.,]/.test(last)) return oneSign(body, last, mark, hasExponent);
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

function oneSign(
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

/** Writes a number so that parseDecimal finds it unambiguous: 1.125 becomes 1.1250. */
export function formatDecimal(value: number): string {
  const text = String(value);
  return parseDecimal(text) === 'ambiguous' ? `${text}0` : text;
}

/** Turns values that are too small to be measured into 0. PostgreSQL refuses 1e-320 for a column of four bytes. */
export const orZero = (value: number): number => (Math.abs(value) < 1e-30 ? 0 : value);
