import type { Db } from '../../db/pool.ts';
import { MINUTE_MS } from '../../values/time.ts';
import type { WeatherServiceSettings, WeatherSettings } from '../connector_settings.ts';
import { withoutSlash } from '../json_source.ts';
import { SourceClient, type SourceClientOptions } from '../source_client.ts';
import { DeutscherWetterdienst, DWD_CATALOG_URL, DWD_URL } from './dwd.ts';
import { NationalWeatherService, NWS_URL } from './nws.ts';
import { readWeather, storeAll, tankCells, tanksOf, type WeatherRound } from './read_weather.ts';
import { readWeatherFile } from './weather_file.ts';
import { cellsOf, type WeatherService } from './weather_service.ts';

const DEFAULT_INTERVAL_MINUTES = 360;
/** The services do not publish a rate limit, so this one is chosen. */
const DEFAULT_REQUESTS_PER_MINUTE = 30;

export const weatherPace = (settings: WeatherSettings): { requestsPerMinute: number } => ({
  requestsPerMinute: settings.requests_per_minute ?? DEFAULT_REQUESTS_PER_MINUTE,
});

export type WeatherNetwork = Omit<SourceClientOptions, 'source'>;

/** api.weather.gov refuses requests without a User-Agent, and asks for a contact in it. */
const userAgent = (settings: WeatherSettings): string =>
  settings.kind === 'nws' ? `tankwatch (${settings.contact})` : 'tankwatch';

function clientOf(settings: WeatherSettings, network: WeatherNetwork): SourceClient {
  const header = settings.kind === 'weather_csv' ? settings.header : undefined;
  const headers = {
    'user-agent': userAgent(settings),
    ...(settings.kind === 'nws' && { accept: 'application/geo+json' }),
    ...(header && { [header.name.toLowerCase()]: header.value }),
  };
  return new SourceClient({ ...network, source: { headers, login: null, isPublic: network.secret === null } });
}

function serviceOf(settings: WeatherServiceSettings, client: SourceClient): WeatherService {
  const intervalMinutes = settings.interval_minutes ?? DEFAULT_INTERVAL_MINUTES;
  if (settings.kind === 'nws')
    return new NationalWeatherService(client, withoutSlash(settings.url ?? NWS_URL), intervalMinutes);
  return new DeutscherWetterdienst(client, {
    url: withoutSlash(settings.url ?? DWD_URL),
    catalogUrl: settings.catalog_url ?? DWD_CATALOG_URL,
    intervalMinutes,
  });
}

/** Runs one round of a source of weather. Returns in how many milliseconds it is due again. */
export async function pollWeather(
  db: Db,
  settings: WeatherSettings,
  network: WeatherNetwork,
  round: Omit<WeatherRound, 'service' | 'cells'> & { memory: unknown },
): Promise<number> {
  const client = clientOf(settings, network);
  if (settings.kind === 'weather_csv') {
    const { organizationNo, nowMs, remember } = round;
    const temperatures = await readWeatherFile(await client.getBytes(settings.url), settings, nowMs);
    await storeAll(db, organizationNo, temperatures);
    const places = [...new Set(temperatures.map(({ place }) => place))];
    await remember({ devices: places.length, tanks: await tanksOf(db, organizationNo, places) });
  } else {
    const service = serviceOf(settings, client);
    await readWeather(db, { ...round, service, cells: cellsOf(round.memory) });
  }
  return (settings.interval_minutes ?? DEFAULT_INTERVAL_MINUTES) * MINUTE_MS;
}

/** Asks once for the weather of the place with the most tanks. Stores nothing. */
export async function tryWeather(
  db: Db,
  settings: WeatherSettings,
  network: WeatherNetwork,
  organizationNo: number,
): Promise<{ places: number; temperatures: number }> {
  const client = clientOf(settings, network);
  const nowMs = Date.now();
  if (settings.kind === 'weather_csv') {
    const temperatures = await readWeatherFile(await client.getBytes(settings.url), settings, nowMs);
    return { places: new Set(temperatures.map(({ place }) => place)).size, temperatures: temperatures.length };
  }
  const service = serviceOf(settings, client);
  for await (const { place } of service.findPlaces((await tankCells(db, organizationNo)).slice(0, 1)))
    if (place !== null) {
      const temperatures = await service.temperatures(place, { observedDays: new Set(), nowMs });
      return { places: 1, temperatures: temperatures.length };
    }
  return { places: 0, temperatures: 0 };
}
