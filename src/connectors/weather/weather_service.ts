import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { DAY_MS } from '../../values/time.ts';
import { KM_PER_DEGREE, MAX_DISTANCE_KM } from '../../weather/match_tanks.ts';
import { MAX_TEMPERATURE_C, MIN_TEMPERATURE_C, type Temperature } from '../../weather/temperature_row.ts';

/** A place of a weather service, as it is remembered between two rounds. */
export const WeatherPlace = Type.Object({
  /** The name of the place in Tankwatch. */
  name: Type.String(),
  latitude: Type.Number(),
  longitude: Type.Number(),
  time_zone: Type.String(),
  /** The grid square or station of the forecasts. */
  forecast: Type.String(),
  /** The station of the observations. */
  observed: Type.String(),
});
export type WeatherPlace = Static<typeof WeatherPlace>;

/** A quarter of a degree with tanks, and its place. The place is null if the service has none there. */
const FoundCell = Type.Object({
  latitude: Type.Number(),
  longitude: Type.Number(),
  found_at: Type.Number(),
  place: Type.Union([WeatherPlace, Type.Null()]),
});
export type FoundCell = Static<typeof FoundCell>;

const Memory = Compile(Type.Object({ cells: Type.Array(FoundCell) }));

export const cellsOf = (memory: unknown): FoundCell[] => (Memory.Check(memory) ? memory.cells : []);

export interface Cell {
  latitude: number;
  longitude: number;
}

/** The temperatures that are stored already, so that they are not requested again. */
export interface StoredWeather {
  /** The numbers of the observed days since 1970. */
  observedDays: ReadonlySet<number>;
  nowMs: number;
}

/** A service for the weather of places. Its methods throw SourceError. */
export interface WeatherService {
  intervalMinutes: number;
  /** The place of each cell; null if the service has none. Cells that are not returned are looked up in the next round. */
  findPlaces(cells: readonly Cell[]): AsyncIterable<{ cell: Cell; place: WeatherPlace | null }>;
  temperatures(place: WeatherPlace, stored: StoredWeather): Promise<Temperature[]>;
}

/** The distance on a plane, exact to a few meters at 50 km. */
export function kmBetween(a: Cell, b: Cell): number {
  const east = (180 - Math.abs(180 - Math.abs(a.longitude - b.longitude))) * Math.cos((a.latitude * Math.PI) / 180);
  return Math.hypot(a.latitude - b.latitude, east) * KM_PER_DEGREE;
}

/** The nearest station, if it is at most 50 km away. */
export function nearest<Station extends Cell>(to: Cell, stations: readonly Station[]): Station | undefined {
  let best: Station | undefined;
  let bestKm = MAX_DISTANCE_KM;
  for (const station of stations) {
    if (Math.abs(station.latitude - to.latitude) * KM_PER_DEGREE > bestKm) continue;
    const km = kmBetween(to, station);
    if (km <= bestKm) [best, bestKm] = [station, km];
  }
  return best;
}

/** The temperatures of a place, without implausible values. */
export const temperaturesOf = (
  { name, latitude, longitude }: WeatherPlace,
  means: Iterable<readonly [day: number, celsius: number]>,
  facts: Pick<Temperature, 'kind' | 'source'> & { issuedAtMs?: number },
): Temperature[] =>
  [...means]
    .filter(([, celsius]) => celsius >= MIN_TEMPERATURE_C && celsius <= MAX_TEMPERATURE_C)
    .map(([day, celsius]) => ({
      place: name,
      postalCode: null,
      latitude: Math.round(latitude * 1e4) / 1e4,
      longitude: Math.round(longitude * 1e4) / 1e4,
      day,
      meanC: Math.round(celsius * 100) / 100,
      // An observation is issued at the end of its day, so that storing it again changes nothing.
      issuedAtMs: facts.issuedAtMs ?? (day + 1) * DAY_MS,
      kind: facts.kind,
      source: facts.source,
    }));
