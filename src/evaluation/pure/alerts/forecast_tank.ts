import { forecastEstimated } from '../dips/dip_state.ts';
import { type Forecast, type ForecastWeather, forecast } from '../estimator/forecast.ts';
import type { TankState } from './tank_state.ts';

/**
 * Forecasts when the tank reaches its threshold and when it is empty, from its readings, or from dips if it has no
 * sensor.
 */
export const forecastTank = (
  settings: { minFillAlertPercentage: number },
  state: TankState,
  nowMs: number,
  weather: ForecastWeather | null,
): Forecast | null =>
  state.dips === null ? forecast(settings, state, nowMs, weather) : forecastEstimated(settings, state.dips, nowMs);
