import type { Caller } from '../keys/key_verifier.ts';
import { bucketOf, type TokenBucket } from '../values/token_bucket.ts';

export interface Allowance {
  isAllowed: boolean;
  /**
   * The limit that `remaining` and `resetSeconds` describe. It is `organization` only if the limit of the organization
   * refuses the request.
   */
  of: 'key' | 'organization';
  /** The number of requests that are left now. */
  remaining: number;
  /** The time until the next request is allowed if this one is refused, otherwise until the bucket is full again. */
  resetSeconds: number;
}

/**
 * The limit of an organization is this multiple of the limit of its fastest key or session. It is needed because people
 * can add sessions, while only operators add keys.
 */
const KEYS_AT_ONCE = 10;

/**
 * Limits the requests of each key, and of each organization, with a token bucket. Each process counts separately, so
 * with n processes a key has up to n times its limit.
 */
export class RateLimiter {
  readonly #keyBuckets = new Map<number, TokenBucket>();
  readonly #organizationBuckets = new Map<number, TokenBucket>();

  take(caller: Caller, nowMs: number = Date.now()): Allowance {
    const { organizationNo, keyNo, requestsPerSecond, burst } = caller;
    const keyBucket = bucketOf(this.#keyBuckets, keyNo, { perSecond: requestsPerSecond, burst }, nowMs);
    keyBucket.rate = { perSecond: requestsPerSecond, burst };
    const rate = { perSecond: KEYS_AT_ONCE * requestsPerSecond, burst: KEYS_AT_ONCE * burst };
    const organizationBucket = bucketOf(this.#organizationBuckets, organizationNo, rate, nowMs);
    if (rate.perSecond > organizationBucket.rate.perSecond) organizationBucket.rate = rate;
    const hasKeyToken = keyBucket.tryTake(nowMs);
    const isAllowed = hasKeyToken && organizationBucket.tryTake(nowMs);
    if (hasKeyToken && !isAllowed) {
      keyBucket.giveBack();
      const resetSeconds = Math.ceil(organizationBucket.delayMs(nowMs) / 1_000);
      return { isAllowed, of: 'organization', remaining: 0, resetSeconds };
    }
    const missing = isAllowed ? burst - keyBucket.tokens : 1 - keyBucket.tokens;
    return {
      isAllowed,
      of: 'key',
      remaining: Math.floor(keyBucket.tokens),
      resetSeconds: Math.ceil(missing / requestsPerSecond),
    };
  }
}

/**
 * The header fields of the IETF draft on rate limits: the policy of the key, and what is left of its limit, or of that of
 * the organization.
 */
export function rateLimitHeaders(caller: Caller, allowance: Allowance): Record<string, string> {
  const windowSeconds = Math.ceil(caller.burst / caller.requestsPerSecond);
  return {
    'ratelimit-policy': `"key";q=${caller.burst};w=${windowSeconds}`,
    ratelimit: `"${allowance.of}";r=${allowance.remaining};t=${allowance.resetSeconds}`,
  };
}
