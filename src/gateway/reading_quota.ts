import { PollingLoop } from '../db/polling_loop.ts';
import type { Readers, Statement } from '../db/readers.ts';
import type { Outage } from '../health/outage.ts';
import { TokenBucket, type TokenRate } from '../values/token_bucket.ts';

export interface ReadingQuotaOptions {
  devicePublishesPerSecond: number;
  deviceReadingsPerSecond: number;
  organizationReadingsPerSecond: number;
}

/** The size by which a payload is charged. */
export interface PayloadSize {
  readings: number;
  bytes: number;
}

const QUOTAS: Statement = {
  name: 'organization_quotas',
  text: 'select no, readings_per_second from organizations where readings_per_second is not null',
};

/** The burst: a sender may use the quota of this time at once. */
const BURST_SECONDS = 10;
/**
 * The burst of a device, which may have been offline. With the default of 100 readings a second, 10,000 kept readings are
 * not delayed: more than a year of hourly ones.
 */
const DEVICE_READINGS_BURST_SECONDS = 100;
const TYPICAL_BYTES_PER_READING = 100;
/** Payloads with more bytes per reading are charged by their bytes. */
const MAX_BYTES_PER_READING = 1_024;
const MAX_DEVICES = 200_000;

/**
 * Charges readings to devices and organizations. All organizations share one stream and its writers, which store some
 * 15,000 readings a second; without a quota one organization could use all of it. Each gateway counts for itself.
 */
export class ReadingQuota {
  readonly #options: ReadingQuotaOptions;
  readonly #organizations = new Map<number, TokenBucket>();
  readonly #devices = new Map<string, { publishes: TokenBucket; readings: TokenBucket }>();
  readonly #loop: PollingLoop;
  /** The organizations that have a quota of their own. */
  #ownQuotas = new Map<number, number>();

  constructor(readers: Readers, options: ReadingQuotaOptions, outage: Outage) {
    this.#options = options;
    this.#loop = new PollingLoop(async () => {
      const rows = await readers.query<{ no: number; readings_per_second: number }>(QUOTAS, []);
      this.#ownQuotas = new Map(rows.map((row) => [row.no, row.readings_per_second]));
    }, outage);
  }

  async start(): Promise<void> {
    await this.#loop.start();
  }

  close(): void {
    this.#loop.close();
  }

  perSecond(organizationNo: number): number {
    return this.#ownQuotas.get(organizationNo) ?? this.#options.organizationReadingsPerSecond;
  }

  /** The time that the organization must wait before its next payload is accepted. */
  organizationDelayMs(organizationNo: number, nowMs: number): number {
    return this.#organization(organizationNo, nowMs).delayMs(nowMs);
  }

  /** Charges a payload, even beyond the quota, and returns the time that the sender must wait. */
  chargeOrganization(organizationNo: number, size: PayloadSize, nowMs: number): number {
    return this.#organization(organizationNo, nowMs).takeWithDelayMs(nowMs, costOf(size));
  }

  /** Charges a body that is not parsed yet, by its size, and returns the charge. */
  chargeEstimate(organizationNo: number, bytes: number, nowMs: number): number {
    const cost = Math.ceil(bytes / TYPICAL_BYTES_PER_READING);
    this.#organization(organizationNo, nowMs).takeWithDelayMs(nowMs, cost);
    return cost;
  }

  correctEstimate(organizationNo: number, estimate: number, size: PayloadSize, nowMs: number): void {
    this.#organization(organizationNo, nowMs).takeWithDelayMs(nowMs, costOf(size) - estimate);
  }

  deviceDelayMs(userName: string, nowMs: number): number {
    return this.#device(userName, nowMs).readings.delayMs(nowMs);
  }

  /** Charges a payload to its device, even beyond the quota, and returns the time that the device must wait. */
  chargeDevice(userName: string, size: PayloadSize, nowMs: number): number {
    const { publishes, readings } = this.#device(userName, nowMs);
    return Math.max(publishes.takeWithDelayMs(nowMs), readings.takeWithDelayMs(nowMs, costOf(size)));
  }

  #organization(organizationNo: number, nowMs: number): TokenBucket {
    const rate = rateOf(this.perSecond(organizationNo), BURST_SECONDS);
    const existing = this.#organizations.get(organizationNo);
    if (existing) {
      existing.rate = rate;
      return existing;
    }
    const bucket = new TokenBucket(rate, nowMs);
    this.#organizations.set(organizationNo, bucket);
    return bucket;
  }

  /** The buckets of a device, by user name and not by connection, so that reconnecting does not refill them. */
  #device(userName: string, nowMs: number): { publishes: TokenBucket; readings: TokenBucket } {
    const existing = this.#devices.get(userName);
    if (existing) return existing;
    // Clearing all buckets gives each device one extra burst, once per 200,000 devices.
    if (this.#devices.size >= MAX_DEVICES) this.#devices.clear();
    const { devicePublishesPerSecond, deviceReadingsPerSecond } = this.#options;
    const buckets = {
      publishes: new TokenBucket(rateOf(devicePublishesPerSecond, BURST_SECONDS), nowMs),
      readings: new TokenBucket(rateOf(deviceReadingsPerSecond, DEVICE_READINGS_BURST_SECONDS), nowMs),
    };
    this.#devices.set(userName, buckets);
    return buckets;
  }
}

const rateOf = (perSecond: number, burstSeconds: number): TokenRate => ({
  perSecond,
  burst: perSecond * burstSeconds,
});

const costOf = ({ readings, bytes }: PayloadSize): number =>
  Math.max(readings, Math.ceil(bytes / MAX_BYTES_PER_READING), 1);
