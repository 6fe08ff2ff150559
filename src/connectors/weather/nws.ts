import { elementsAt, valueAt } from '../../values/json_path.ts';
import { DAY_MS, HOUR_MS, parseTimeMs } from '../../values/time.ts';
import { parseTimeZone, zonedDayStartMs } from '../../values/zoned_time.ts';
import { MAX_DISTANCE_KM } from '../../weather/match_tanks.ts';
import type { Temperature } from '../../weather/temperature_row.ts';
import { type SourceClient, SourceError } from '../source_client.ts';
import { dailyMeans, localDay, type Measured } from './daily_means.ts';
import {
  type Cell,
  kmBetween,
  type StoredWeather,
  temperaturesOf,
  type WeatherPlace,
  type WeatherService,
} from './weather_service.ts';

export const NWS_URL = 'https://api.weather.gov';
const SOURCE = 'NWS';
/** The service keeps observations for about a week. A station has up to 288 a day, and a response has up to 500. */
const OBSERVED_DAYS = 6;
const MAX_OBSERVATIONS = 500;
const MAX_PERIODS = 400;
/** Results of the quality control: erroneous, questioned, bad. */
const BAD_QUALITY: ReadonlySet<unknown> = new Set(['X', 'Q', 'B']);

/**
 * The National Weather Service of the United States, https://www.weather.gov/documentation/services-web-api. The place is the station
 * nearest to the tanks. The forecast is for the grid square of the station, so that forecast and observations are for one location.
 */
export class NationalWeatherService implements WeatherService {
  readonly intervalMinutes: number;
  readonly #client: Pick<SourceClient, 'get'>;
  readonly #url: string;

  constructor(client: Pick<SourceClient, 'get'>, url: string, intervalMinutes: number) {
    this.#client = client;
    this.#url = url;
    this.intervalMinutes = intervalMinutes;
  }

  async *findPlaces(cells: readonly Cell[]) {
    const known = new Map<string, WeatherPlace>();
    for (const cell of cells) {
      const grid = await this.#gridOf(cell);
      const station = grid === null ? null : await this.#stationOf(grid, cell);
      yield { cell, place: station === null ? null : await this.#placeOf(station, known) };
    }
  }

  async #placeOf(station: Station, known: Map<string, WeatherPlace>): Promise<WeatherPlace | null> {
    const { id, latitude, longitude, timeZone } = station;
    const forecast = known.get(id)?.forecast ?? (await this.#gridOf(station));
    if (forecast === null) return null;
    const place = { name: id, latitude, longitude, time_zone: timeZone, forecast, observed: id };
    known.set(id, place);
    return place;
  }

  /** The grid square of a point, such as BOU/63,61. Null if the point is not in the United States. */
  async #gridOf({ latitude, longitude }: Cell): Promise<string | null> {
    // The service redirects requests with more than four decimals, or with zeros at the end.
    const point = [latitude, longitude].map((degrees) => String(Math.round(degrees * 1e4) / 1e4)).join(',');
    let answer: unknown;
    try {
      answer = await this.#client.get(`${this.#url}/points/${point}`);
    } catch (error) {
      if (error instanceof SourceError && error.isNotFound) return null;
      throw error;
    }
    const [office, x, y] = ['gridId', 'gridX', 'gridY'].map((key) => valueAt(answer, `properties.${key}`));
    // A point at sea has no office.
    if (office === null) return null;
    if (typeof office !== 'string' || !/^\w{3}$/.test(office) || !Number.isInteger(x) || !Number.isInteger(y))
      throw new SourceError('changed', 'the answer about a point has no grid square');
    return `${office}/${String(x)},${String(y)}`;
  }

