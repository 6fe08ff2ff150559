import type { ForecastWeather } from './pure/estimator/forecast.ts';
import { decodePlaceWeather } from './weather_codec.ts';

/** The weather columns that the forecast of a tank needs. They are null for a tank without a place. */
export interface WeatherColumns {
  weather_share: number | null;
  weather_errors: number[] | null;
  weather_outlook: string | null;
}

/** The columns of `tank_weather w` and `places p`. The weather has 500 bytes and is read only if it is used. */
export const WEATHER_COLUMNS = `w.share as weather_share, w.errors as weather_errors,
  case when w.share > 0 then p.outlook end as weather_outlook`;

/** Null for a tank without weather, and for a tank whose use the weather does not explain. */
export function forecastWeather({
  weather_share: share,
  weather_errors: errors,
  weather_outlook: outlook,
}: WeatherColumns): ForecastWeather | null {
  if (share === null || share <= 0 || errors === null || outlook === null) return null;
  const [a, b, c, d] = errors;
  const place = decodePlaceWeather(outlook);
  if (place === null || a === undefined || b === undefined || c === undefined || d === undefined) return null;
  return { place, share, errors: [a, b, c, d] };
}
