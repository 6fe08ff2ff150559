import type { Caller } from '../keys/key_verifier.ts';

export interface Allowance {
  isAllowed: boolean;
  /** Requests left right now. */
  remaining: number;
  /** Until the next request is allowed (refused), or until the full burst is there again (allowed). */
  resetSeconds: number;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

const MAX_BUCKETS = 100_000;

/**
 * A token bucket per key: so many requests at once, refilled at so many a second. Each process counts for itself, so
 * behind n processes a key has n times its limit at most.
 */
export class RateLimiter {
  readonly #buckets = new Map<number, Bucket>();

  take(caller: Caller, nowMs: number = Date.now()): Allowance {
    const { requestsPerSecond, burst } = caller;
    const bucket = this.#bucketOf(caller, nowMs);
    const refill = ((nowMs - bucket.filledAtMs) / 1_000) * requestsPerSecond;
    bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, refill));
    bucket.filledAtMs = nowMs;

    const isAllowed = bucket.tokens >= 1;
    if (isAllowed) bucket.tokens -= 1;
    const missing = isAllowed ? burst - bucket.tokens : 1 - bucket.tokens;
    return {
      isAllowed,
      remaining: Math.floor(bucket.tokens),
      resetSeconds: Math.ceil(missing / requestsPerSecond),
    };
  }

  #bucketOf(caller: Caller, nowMs: number): Bucket {
    const known = this.#buckets.get(caller.keyNo);
    if (known) return known;
    // Forgetting everybody gives each key one burst too many, once in a hundred thousand keys.
    if (this.#buckets.size >= MAX_BUCKETS) this.#buckets.clear();
    const fresh = { tokens: caller.burst, filledAtMs: nowMs };
    this.#buckets.set(caller.keyNo, fresh);
    return fresh;
  }
}

/** The header fields of the IETF draft on rate limits: the policy, and where this key stands. */
export function rateLimitHeaders(caller: Caller, allowance: Allowance): Record<string, string> {
  const windowSeconds = Math.ceil(caller.burst / caller.requestsPerSecond);
  return {
    'ratelimit-policy': `"key";q=${caller.burst};w=${windowSeconds}`,
    ratelimit: `"key";r=${allowance.remaining};t=${allowance.resetSeconds}`,
  };
}
