import { parseNumber, withoutPercentSign } from '../values/decimal.ts';
import { parseFileTime, type TextFormat } from '../values/text_format.ts';
import { checkReadingTime, parsePercentage, quote, type ReadingError } from './reading.ts';

/** The time and the level of a row of a file. */
export interface FileReading {
  atMs: number;
  fillPercentage: number;
}

/** Parses the texts of a row. `format` describes how the file writes numbers and times. */
export function parseFileReading(
  time: string,
  fill: string,
  nowMs: number,
  format?: TextFormat,
): FileReading | ReadingError {
  const parsedMs = parseFileTime(time, format);
  if (typeof parsedMs === 'string') return { code: 'malformed_time', detail: `${quote(time)} ${parsedMs}.` };
  const atMs = checkReadingTime(parsedMs, time, nowMs);
  if (typeof atMs !== 'number') return atMs;
  const value = parseFillText(fill, format ?? {});
  if (typeof value === 'string') return { code: 'malformed_level', detail: `${quote(fill)} ${value}.` };
  const fillPercentage = parsePercentage(value);
  return typeof fillPercentage === 'number' ? { atMs, fillPercentage } : fillPercentage;
}

/** Returns the percentage, or its problem as text. 45.125 is not ambiguous here, because no tank is 45125 percent full. */
function parseFillText(text: string, { decimal }: TextFormat): number | string {
  if (/^\d{1,3}(\.\d{1,2})?$/.test(text))
    return decimal === 'comma' && text.includes('.') ? contrary(decimal) : Number(text);
  const value = parseNumber(withoutPercentSign(text), { decimal, isBelow1000: true });
  if (value === 'contrary') return contrary(decimal);
  return typeof value === 'number' ? value : 'must be a number such as 45.51';
}

const contrary = (decimal: TextFormat['decimal']): string => `contradicts --decimal ${decimal}`;
