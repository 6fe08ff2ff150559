import { addressGroup } from '../values/client_address.ts';
import { TokenBucket, type TokenRate } from '../values/token_bucket.ts';

const MAX_ADDRESSES = 100_000;

/**
 * Limits failed logins, or requests for mails, with one token bucket per address. An address gets its bucket with its
 * first failure or request.
 */
export class AddressLimit {
  readonly #rate: TokenRate;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(rate: TokenRate) {
    this.#rate = rate;
  }

  /** False if the address is above its limit. */
  isAllowed(address: string, nowMs: number = Date.now()): boolean {
    const bucket = this.#buckets.get(addressGroup(address));
    return bucket === undefined || bucket.delayMs(nowMs) === 0;
  }

  /** Counts a failure, a request, or an attempt that may fail. False if the address was already above its limit. */
  count(address: string, nowMs: number = Date.now()): boolean {
    return this.#bucketOf(address, nowMs).tryTake(nowMs);
  }

  /** Reverts the count of an attempt that succeeded. */
  takeBack(address: string): void {
    this.#buckets.get(addressGroup(address))?.giveBack();
  }

  retryAfterSeconds(address: string, nowMs: number = Date.now()): number {
    return Math.max(1, Math.ceil((this.#buckets.get(addressGroup(address))?.delayMs(nowMs) ?? 0) / 1_000));
  }

  #bucketOf(address: string, nowMs: number): TokenBucket {
    const group = addressGroup(address);
    const existing = this.#buckets.get(group);
    if (existing) return existing;
    // Clearing all buckets gives each address one extra burst, once per 100,000 addresses.
    if (this.#buckets.size >= MAX_ADDRESSES) this.#buckets.clear();
    const bucket = new TokenBucket(this.#rate, nowMs);
    this.#buckets.set(group, bucket);
    return bucket;
  }
}