  /** The nearest station, which is the first one in the list; null if it is more than 50 km away. */
  async #stationOf(grid: string, cell: Cell): Promise<Station | null> {
    const answer = await this.#client.get(`${this.#url}/gridpoints/${grid}/stations?limit=5`);
    const [feature] = elementsAt(answer, 'features', 5) ?? [];
    if (feature === undefined) return null;
    const station = parseStation(feature);
    if (station === null) throw new SourceError('changed', 'the list of stations cannot be read');
    return kmBetween(cell, station) <= MAX_DISTANCE_KM ? station : null;
  }

  async temperatures(place: WeatherPlace, { observedDays, nowMs }: StoredWeather): Promise<Temperature[]> {
    const forecast = await this.#forecast(place);
    const today = localDay(nowMs, place.time_zone);
    const days = Array.from({ length: OBSERVED_DAYS }, (_, ago) => today - OBSERVED_DAYS + ago);
    const means: [number, number][] = [];
    for (const day of days.filter((unknownDay) => !observedDays.has(unknownDay))) {
      const celsius = (await this.#observed(place, day)).get(day);
      if (celsius !== undefined) means.push([day, celsius]);
    }
    return [...forecast, ...temperaturesOf(place, means, { kind: 'observed', source: SOURCE })];
  }

  async #forecast(place: WeatherPlace): Promise<Temperature[]> {
    const answer = await this.#client.get(`${this.#url}/gridpoints/${place.forecast}/forecast/hourly`);
    const issuedAtMs = timeAt(answer, 'properties.updateTime') ?? timeAt(answer, 'properties.generatedAt');
    const periods = elementsAt(answer, 'properties.periods', MAX_PERIODS) ?? [];
    const hours = periods.map(parsePeriod).filter((hour) => hour !== null);
    if (issuedAtMs === undefined || hours.length === 0)
      throw new SourceError('changed', 'the hourly forecast has no temperatures');
    return temperaturesOf(place, dailyMeans(hours, place.time_zone), { kind: 'forecast', source: SOURCE, issuedAtMs });
  }

  async #observed({ observed, time_zone: timeZone }: WeatherPlace, day: number): Promise<Map<number, number>> {
    const startMs = zonedDayStartMs(new Date(day * DAY_MS).toISOString().slice(0, 10), timeZone);
    const endMs = zonedDayStartMs(new Date((day + 1) * DAY_MS).toISOString().slice(0, 10), timeZone);
    const answer = await this.#client.get(
      `${this.#url}/stations/${observed}/observations?start={start}&end={end}&limit=${MAX_OBSERVATIONS}`,
      { start: isoSecond(startMs), end: isoSecond(endMs) },
    );
    const features = elementsAt(answer, 'features', MAX_OBSERVATIONS);
    if (features === undefined) throw new SourceError('changed', 'the answer has no observations');
    const measured = features.map(parseObservation).filter((observation) => observation !== null);
    // If the field has no values, the station does not measure temperatures. If the field is missing, it was renamed.
    if (measured.length === 0 && features.length > 0 && !features.some((feature) => hasTemperature(feature)))
      throw new SourceError('changed', 'the observations have no field for the temperature');
    return dailyMeans(measured, timeZone);
  }
}

interface Station extends Cell {
  id: string;
  timeZone: string;
}

const isoSecond = (atMs: number): string => new Date(atMs).toISOString().replace('.000Z', 'Z');

function timeAt(answer: unknown, path: string): number | undefined {
  const text = valueAt(answer, path);
  return typeof text === 'string' ? parseTimeMs(text) : undefined;
}

function parseStation(feature: unknown): Station | null {
  const id = valueAt(feature, 'properties.stationIdentifier');
  const zone = valueAt(feature, 'properties.timeZone');
  const coordinates = valueAt(feature, 'geometry.coordinates');
  const [longitude, latitude]: unknown[] = Array.isArray(coordinates) ? coordinates : [];
  const timeZone = typeof zone === 'string' ? parseTimeZone(zone) : undefined;
  if (typeof id !== 'string' || !/^\w{3,16}$/.test(id) || timeZone === undefined) return null;
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return null;
  return { id, latitude, longitude, timeZone };
}

/** Parses an hour of a forecast. The temperature is a number with a separate unit, or an object with value and unit. */
function parsePeriod(period: unknown): Measured | null {
  const atMs = timeAt(period, 'startTime');
  const temperature = valueAt(period, 'temperature');
  const celsius =
    typeof temperature === 'number'
      ? inCelsius(temperature, valueAt(period, 'temperatureUnit'))
      : inCelsius(valueAt(temperature, 'value'), valueAt(temperature, 'unitCode'));
  return atMs === undefined || celsius === null ? null : { atMs: Math.floor(atMs / HOUR_MS) * HOUR_MS, celsius };
}

const hasTemperature = (feature: unknown): boolean => valueAt(feature, 'properties.temperature.value') !== undefined;

function parseObservation(feature: unknown): Measured | null {
  const atMs = timeAt(feature, 'properties.timestamp');
  const temperature = valueAt(feature, 'properties.temperature');
  const celsius = inCelsius(valueAt(temperature, 'value'), valueAt(temperature, 'unitCode'));
  if (atMs === undefined || celsius === null || BAD_QUALITY.has(valueAt(temperature, 'qualityControl'))) return null;
  return { atMs, celsius };
}

function inCelsius(value: unknown, unit: unknown): number | null {
  if (typeof value !== 'number') return null;
  if (unit === 'F' || unit === 'wmoUnit:degF') return (value - 32) / 1.8;
  return unit === 'C' || unit === 'wmoUnit:degC' ? value : null;
}
