import { decimalMarkOf, parseDecimal, parseNumber } from '../../../../src/values/decimal.ts';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';

/** A number that a person typed, or a sentence that says what to write instead. */
export type TypedNumber = { value: number } | { problem: string };

interface NumberLimits {
  accepts: (value: number) => boolean;
  /** The sentence for a number that is not accepted, and for a text that is not a number. */
  wanted: string;
  isBelow1000?: boolean;
}

/** Parses numbers as the language of the page writes them. If the language writes 0.5, then 1,234 is 1234. */
export function useTypedNumbers() {
  const { format } = usePreferences();
  const texts = useTexts(CHANGE_TEXTS).numbers;
  const { locale } = format;
  const usual = decimalMarkOf(locale);
  const parse = (text: string, { accepts, wanted, isBelow1000 = false }: NumberLimits): TypedNumber => {
    const value = parseNumber(text, { usual, isBelow1000 });
    if (value === 'ambiguous') {
      const shown = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
      const meanings = (['comma', 'point'] as const).map((mark) => shown.format(Number(parseDecimal(text, mark))));
      return { problem: texts.ambiguous(text.trim(), meanings[0] ?? '', meanings[1] ?? '') };
    }
    return typeof value === 'number' && accepts(value) ? { value } : { problem: wanted };
  };
  return {
    /** Greater than 0. */
    volume: (text: string): TypedNumber =>
      parse(text, {
        accepts: (value) => value > 0 && value < 1e9,
        wanted: texts.wanted(new Intl.NumberFormat(locale).format(1_234.5)),
      }),
    percentage: (text: string): TypedNumber =>
      parse(text.replace(/\s*%\s*$/, ''), {
        accepts: (value) => value >= 0 && value <= 100,
        wanted: texts.percentage,
        isBelow1000: true,
      }),
    /** Latitude or longitude. */
    degrees: (text: string, limit: 90 | 180): TypedNumber =>
      parse(text, { accepts: (value) => Math.abs(value) <= limit, wanted: texts.wanted('19.4326'), isBelow1000: true }),
  };
}
