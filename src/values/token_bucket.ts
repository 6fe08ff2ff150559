export interface TokenRate {
  perSecond: number;
  /** The capacity of the bucket. */
  burst: number;
}

const MAX_BUCKETS = 100_000;

/** The bucket with this key. A new bucket is full. */
export function bucketOf<Key>(buckets: Map<Key, TokenBucket>, key: Key, rate: TokenRate, nowMs: number): TokenBucket {
  const existing = buckets.get(key);
  if (existing) return existing;
  // Clearing all buckets gives each key one extra burst, once per 100,000 keys.
  if (buckets.size >= MAX_BUCKETS) buckets.clear();
  const bucket = new TokenBucket(rate, nowMs);
  buckets.set(key, bucket);
  return bucket;
}

/** A token bucket. It is full at first and refills continuously. */
export class TokenBucket {
  /** The rate may be changed at any time, for example when the limits of a key change. */
  rate: TokenRate;
  #tokens: number;
  #refilledAtMs: number;

  constructor(rate: TokenRate, nowMs: number) {
    this.rate = rate;
    this.#tokens = rate.burst;
    this.#refilledAtMs = nowMs;
  }

  /** The tokens that were left after the last call; negative if later callers must wait for them. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Takes a token if there is one. */
  tryTake(nowMs: number): boolean {
    this.#refill(nowMs);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes tokens even if there are too few, and returns the time that the caller must wait for them. */
  takeWithDelayMs(nowMs: number, count = 1): number {
    this.#refill(nowMs);
    this.#tokens -= count;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.rate.perSecond) * 1_000;
  }

  /** Returns the time until there is a token. */
  delayMs(nowMs: number): number {
    this.#refill(nowMs);
    return this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / this.rate.perSecond) * 1_000;
  }

  /** Returns a token that was not needed. */
  giveBack(): void {
    this.#tokens = Math.min(this.rate.burst, this.#tokens + 1);
  }

  #refill(nowMs: number): void {
    const refill = ((nowMs - this.#refilledAtMs) / 1_000) * this.rate.perSecond;
    this.#tokens = Math.min(this.rate.burst, this.#tokens + Math.max(0, refill));
    this.#refilledAtMs = nowMs;
  }
}
