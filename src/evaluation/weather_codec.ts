import { isNumbers } from '../values/json.ts';
import { MINUTE_MS } from '../values/time.ts';
import { type PlaceFacts, PlaceWeather } from './pure/estimator/place_weather.ts';
import type { Means } from './pure/estimator/use_history.ts';
import type { Odometer, WeatherModel } from './pure/estimator/weather_share.ts';

/** An outlook or model of another version is not read: forecasts are without weather until the worker has computed it. */
const OUTLOOK_VERSION = 1;
const MODEL_VERSION = 1;

/** The weather of a place as whole numbers, some 500 bytes. Temperatures are in tenths of a degree. */
export function encodeOutlook({ temperatures, observedBefore, normals, spreadC, offsetMs }: PlaceFacts): string {
  const days = [...temperatures.keys()];
  const first = Math.min(...days);
  const tenths = (celsius: number | undefined): number | null =>
    celsius === undefined ? null : Math.round(celsius * 10);
  const series = Array.from({ length: Math.max(...days) - first + 1 }, (_, at) => tenths(temperatures.get(first + at)));
  return JSON.stringify([
    OUTLOOK_VERSION,
    Math.round(offsetMs / MINUTE_MS),
    first,
    observedBefore,
    Math.round(spreadC * 10),
    normals?.length ?? 0,
    ...(normals ?? []).map(tenths),
    ...series,
  ]);
}

/** Few places have many tanks: an outlook is decoded once, and its sums are kept with it. */
const decoded = new Map<string, PlaceWeather | null>();
const MAX_DECODED = 2_000;

/** Null for an outlook of another version. */
export function decodeOutlook(text: string): PlaceWeather | null {
  let place = decoded.get(text);
  if (place === undefined) {
    if (decoded.size >= MAX_DECODED) decoded.clear();
    place = readOutlook(JSON.parse(text));
    decoded.set(text, place);
  }
  return place;
}

function readOutlook(stored: unknown): PlaceWeather | null {
  if (!Array.isArray(stored)) return null;
  const numbers: readonly unknown[] = stored;
  const head: unknown = numbers.slice(0, 6);
  if (!isNumbers(head)) return null;
  const [version, offsetMinutes = 0, first = 0, observedBefore = 0, spread = 0, count = 0] = head;
  const normals: unknown = numbers.slice(6, 6 + count);
  if (version !== OUTLOOK_VERSION || !isNumbers(normals)) return null;
  const temperatures = new Map<number, number>();
  for (const [at, tenths] of numbers.slice(6 + count).entries())
    if (typeof tenths === 'number') temperatures.set(first + at, tenths / 10);
  return new PlaceWeather({
    temperatures,
    observedBefore,
    normals: count === 0 ? null : normals.map((tenths) => tenths / 10),
    spreadC: spread / 10,
    offsetMs: offsetMinutes * MINUTE_MS,
  });
}

/** The numbers of a model before those of its waiting odometers, and of each of these. */
const MODEL_NUMBERS = 25;
const ODOMETER_NUMBERS = 7;

/** A model as whole numbers, some 200 bytes: millionths, and times in milliseconds before `asOfMs`. */
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
    ...waiting.flatMap((odometer) => [
      odometer.atMs - asOfMs,
      ...millionths([odometer.total, ...odometer.means, odometer.trended[1]]),
    ]),
  ]);
}

/** Null for a model of another version: learning begins again. */
export function decodeModel(text: string): WeatherModel | null {
  const stored: unknown = JSON.parse(text);
  if (!isNumbers(stored) || stored[0] !== MODEL_VERSION || stored.length < MODEL_NUMBERS) return null;
  const [, asOfMs = 0, sinceAgo = 0] = stored;
  const value = (at: number): number => (stored[at] ?? 0) / 1e6;
  const means = (at: number): Means => [value(at), value(at + 1), value(at + 2), value(at + 3)];
  const waiting: Odometer[] = [];
  for (let at = MODEL_NUMBERS; at + ODOMETER_NUMBERS <= stored.length; at += ODOMETER_NUMBERS) {
    const own = means(at + 2);
    const trended: Means = [own[0], value(at + 6), own[2], own[3]];
    waiting.push({ atMs: asOfMs + (stored[at] ?? 0), total: value(at + 1), means: own, trended });
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
    bases: means(13),
    slopes: means(17),
    errors: means(21),
    waiting,
  };
}
