import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../values/time.ts';

/**
 * The delay before each attempt, counted from the previous attempt: ten attempts in 76 hours, or up to 91 with the
 * jitter.
 */
export const RETRY_DELAYS_MS = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  DAY_MS,
] as const;

const MAX_RETRY_AFTER_MS = DAY_MS;
/** Delays are up to 20 % longer, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;

/**
 * The delay before the next attempt, after `tries` attempts. Null after the last attempt. A Retry-After of the receiver
 * lengthens the delay to at most one day, plus the jitter. It never shortens the delay.
 */
export function retryDelayMs(
  tries: number,
  retryAfterMs: number | null,
  random: number = Math.random(),
): number | null {
  const delayMs = RETRY_DELAYS_MS[tries];
  if (delayMs === undefined) return null;
  const askedMs = Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  return Math.round(Math.max(delayMs, askedMs) * (1 + JITTER * random));
}
