import type { TankStatus } from '@tankwatch/client';
import type { Format } from '../format.ts';
import { usePreferences } from '../preferences.tsx';
import type { Words } from '../words/words.ts';

/** What the forecast assumes of the weather, in one sentence. Nothing for a tank whose place has no weather. */
export function WeatherSentence({ status: { weather, tank } }: { status: TankStatus }) {
  const { words, format } = usePreferences();
  return weather === null ? null : <p className="meta">{sentenceOf(weather, tank.capacity_unit, words, format)}</p>;
}

function sentenceOf(
  weather: NonNullable<TankStatus['weather']>,
  unit: TankStatus['tank']['capacity_unit'],
  { tank: { weather: texts }, values }: Words,
  format: Format,
): string {
  const { use, forecast_c: celsius, forecast_until: until, share_percentage: share, known_until: last } = weather;
  if (use === 'not_explained') return texts.notExplained;
  // At noon, so that it is the same day in every time zone.
  if (use === 'not_current') return texts.notCurrent(last === null ? values.none : format.date(`${last}T12:00:00Z`));
  const days = (count: number | null): string => (count === null ? '∞' : format.days(Math.round(count)));
  const ahead =
    celsius === null || until === null
      ? texts.usual
      : texts.with(format.degrees(celsius, unit), format.longWeekday(`${until}T12:00:00Z`));
  const instead = texts.instead(days(weather.days), days(weather.days_without));
  return `${ahead}: ${instead} ${texts.share(format.percent(share ?? 0))}`;
}
