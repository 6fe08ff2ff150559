import { isNumbers } from '../values/json.ts';
import { MINUTE_MS } from '../values/time.ts';
import { type PlaceFacts, PlaceWeather } from './pure/estimator/place_weather.ts';
import type { Means } from './pure/estimator/use_history.ts';
import type { WeatherModel } from './pure/estimator/weather_model.ts';
import type { CumulativeUse } from './pure/estimator/weather_share.ts';

/** Place weather or a model of another version is not read: forecasts are without weather until the worker has computed it again. */
const PLACE_WEATHER_VERSION = 1;
const MODEL_VERSION = 1;

/** The weather of a place as whole numbers, about 500 bytes. Temperatures are in tenths of a degree. */
export function encodePlaceWeather({ temperatures, observedBefore, normals, spreadC, offsetMs }: PlaceFacts): string {
  const days = [...temperatures.keys()];
  const first = Math.min(...days);
  const tenths = (celsius: number | undefined): number | null =>
    celsius === undefined ? null : Math.round(celsius * 10);
  const dayCount = Math.max(...days) - first + 1;
  const series = Array.from({ length: dayCount }, (_, index) => tenths(temperatures.get(first + index)));
  return JSON.stringify([
    PLACE_WEATHER_VERSION,
    Math.round(offsetMs / MINUTE_MS),
    first,
    observedBefore,
    Math.round(spreadC * 10),
    normals?.length ?? 0,
    ...(normals ?? []).map(tenths),
    ...series,
  ]);
}

/** Many tanks share few places, so the weather of a place is decoded once and its sums are kept with it. */
const decoded = new Map<string, PlaceWeather | null>();
const MAX_DECODED = 2_000;

/** Null for a text of another version. */
export function decodePlaceWeather(text: string): PlaceWeather | null {
  let place = decoded.get(text);
  if (place === undefined) {
    if (decoded.size >= MAX_DECODED) decoded.clear();
    place = readPlaceWeather(JSON.parse(text));
    decoded.set(text, place);
  }
  return place;
}

function readPlaceWeather(stored: unknown): PlaceWeather | null {
  if (!Array.isArray(stored)) return null;
  const numbers: readonly unknown[] = stored;
  const head: unknown = numbers.slice(0, 6);
  if (!isNumbers(head)) return null;
  const [version, offsetMinutes = 0, first = 0, observedBefore = 0, spread = 0, count = 0] = head;
  const normals: unknown = numbers.slice(6, 6 + count);
  if (version !== PLACE_WEATHER_VERSION || !isNumbers(normals)) return null;
  const temperatures = new Map<number, number>();
  for (const [index, tenths] of numbers.slice(6 + count).entries())
    if (typeof tenths === 'number') temperatures.set(first + index, tenths / 10);
  return new PlaceWeather({
    temperatures,
    observedBefore,
    normals: count === 0 ? null : normals.map((tenths) => tenths / 10),
    spreadC: spread / 10,
    offsetMs: offsetMinutes * MINUTE_MS,
  });
}

/** The numbers of a model before its waiting values. */
const MODEL_NUMBERS = 25;
/** The numbers of each waiting value of the cumulative use. */
const CUMULATIVE_NUMBERS = 7;

/** A model as whole numbers, about 200 bytes: millionths, and times in milliseconds before `asOfMs`. */
export function encodeModel(model: WeatherModel): string {
  const { asOfMs, sinceMs, waiting, total, sinceTotal, bases, slopes, errors } = model;
  const sums = [model.days, model.used, model.degreeDays, model.weight];
  const evidence = [model.product, model.square, model.residual, model.count];
  const values = [total, sinceTotal, ...sums, ...evidence, ...bases, ...slopes, ...errors];
  const millionths = (numbers: readonly number[]): number[] => numbers.map((value) => Math.round(value * 1e6));
  return JSON.stringify([
    MODEL_VERSION,
    asOfMs,
    asOfMs - sinceMs,
    ...millionths(values),
    ...waiting.flatMap((cumulative) => [
      cumulative.atMs - asOfMs,
      ...millionths([cumulative.total, ...cumulative.means, cumulative.trended[1]]),
    ]),
  ]);
}

/** Null for a model of another version. Learning then begins again. */
export function decodeModel(text: string): WeatherModel | null {
  const stored: unknown = JSON.parse(text);
  if (!isNumbers(stored) || stored[0] !== MODEL_VERSION || stored.length < MODEL_NUMBERS) return null;
  const [, asOfMs = 0, sinceAgo = 0] = stored;
  const value = (index: number): number => (stored[index] ?? 0) / 1e6;
  const readMeans = (index: number): Means => [value(index), value(index + 1), value(index + 2), value(index + 3)];
  const waiting: CumulativeUse[] = [];
  for (let index = MODEL_NUMBERS; index + CUMULATIVE_NUMBERS <= stored.length; index += CUMULATIVE_NUMBERS) {
    const means = readMeans(index + 2);
    const trended: Means = [means[0], value(index + 6), means[2], means[3]];
    waiting.push({ atMs: asOfMs + (stored[index] ?? 0), total: value(index + 1), means, trended });
  }
  return {
    asOfMs,
    sinceMs: asOfMs - sinceAgo,
    total: value(3),
    sinceTotal: value(4),
    days: value(5),
    used: value(6),
    degreeDays: value(7),
    weight: value(8),
    product: value(9),
    square: value(10),
    residual: value(11),
    count: value(12),
    bases: readMeans(13),
    slopes: readMeans(17),
    errors: readMeans(21),
    waiting,
  };
}
