import type { TriedForecast, TriedLine } from '../../evaluation/pure/alerts/try_readings.ts';
import { MAX_LEVEL_FORECAST_DAYS } from '../../evaluation/pure/estimator/forecast.ts';
import type { LevelReading } from '../../evaluation/pure/estimator/level_filter.ts';
import { ENGLISH } from '../../mail/english.ts';
import { formatsFor } from '../../mail/locale.ts';
import { productWords } from '../../mail/product_words.ts';
import { describeEvent } from '../../mail/translation.ts';
import { DEFAULT_CONTENTS } from '../../values/products.ts';
import { amount } from '../../values/text_format.ts';

/** Texts with hours from 0 to 23 and a space before the percent sign, as in the other columns. */
const TEXTS = ENGLISH(
  { ...formatsFor({ language: 'en-GB', time_zone: 'UTC' }), percent: (value) => `${value} %` },
  DEFAULT_CONTENTS,
  productWords('en', DEFAULT_CONTENTS),
);

/** An event or forecast in one line for people: when, what, and the readings that explain it. */
export function describeTriedLine(line: TriedLine): string {
  const at = minute(line.at);
  if (line.type === 'forecast') return `${at}  forecast: ${describeForecast(line)}`;
  if (line.type === 'event.retracted')
    return `${at}  ${line.type}: ${line.event.type} of ${minute(line.event.at)} was wrong. The gauge was faulty, and the level is back.`;
  const { sentence } = describeEvent(TEXTS, line.type, line.data);
  const readings = line.readings.map((reading) => `${reading.fill_percentage} % at ${minute(reading.created_at)}`);
  return `${at}  ${line.type}: ${sentence} Readings: ${readings.join(', ')}.`;
}

function describeForecast({
  fill_percentage,
  use_points_per_day,
  days_to_threshold,
  gauge_reliable,
  weather,
}: TriedForecast): string {
  const { likely, earliest, latest } = days_to_threshold;
  const days = (count: number | null): string => (count === null ? `over ${MAX_LEVEL_FORECAST_DAYS}` : String(count));
  const doubt = gauge_reliable === false ? '; the gauge is not reliable now' : '';
  const without =
    weather === undefined
      ? ''
      : `; without the weather, which ${weather.share_percentage} % of the use follows, ${days(weather.likely_without)} days`;
  return (
    `at ${fill_percentage} %, uses ${use_points_per_day} points a day; ` +
    `at the threshold in ${days(likely)} days (${days(earliest)} to ${days(latest)})${without}${doubt}`
  );
}

/** The last line for people: how many readings were evaluated, and the number of events of each type. */
export function describeTrial(
  tanks: readonly { readings: readonly LevelReading[] }[],
  counts: ReadonlyMap<string, number>,
): string {
  const times = tanks.flatMap(({ readings }) => readings.map(({ atMs }) => atMs));
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const [first, last] = times.reduce(([min, max], ms) => [Math.min(min, ms), Math.max(max, ms)], [Infinity, -Infinity]);
  const events = [...counts].map(([type, count]) => `${count} ${type}`);
  return (
    `${amount(times.length, 'readings')} of ${amount(tanks.length, 'tanks')} from ${day(first)} to ${day(last)}: ` +
    (events.length === 0 ? 'no events' : events.join(', '))
  );
}

const minute = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)}`;
