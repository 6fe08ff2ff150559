import { DAY_MS } from '../../../values/time.ts';
import { type Forecast, forecast } from '../estimator/forecast.ts';
import { type LevelReading } from '../estimator/level_filter.ts';
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
  /** Only there if it is false. */
  gauge_reliable?: false;
}

/** Evaluates the readings of one tank, which come in the order of time, and yields what Tankwatch would have reported. */
export function* tryReadings(
  settings: AlertSettings,
  readings: readonly LevelReading[],
  withForecasts: boolean,
): Generator<TriedLine> {
  let state: TankState = INITIAL_STATE;
  let day = Number.NEGATIVE_INFINITY;
  for (const { atMs, fillPercentage } of readings) {
    const evaluated = evaluate(settings, state, { kind: 'reading', atMs, fillPercentage });
    state = evaluated.state;
    for (const event of evaluated.events) yield asLine(event);
    for (const { type, atMs: eventMs, reason } of evaluated.withdrawn) {
      yield { at: iso(atMs), type: 'event.retracted', event: { type, at: iso(eventMs) }, reason };
    }
    if (!withForecasts || Math.floor(atMs / DAY_MS) === day) continue;
    day = Math.floor(atMs / DAY_MS);
    const expected = forecast(settings, state, atMs);
    if (expected !== null) yield forecastLine(expected, atMs);
  }
}

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
});

const iso = (ms: number): string => new Date(ms).toISOString();
