import { addressGroup } from '../values/client_address.ts';
import { bucketOf, type TokenBucket, type TokenRate } from '../values/token_bucket.ts';

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
    return bucketOf(this.#buckets, addressGroup(address), this.#rate, nowMs).tryTake(nowMs);
  }

  /** Reverts the count of an attempt that succeeded. */
  takeBack(address: string): void {
    this.#buckets.get(addressGroup(address))?.giveBack();
  }

  retryAfterSeconds(address: string, nowMs: number = Date.now()): number {
    return Math.max(1, Math.ceil((this.#buckets.get(addressGroup(address))?.delayMs(nowMs) ?? 0) / 1_000));
  }
}
