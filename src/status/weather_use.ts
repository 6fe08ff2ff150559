import type { Forecast, ForecastWeather } from '../evaluation/pure/estimator/forecast.ts';
import { forecastWeather, WEATHER_COLUMNS, type WeatherColumns } from '../evaluation/tank_weather.ts';

/** The weather at the place of a tank, and whether the use of the tank follows it. */
export interface TankWeather {
  place: string;
  /** The last day that is observed or forecast, such as 2026-01-31; null before any weather. */
  knownUntil: string | null;
  /** True if the use of the tank follows the weather. */
  isFollowing: boolean;
  forecast: ForecastWeather | null;
}

export interface TankWeatherColumns extends WeatherColumns {
  weather_place: string | null;
  weather_known_until: string | null;
}

/** The columns of a tank's weather, from the rows of `tankWeatherJoins`. */
export const TANK_WEATHER_COLUMNS = `${WEATHER_COLUMNS}, p.name as weather_place,
  p.known_until::text as weather_known_until`;

/** `tankNo` is an SQL expression. */
export const tankWeatherJoins = (tankNo: string): string =>
  `left join tank_weather w on w.tank_no = ${tankNo} left join places p on p.no = w.place_no`;

export const tankWeatherOf = (row: TankWeatherColumns): TankWeather | null =>
  row.weather_place === null
    ? null
    : {
        place: row.weather_place,
        knownUntil: row.weather_known_until,
        isFollowing: (row.weather_share ?? 0) > 0,
        forecast: forecastWeather(row),
      };

/**
 * What a forecast assumes about the weather.
 * - `used`: the forecast uses the weather. `forecast_c` is the mean until `forecast_until`; both are null if only the
 *   normals are known.
 * - `not_explained`: the use of this tank does not follow the weather.
 * - `not_current`: the use follows the weather, but the weather of the place ends at `known_until`, which is too long ago. Also before
 *   any weather is known.
 */
export interface WeatherUse {
  place: string;
  use: 'used' | 'not_explained' | 'not_current';
  share_percentage: number | null;
  forecast_c: number | null;
  forecast_until: string | null;
  /** The likely days to the threshold with the weather. */
  days: number | null;
  /** The likely days to the threshold without the weather. */
  days_without: number | null;
  known_until: string | null;
}

/** Null without a place or without a forecast. */
export function weatherUseOf(weather: TankWeather | null, expected: Forecast | null): WeatherUse | null {
  if (weather === null || expected === null) return null;
  const { place, knownUntil } = weather;
  const { weather: assumed, daysToThreshold } = expected;
  const day = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString().slice(0, 10));
  return {
    place,
    use: assumed !== null ? 'used' : weather.isFollowing || knownUntil === null ? 'not_current' : 'not_explained',
    share_percentage: assumed && Math.round(assumed.share * 100),
    forecast_c: assumed?.forecastC ?? null,
    forecast_until: day(assumed?.forecastUntilMs ?? null),
    days: daysToThreshold.likely,
    days_without: assumed === null ? daysToThreshold.likely : assumed.likelyDaysWithout,
    known_until: knownUntil,
  };
}

/** What the forecast assumes, as an English sentence for the command line; null for a tank without weather. */
export function describeWeather(weather: WeatherUse | null): string | null {
  if (weather === null) return null;
  const {
    use,
    place,
    share_percentage: share,
    forecast_c: celsius,
    forecast_until: until,
    known_until: last,
  } = weather;
  if (use === 'not_explained')
    return `the weather of ${place} does not explain this tank's use, so the forecast does not use it`;
  if (use === 'not_current')
    return `no current weather for ${place}${last === null ? '' : ` (last: ${last})`}: forecast without it`;
  const ahead =
    celsius === null || until === null
      ? 'with the usual weather'
      : `with ${Math.round(celsius)} °C forecast until ${until}`;
  return (
    `${ahead} in ${place}: ${shownDays(weather.days)} to the threshold instead of ${shownDays(weather.days_without)}; ` +
    `about ${share} % of this tank's use follows the weather`
  );
}

const shownDays = (days: number | null): string => (days === null ? 'over 730 days' : `${days} days`);
