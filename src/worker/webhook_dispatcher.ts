import type { Pool } from 'pg';
import type { BaseLogger } from 'pino';
import { Outage } from '../health/outage.ts';
import {
  attemptWebhookDelivery,
  claimWebhookDeliveries,
  isWebhookDeliveryDue,
  type WebhookCapacity,
  type WebhookDelivery,
} from '../webhooks/deliveries.ts';
import type { WebhookSender } from '../webhooks/sender.ts';
import { ClaimLoop } from './claim_loop.ts';
import type { WorkerMetrics } from './metrics.ts';

/** Parallel deliveries to an endpoint whose last delivery did not succeed. */
const MAX_PER_OTHER_ENDPOINT = 1;

export interface WebhookDispatcherOptions {
  pool: Pool;
  sender: WebhookSender;
  mails: boolean;
  /** The keys that decrypt the secrets of endpoints. */
  secretsKeys: readonly string[];
  /** Maximum number of parallel deliveries. */
  concurrency: number;
  /** Maximum number of parallel deliveries to one endpoint whose last delivery succeeded. */
  endpointConcurrency: number;
  logger: BaseLogger;
  metrics: Pick<WorkerMetrics, 'deliveries' | 'deliverySeconds'>;
}

/**
 * Starts due deliveries when due_watch.ts finds some, and when an attempt has ended. The number of parallel deliveries to one
 * endpoint is limited, so that an endpoint that hangs does not delay others. Endpoints that are not known to be healthy use at
 * most 75 % of the concurrency. The rest is reserved for healthy endpoints.
 */
export class WebhookDispatcher {
  readonly #options: WebhookDispatcherOptions;
  /** The number of running attempts by endpoint number. */
  readonly #running = new Map<number, number>();
  /** The endpoints whose last delivery succeeded. */
  readonly #healthy = new Set<number>();
  readonly #attempts = new Set<Promise<void>>();
  readonly #loop: ClaimLoop;

  constructor(options: WebhookDispatcherOptions) {
    this.#options = options;
    this.#loop = new ClaimLoop(() => this.#claim(), new Outage(options.logger, 'reading due webhooks'));
  }

  start(): void {
    this.#loop.start();
  }

  /** Starts due deliveries up to the capacity. A call during a running query causes one more query. */
  startDueDeliveries(): void {
    this.#loop.wake();
  }

  /** Starts no more deliveries and waits for the running ones. It can be started again. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#attempts);
  }

  async #claim(): Promise<boolean> {
    const { pool } = this.#options;
    const capacity = this.#capacity();
    // The cheap check comes first, because the claim sends the capacity of all healthy endpoints to the database.
    const claimed = (await isWebhookDeliveryDue(pool)) ? await claimWebhookDeliveries(pool, capacity) : [];
    for (const delivery of claimed) this.#start(delivery);
    return claimed.length > 0 && claimed.length === capacity.total;
  }

  #capacity(): WebhookCapacity {
    const { concurrency, endpointConcurrency } = this.#options;
    const running = [...this.#running];
    const unhealthy = running.filter(([endpointNo]) => !this.#healthy.has(endpointNo)).length;
    const perOtherEndpoint = unhealthy < (concurrency * 3) / 4 ? MAX_PER_OTHER_ENDPOINT : 0;
    const byEndpoint = new Map<number, number>();
    for (const endpointNo of this.#healthy) byEndpoint.set(endpointNo, endpointConcurrency);
    for (const [endpointNo, count] of running) {
      byEndpoint.set(endpointNo, Math.max((byEndpoint.get(endpointNo) ?? perOtherEndpoint) - count, 0));
    }
    // At most 25 % of the concurrency per query. Otherwise one query could fill it with unknown endpoints.
    const total = Math.min(concurrency - this.#attempts.size, Math.ceil(concurrency / 4));
    return { byEndpoint, perOtherEndpoint, total: Math.max(total, 0) };
  }

  #start(delivery: WebhookDelivery): void {
    const { endpoint_no: endpointNo } = delivery;
    this.#running.set(endpointNo, (this.#running.get(endpointNo) ?? 0) + 1);
    const attempt = this.#attempt(delivery).finally(() => {
      this.#attempts.delete(attempt);
      const left = (this.#running.get(endpointNo) ?? 1) - 1;
      if (left > 0) this.#running.set(endpointNo, left);
      else this.#running.delete(endpointNo);
      this.startDueDeliveries();
    });
    this.#attempts.add(attempt);
  }

  async #attempt(delivery: WebhookDelivery): Promise<void> {
    const { pool, sender, mails, secretsKeys, logger, metrics } = this.#options;
    const observe = metrics.deliverySeconds.startTimer();
    try {
      const outcome = await attemptWebhookDelivery(pool, sender, delivery, { mails, secretsKeys });
      observe();
      metrics.deliveries.inc({ outcome });
      if (outcome === 'delivered') this.#healthy.add(delivery.endpoint_no);
      else if (outcome !== 'canceled') this.#healthy.delete(delivery.endpoint_no);
    } catch (error) {
      metrics.deliveries.inc({ outcome: 'error' });
      logger.error(
        { err: error, event: delivery.event_id },
        'the result of a webhook attempt could not be recorded; it is sent again when its lease expires',
      );
    }
  }
}
