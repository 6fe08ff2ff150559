import { DAY_MS } from '../../../values/time.ts';
import type { Forecast } from '../estimator/forecast.ts';
import { isGaugeReliable, type TankState } from './tank_state.ts';

/** How soon a tank needs a refill. The lists of the fleet, the refill list, the digest and the console sort by it. */
export interface Urgency {
  /** When the tank reaches its threshold: -Infinity if it is low already, Infinity if no time can be foreseen. */
  dueAtMs: number;
  /** When the tank is likely empty; Infinity if no time can be foreseen. */
  emptyAtMs: number;
}

/** The urgency of a tank without a forecast. */
export const NOT_URGENT: Urgency = { dueAtMs: Infinity, emptyAtMs: Infinity };

/**
 * The urgency of a tank by the forecast as of a time. The level of a tank is not known while its device is silent or its
 * gauge unreliable: it may be low already, so the earliest time counts. A low reading that waits for confirmation counts
 * from its time on.
 */
export function urgencyOf(state: TankState, expected: Forecast | null, asOfMs: number): Urgency {
  // Without a forecast, a tank that was low is still the first to look at.
  if (expected === null) return state.isLow ? { ...NOT_URGENT, dueAtMs: -Infinity } : NOT_URGENT;
  const { daysToThreshold, daysToEmpty } = expected;
  const timeIn = (days: number | null): number => (days === null ? Infinity : asOfMs + days * DAY_MS);
  const isLevelKnown = !state.isSilent && isGaugeReliable(state);
  const dueAtMs = timeIn(isLevelKnown ? daysToThreshold.likely : daysToThreshold.earliest);
  return {
    dueAtMs: state.isLow ? -Infinity : (state.firstLow?.atMs ?? dueAtMs),
    emptyAtMs: timeIn(daysToEmpty.likely),
  };
}

/** The most urgent tank first; of low tanks, the first that is empty. */
export const compareUrgency = (a: Urgency, b: Urgency): number =>
  compareNumbers(a.dueAtMs, b.dueAtMs) || compareNumbers(a.emptyAtMs, b.emptyAtMs);

/** Infinity minus Infinity is not a number. */
const compareNumbers = (a: number, b: number): number => (a === b ? 0 : a - b);
