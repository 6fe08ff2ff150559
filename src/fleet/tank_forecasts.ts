import { evaluate } from '../alerts/evaluate.ts';
import type { Db } from '../db/pool.ts';
import { type Forecast, forecast } from '../estimator/forecast.ts';
import { decodeState } from '../evaluation/state_codec.ts';
import { type LiveTank, liveTanks } from './live_tanks.ts';

export interface TankForecast {
  tank: Pick<LiveTank, 'id' | 'name' | 'device' | 'settings'>;
  /** Null if the tank has not been evaluated yet. */
  forecast: Forecast | null;
  /** Why there is no reliable forecast; null if there is one. */
  reason: 'no reading yet' | 'not evaluated yet' | 'silent' | null;
}

/**
 * Forecasts tanks from their stored states. The tank that reaches its threshold first comes first. Tanks without a
 * reliable forecast come last; `withinDays` never excludes them, because they may be near their thresholds.
 */
export async function forecastTanks(
  db: Db,
  { organizationNo, tankNo, withinDays }: { organizationNo: number; tankNo: number | null; withinDays: number | null },
  nowMs: number,
): Promise<TankForecast[]> {
  const forecasts: TankForecast[] = [];
  for await (const tank of liveTanks(db, organizationNo, tankNo)) {
    const tankForecast = forecastTank(tank, nowMs);
    const isWithin = withinDays === null || likelyDays(tankForecast) <= withinDays;
    if (isWithin || tankForecast.reason !== null) forecasts.push(tankForecast);
  }
  return forecasts.toSorted(compareForecasts);
}

function forecastTank({ id, name, device, settings, latestAt, encodedState }: LiveTank, nowMs: number): TankForecast {
  const tank = { id, name, device, settings };
  if (encodedState === null)
    return { tank, forecast: null, reason: latestAt === null ? 'no reading yet' : 'not evaluated yet' };
  // A tick of now shows whether the device is silent, also if no writer has evaluated the timer yet.
  const { state } = evaluate(settings, decodeState(encodedState), { kind: 'tick', atMs: nowMs });
  return { tank, forecast: forecast(settings, state, nowMs), reason: state.isSilent ? 'silent' : null };
}

const likelyDays = (tank: TankForecast): number => tank.forecast?.daysToThreshold.likely ?? Infinity;

function compareForecasts(a: TankForecast, b: TankForecast): number {
  const byReason = Number(a.reason !== null) - Number(b.reason !== null);
  if (byReason !== 0) return byReason;
  const [daysA, daysB] = [likelyDays(a), likelyDays(b)];
  if (daysA !== daysB) return daysA - daysB;
  // Equal days, as of two tanks that are low already: the emptier one first.
  return (a.forecast?.fillPercentage ?? Infinity) - (b.forecast?.fillPercentage ?? Infinity) || 0;
}
