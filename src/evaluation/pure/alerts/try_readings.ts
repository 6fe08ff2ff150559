import { DAY_MS } from '../../../values/time.ts';
import { type Forecast, forecast } from '../estimator/forecast.ts';
import { type LevelReading } from '../estimator/level_filter.ts';
import { evaluate } from './evaluate.ts';
import type { TankEvent } from './tank_event.ts';
import { type AlertSettings, INITIAL_STATE, type TankState } from './tank_state.ts';

/** An event or a forecast, as it would have been at its time. */
export type TriedLine = TriedEvent | TriedForecast;

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
