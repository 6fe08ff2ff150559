import type { TankStatus } from '@tankwatch/client';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { WEATHER_TEXTS } from '../translations/weather.ts';

type Weather = NonNullable<TankStatus['weather']>;

/** What the forecast assumes about the weather, in one sentence. */
export function WeatherSentence({ weather, unit }: { weather: Weather; unit: 'liters' | 'gallons' }) {
  const { format } = usePreferences();
  const texts = useTexts(WEATHER_TEXTS);
  const { use, forecast_c: celsius, forecast_until: until, known_until: last } = weather;
  const date = (day: string, options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(format.locale, { ...options, timeZone: 'UTC' }).format(Date.parse(day));
  if (use === 'not_explained') return <p className="meta">{texts.notExplained}</p>;
  if (use === 'not_current')
    return (
      <p className="meta">{texts.notCurrent(last === null ? '–' : date(last, { day: 'numeric', month: 'long' }))}</p>
    );
  const days = (count: number | null): string => (count === null ? '∞' : format.days(Math.round(count)));
  const ahead =
    celsius === null || until === null
      ? texts.usual
      : texts.forecast(degrees(celsius, unit, format.locale), date(until, { weekday: 'long' }));
  const instead = texts.instead(days(weather.days), days(weather.days_without));
  return (
    <p className="meta">
      {ahead}: {instead} {texts.share(format.percent(weather.share_percentage ?? 0))}
    </p>
  );
}

/** Fahrenheit where volumes are gallons. */
const degrees = (celsius: number, unit: 'liters' | 'gallons', locale: string): string =>
  new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: unit === 'gallons' ? 'fahrenheit' : 'celsius',
    maximumFractionDigits: 0,
  }).format(unit === 'gallons' ? celsius * 1.8 + 32 : celsius);
