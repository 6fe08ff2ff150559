import { DAY_MS } from '../../../values/time.ts';
import { type AssumedWeather, type Forecast, type ForecastWeather, forecast } from '../estimator/forecast.ts';
import { type LevelReading } from '../estimator/level_filter.ts';
import type { PlaceWeather } from '../estimator/place_weather.ts';
import { initialModel, learnWeather, type WeatherModel } from '../estimator/weather_model.ts';
import { cumulativeUseOf, INITIAL_PRIOR, shareOf } from '../estimator/weather_share.ts';
import { evaluate } from './evaluate.ts';
import type { EventType, RetractionReason } from './event_types.ts';
import type { TankEvent } from './tank_event.ts';
import { type AlertSettings, INITIAL_STATE, type TankState } from './tank_state.ts';

/** An event, a retraction or a forecast, as it would have been at its time. */
export type TriedLine = TriedEvent | TriedRetraction | TriedForecast;

export interface TriedRetraction {
  at: string;
  type: 'event.retracted';
  event: { type: EventType; at: string };
  reason: RetractionReason;
}

type TriedEvent = {
  [Type in TankEvent['type']]: { at: string } & Omit<Extract<TankEvent, { type: Type }>, 'atMs'>;
}[TankEvent['type']];

export interface TriedForecast {
  at: string;
  type: 'forecast';
  fill_percentage: number;
  use_points_per_day: number;
  days_to_threshold: Forecast['daysToThreshold'];
  /** Present only if false. */
  gauge_reliable?: false;
  /**
   * Present only if the weather changes the forecast: the share of the use that follows it, and the forecast without
   * it.
   */
  weather?: { share_percentage: number; likely_without: number | null };
}

/** Evaluates the readings of one tank, which come in the order of time, and yields what Tankwatch would have reported. */
export function* tryReadings(
  settings: AlertSettings,
  readings: readonly LevelReading[],
  withForecasts: boolean,
  place: PlaceWeather | null = null,
): Generator<TriedLine> {
  let state: TankState = INITIAL_STATE;
  let model: WeatherModel | null = null;
  let day = Number.NEGATIVE_INFINITY;
  for (const { atMs, fillPercentage } of readings) {
    const evaluated = evaluate(settings, state, { kind: 'reading', atMs, fillPercentage });
    state = evaluated.state;
    for (const event of evaluated.events) yield asLine(event);
    for (const { type, atMs: eventMs, reason } of evaluated.retracted) {
      yield { at: iso(atMs), type: 'event.retracted', event: { type, at: iso(eventMs) }, reason };
    }
    if (!withForecasts || Math.floor(atMs / DAY_MS) === day) continue;
    day = Math.floor(atMs / DAY_MS);
    model = place && learnDay(model, state, place, atMs);
    const expected = forecast(settings, state, atMs, weatherOf(model, place));
    if (expected !== null) yield forecastLine(expected, atMs);
  }
}

/** Learns what the weather job learns once a day from the stored state of a tank. */
function learnDay(
  before: WeatherModel | null,
  { history, level, accepted }: TankState,
  place: PlaceWeather,
  nowMs: number,
): WeatherModel | null {
  if (history === null || level === null || accepted === null) return before;
  const cumulative = cumulativeUseOf(history, level, accepted.atMs);
  return learnWeather(before ?? initialModel(cumulative), cumulative, place.asOf(nowMs), INITIAL_PRIOR);
}

const weatherOf = (model: WeatherModel | null, place: PlaceWeather | null): ForecastWeather | null =>
  model === null || place === null ? null : { place, share: shareOf(model, INITIAL_PRIOR), errors: model.errors };

function asLine(event: TankEvent): TriedEvent {
  const { atMs, ...rest } = event;
  return { at: iso(atMs), ...rest };
}

const forecastLine = (expected: Forecast, atMs: number): TriedForecast => ({
  at: iso(atMs),
  type: 'forecast',
  fill_percentage: expected.fillPercentage,
  use_points_per_day: expected.usePointsPerDay,
  days_to_threshold: expected.daysToThreshold,
  ...(expected.isGaugeReliable ? {} : { gauge_reliable: false as const }),
  ...(expected.weather === null ? {} : { weather: triedWeather(expected.weather) }),
});

const triedWeather = ({ share, likelyDaysWithout }: AssumedWeather): TriedForecast['weather'] & object => ({
  share_percentage: Math.round(share * 100),
  likely_without: likelyDaysWithout,
});

const iso = (ms: number): string => new Date(ms).toISOString();
