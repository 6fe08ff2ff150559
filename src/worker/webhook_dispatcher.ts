import type { Pool } from 'pg';
import type { BaseLogger } from 'pino';
import { Outage } from '../health/outage.ts';
import { claimDeliveries, type Delivery, type DeliveryCapacity, deliver } from '../webhooks/deliveries.ts';
import type { WebhookSender } from '../webhooks/sender.ts';

/** Deliveries to one endpoint at a time: to one that took the last, and to one that did not or was never asked. */
const MAX_TO_GOOD = 8;
const MAX_TO_OTHERS = 1;
/** What becomes due by the clock is found this soon. */
const LOOK_MS = 500;

export interface WebhookDispatcherOptions {
  pool: Pool;
  sender: WebhookSender;
  mails: boolean;
  /** Deliveries under way at once. */
  concurrency: number;
  logger: BaseLogger;
}

/**
 * Begins deliveries as they become due, few to each endpoint, so that one that hangs makes nobody else wait. Endpoints
 * that are not known to answer have at most three quarters of all that may be under way: the rest is always there for
 * those that do.
 */
export class WebhookDispatcher {
  readonly #options: WebhookDispatcherOptions;
  readonly #underWay = new Map<number, number>();
  /** Endpoints that took what they were sent last. */
  readonly #good = new Set<number>();
  readonly #attempts = new Set<Promise<void>>();
  readonly #outage: Outage;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | null = null;
  #isAskedAgain = false;
  #isClosed = false;

  constructor(options: WebhookDispatcherOptions) {
    this.#options = options;
    this.#outage = new Outage(options.logger, 'looking for due webhooks');
  }

  start(): void {
    this.look();
    this.#timer = setInterval(() => this.look(), LOOK_MS);
  }

  /** Begins what is due and there is room for. Asked while it looks, it looks once more. */
  look(): void {
    this.#isAskedAgain = true;
    this.#looking ??= this.#lookWhileAsked().finally(() => {
      this.#looking = null;
    });
  }

  /** Begins nothing more and waits for what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#looking;
    await Promise.all(this.#attempts);
  }

  async #lookWhileAsked(): Promise<void> {
    while (this.#isAskedAgain && !this.#isClosed) {
      this.#isAskedAgain = false;
      try {
        const room = this.#room();
        const claimed = await claimDeliveries(this.#options.pool, room);
        this.#outage.worked();
        for (const delivery of claimed) this.#begin(delivery);
        if (claimed.length > 0 && claimed.length === room.inAll) this.#isAskedAgain = true;
      } catch (error) {
        this.#outage.failed(error);
      }
    }
  }

  #room(): DeliveryCapacity {
    const { concurrency } = this.#options;
    const counts = [...this.#underWay];
    const slow = counts.filter(([endpointNo]) => !this.#good.has(endpointNo)).length;
    const roomForOthers = slow < (concurrency * 3) / 4 ? MAX_TO_OTHERS : 0;
    const ofEndpoint = new Map<number, number>();
    for (const endpointNo of this.#good) ofEndpoint.set(endpointNo, MAX_TO_GOOD);
    for (const [endpointNo, underWay] of counts) {
      ofEndpoint.set(endpointNo, Math.max((ofEndpoint.get(endpointNo) ?? roomForOthers) - underWay, 0));
    }
    // A quarter at a time, or endpoints never heard of before could take every place at one stroke.
    const inAll = Math.min(concurrency - this.#attempts.size, Math.ceil(concurrency / 4));
    return { ofEndpoint, ofOthers: roomForOthers, inAll: Math.max(inAll, 0) };
  }

  #begin(delivery: Delivery): void {
    const { endpoint_no: endpointNo } = delivery;
    this.#underWay.set(endpointNo, (this.#underWay.get(endpointNo) ?? 0) + 1);
    const attempt = this.#attempt(delivery).finally(() => {
      this.#attempts.delete(attempt);
      const left = (this.#underWay.get(endpointNo) ?? 1) - 1;
      if (left > 0) this.#underWay.set(endpointNo, left);
      else this.#underWay.delete(endpointNo);
      this.look();
    });
    this.#attempts.add(attempt);
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { pool, sender, mails, logger } = this.#options;
    try {
      const outcome = await deliver(pool, sender, delivery, { mails });
      if (outcome === 'delivered') this.#good.add(delivery.endpoint_no);
      else if (outcome !== 'canceled') this.#good.delete(delivery.endpoint_no);
    } catch (error) {
      // Nothing is lost: it is due again when its lease is over.
      logger.error({ err: error, event: delivery.event_id }, 'what became of a webhook could not be recorded');
    }
  }
}
