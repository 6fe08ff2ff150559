import { DAY_MS } from '../../../values/time.ts';
import type { Forecast } from '../estimator/forecast.ts';
import { isGaugeReliable, type TankState } from './tank_state.ts';

/** How soon a tank needs a refill. The lists of the fleet, the refill list, the digest and the console sort by it. */
export interface Urgency {
  /** A tank that loses gas cannot wait: it comes before all others. */
  isLosing: boolean;
  /** When the tank reaches its threshold: -Infinity if it is low already, Infinity if there is no forecast. */
  dueAtMs: number;
  /** When the tank is likely empty; Infinity if there is no forecast. */
  emptyAtMs: number;
}

/** The urgency of a tank without a forecast. */
export const NOT_URGENT: Urgency = { isLosing: false, dueAtMs: Infinity, emptyAtMs: Infinity };

/**
 * The urgency of a tank, from its forecast at a time. The level of a tank is not known while its device is silent or
 * its gauge unreliable: it may be low already, so the earliest time counts. A low reading that waits for confirmation
 * counts from its time on.
 */
export function urgencyOf(
  state: TankState,
  expected: Forecast | null,
  asOfMs: number,
  { isLosing }: { isLosing: boolean } = { isLosing: false },
): Urgency {
  // Without a forecast, a tank that was low is still the most urgent.
  if (expected === null) return { ...NOT_URGENT, isLosing, ...(state.isLow ? { dueAtMs: -Infinity } : {}) };
  const { daysToThreshold, daysToEmpty } = expected;
  const timeIn = (days: number | null): number => (days === null ? Infinity : asOfMs + days * DAY_MS);
  const isLevelKnown = !state.isSilent && isGaugeReliable(state);
  const dueAtMs = timeIn(isLevelKnown ? daysToThreshold.likely : daysToThreshold.earliest);
  return {
    isLosing,
    dueAtMs: state.isLow ? -Infinity : (state.firstLow?.atMs ?? dueAtMs),
    emptyAtMs: timeIn(daysToEmpty.likely),
  };
}

/**
 * Sorts losing tanks first, then low tanks, both by the time when they are empty, then the others by the time when they
 * reach the threshold.
 */
export function compareUrgency(a: Urgency, b: Urgency): number {
  if (a.isLosing !== b.isLosing) return a.isLosing ? -1 : 1;
  const byEmpty = compareNumbers(a.emptyAtMs, b.emptyAtMs);
  return a.isLosing ? byEmpty : compareNumbers(a.dueAtMs, b.dueAtMs) || byEmpty;
}

/** Infinity minus Infinity is not a number. */
const compareNumbers = (a: number, b: number): number => (a === b ? 0 : a - b);
