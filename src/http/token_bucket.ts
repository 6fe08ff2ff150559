export interface TokenRate {
  perSecond: number;
  /** Capacity of the bucket. */
  burst: number;
}

/** A token bucket. It is full at first and refills continuously. */
export class TokenBucket {
  /** May be changed at any time, as when the limits of a key change. */
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

  /** Takes a token in any case and returns how long the caller must wait for it. */
  takeWithDelayMs(nowMs: number): number {
    this.#refill(nowMs);
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.rate.perSecond) * 1_000;
  }

  #refill(nowMs: number): void {
    const refill = ((nowMs - this.#refilledAtMs) / 1_000) * this.rate.perSecond;
    this.#tokens = Math.min(this.rate.burst, this.#tokens + Math.max(0, refill));
    this.#refilledAtMs = nowMs;
  }
}
