import { isObject, parseJson } from '../values/json.ts';
import { MAX_TEMPERATURES } from './store_temperatures.ts';
import {
  byColumn,
  isTemperatureError,
  parseTemperature,
  type Temperature,
  type TemperatureCells,
} from './temperature_row.ts';

/** The whole body cannot be parsed. The message is for the sender. */
export class UnparsableWeatherError extends Error {}

export interface ParsedWeather {
  temperatures: Temperature[];
  rejected: { index: number; code: string; detail: string }[];
}

/** Parses the body of a request, {"temperatures": [...]}, whose fields have the names of the columns of a file. */
export function parseWeatherBody(body: Uint8Array, nowMs: number): ParsedWeather {
  const sent = parseJson(body);
  if (sent === undefined) throw new UnparsableWeatherError('The body is not valid JSON.');
  const items: unknown = isObject(sent) ? sent['temperatures'] : undefined;
  if (!Array.isArray(items)) throw new UnparsableWeatherError('The body must be {"temperatures": [...]}.');
  if (items.length > MAX_TEMPERATURES)
    throw new UnparsableWeatherError(
      `A body may hold at most ${MAX_TEMPERATURES} temperatures; this one has ${items.length}.`,
    );
  const parsed: ParsedWeather = { temperatures: [], rejected: [] };
  for (const [index, item] of items.entries()) {
    const row = isObject(item) ? parseTemperature(cellsOf(item), nowMs) : null;
    if (row === null) parsed.rejected.push({ index, code: 'malformed', detail: 'A temperature must be an object.' });
    else if (isTemperatureError(row)) {
      const text = row.text === '' ? '' : `'${row.text}' `;
      parsed.rejected.push({ index, code: `invalid_${row.column}`, detail: `${row.column}: ${text}${row.problem}.` });
    } else parsed.temperatures.push(row);
  }
  return parsed;
}

/** Returns the texts that a CSV file would have, so that one parser handles both. Numbers get a decimal point. */
const cellsOf = (item: Readonly<Record<string, unknown>>): TemperatureCells =>
  byColumn((column) => {
    const value = item[column];
    if (typeof value === 'string') return value.trim();
    return typeof value === 'number' ? numberText(value) : value === undefined || value === null ? '' : '\0';
  });

/** Writes fractions with four decimals, because the parser refuses 1.125 as ambiguous. Smaller fractions do not matter. */
const numberText = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(4));
