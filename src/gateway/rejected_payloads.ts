import type { FastifyBaseLogger } from 'fastify';
import { DailyAllowance } from '../telemetry/daily_allowance.ts';
import type { RejectedPayload } from '../telemetry/reading.ts';
import type { GatewayMetrics } from './metrics.ts';

/** The size of a row in the database without the payload. */
const ROW_BYTES = 370;

/**
 * Limits how many bytes of rejected readings are stored for each sender and day. A sender at its quota could otherwise fill 170 GB
 * a day. Beyond the limit, readings are still rejected, answered and counted, but not stored.
 */
export class RejectedPayloads {
  readonly #allowance: DailyAllowance;
  readonly #metrics: GatewayMetrics;
  readonly #logger: FastifyBaseLogger;

  constructor(bytesPerDay: number, metrics: GatewayMetrics, logger: FastifyBaseLogger) {
    this.#allowance = new DailyAllowance(bytesPerDay);
    this.#metrics = metrics;
    this.#logger = logger;
  }

  /** Returns the rejections to store. The sender is a key, or all devices of an organization. */
  toStore<T extends RejectedPayload>(source: 'http' | 'mqtt', sender: number, rejections: readonly T[]): T[] {
    return rejections.filter(({ raw }) => {
      const { isAllowed, isFirst } = this.#allowance.take(`${source} ${sender}`, raw.length + ROW_BYTES, Date.now());
      if (isFirst)
        this.#logger.warn({ source, sender }, 'a sender has too many rejected readings: no more are stored today');
      if (!isAllowed) this.#metrics.rejectedNotStored.inc({ source });
      return isAllowed;
    });
  }
}
