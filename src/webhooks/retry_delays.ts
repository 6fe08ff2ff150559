import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../values/time.ts';

/** How long after the attempt before it each attempt is made: ten of them over three days. */
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
/** Up to a fifth later, so that what failed together does not come back together. */
const JITTER = 0.2;

/**
 * How long to wait after so many attempts; null where there were enough. A receiver that names a later time is given it,
 * up to a day; an earlier one changes nothing.
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

/** An endpoint that took nothing for so long is disabled. */
export const MAX_FAILING_MS = 5 * DAY_MS;
