import { evaluate } from '../alerts/evaluate.ts';
import type { Db } from '../db/pool.ts';
import { type Forecast, forecast } from '../estimator/forecast.ts';
import { decodeState } from '../evaluation/state_codec.ts';
import { type LiveTank, liveTanks } from './live_tanks.ts';

/** What is to be expected of a tank. */
export interface TankForecast {
  tank: Pick<LiveTank, 'id' | 'name' | 'device' | 'settings'>;
  /** Null where nothing is known of it. */
  forecast: Forecast | null;
  /** Why there is no forecast, or none to rely on; null where there is one. */
  reason: 'never heard of' | 'not judged yet' | 'silent' | null;
}

/**
 * Tanks as their stored states foresee them, soonest at the threshold first, and at the end those of which nobody can
 * tell. `withinDays` leaves out who will likely take longer, but never those: not to know is not to be far off.
 */
export async function forecastTanks(
  db: Db,
  { organizationNo, tankNo, withinDays }: { organizationNo: number; tankNo: number | null; withinDays: number | null },
  nowMs: number,
): Promise<TankForecast[]> {
  const outlooks: TankForecast[] = [];
  for await (const tank of liveTanks(db, organizationNo, tankNo)) {
    const outlook = foresee(tank, nowMs);
    if (outlook.reason !== null || withinDays === null || likelyDays(outlook) <= withinDays) outlooks.push(outlook);
  }
  return outlooks.toSorted(compareOutlooks);
}

function foresee({ id, name, device, settings, latestAt, encodedState }: LiveTank, nowMs: number): TankForecast {
  const tank = { id, name, device, settings };
  if (encodedState === null)
    return { tank, forecast: null, reason: latestAt === null ? 'never heard of' : 'not judged yet' };
  // Silent by the clock of now, also while no writer runs that would have said so.
  const { state } = evaluate(settings, decodeState(encodedState), { kind: 'tick', atMs: nowMs });
  return { tank, forecast: forecast(settings, state, nowMs), reason: state.isSilent ? 'silent' : null };
}

const likelyDays = ({ forecast: expected }: TankForecast): number => expected?.daysToThreshold.likely ?? Infinity;

function compareOutlooks(a: TankForecast, b: TankForecast): number {
  const byReason = Number(a.reason !== null) - Number(b.reason !== null);
  if (byReason !== 0) return byReason;
  const [soonA, soonB] = [likelyDays(a), likelyDays(b)];
  if (soonA !== soonB) return soonA - soonB;
  // Of two as soon, such as two that are low already, the emptier first.
  return (a.forecast?.fillPercentage ?? Infinity) - (b.forecast?.fillPercentage ?? Infinity) || 0;
}
