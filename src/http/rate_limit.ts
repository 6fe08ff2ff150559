import type { Caller } from '../keys/key_verifier.ts';
import { TokenBucket } from '../network/token_bucket.ts';

export interface Allowance {
  isAllowed: boolean;
  /** Requests that are left now. */
  remaining: number;
  /** Time until the next request is allowed if this one is refused; else time until the bucket is full again. */
  resetSeconds: number;
}

const MAX_BUCKETS = 100_000;

/**
 * Limits the requests of each key with a token bucket. Each process counts for itself, so behind n processes a key has
 * up to n times its limit.
 */
export class RateLimiter {
  readonly #buckets = new Map<number, TokenBucket>();

  take(caller: Caller, nowMs: number = Date.now()): Allowance {
    const { requestsPerSecond, burst } = caller;
    const bucket = this.#bucketOf(caller, nowMs);
    const isAllowed = bucket.tryTake(nowMs);
    const missing = isAllowed ? burst - bucket.tokens : 1 - bucket.tokens;
    return {
      isAllowed,
      remaining: Math.floor(bucket.tokens),
      resetSeconds: Math.ceil(missing / requestsPerSecond),
    };
  }

  #bucketOf({ keyNo, requestsPerSecond, burst }: Caller, nowMs: number): TokenBucket {
    const rate = { perSecond: requestsPerSecond, burst };
    const existing = this.#buckets.get(keyNo);
    if (existing) {
      existing.rate = rate;
      return existing;
    }
    // Clearing all buckets gives each key one extra burst, once per 100,000 keys.
    if (this.#buckets.size >= MAX_BUCKETS) this.#buckets.clear();
    const bucket = new TokenBucket(rate, nowMs);
    this.#buckets.set(keyNo, bucket);
    return bucket;
  }
}

/** The header fields of the IETF draft on rate limits: the policy, and what this key has left. */
export function rateLimitHeaders(caller: Caller, allowance: Allowance): Record<string, string> {
  const windowSeconds = Math.ceil(caller.burst / caller.requestsPerSecond);
  return {
    'ratelimit-policy': `"key";q=${caller.burst};w=${windowSeconds}`,
    ratelimit: `"key";r=${allowance.remaining};t=${allowance.resetSeconds}`,
  };
}
