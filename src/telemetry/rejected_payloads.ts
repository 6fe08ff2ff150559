import type { StatusLogger } from '../health/outage.ts';
import { DailyAllowance } from './daily_allowance.ts';
import type { RejectedPayload } from './reading.ts';

/** The way in which readings arrive. */
export type ReadingSource = 'http' | 'mqtt' | 'connector';

/** The size of a row in the database without the payload. */
const ROW_BYTES = 370;

/**
 * Limits the bytes of rejected readings that are stored per sender and day. A sender at its quota could otherwise fill 170 GB a day.
 * Beyond the limit, rejected readings are still reported to the sender and counted, but not stored.
 */
export class RejectedPayloads {
  readonly #allowance: DailyAllowance;
  readonly #onNotStored: (source: ReadingSource) => void;
  readonly #logger: Pick<StatusLogger, 'warn'>;

  constructor(bytesPerDay: number, onNotStored: (source: ReadingSource) => void, logger: Pick<StatusLogger, 'warn'>) {
    this.#allowance = new DailyAllowance(bytesPerDay);
    this.#onNotStored = onNotStored;
    this.#logger = logger;
  }

  /** Returns the rejections to store. The sender is a key, or all devices or all connectors of an organization. */
  toStore<T extends RejectedPayload>(source: ReadingSource, sender: number, rejections: readonly T[]): T[] {
    return rejections.filter(({ raw }) => {
      const { isAllowed, isFirst } = this.#allowance.take(`${source} ${sender}`, raw.length + ROW_BYTES, Date.now());
      if (isFirst)
        this.#logger.warn({ source, sender }, 'a sender has too many rejected readings: no more are stored today');
      if (!isAllowed) this.#onNotStored(source);
      return isAllowed;
    });
  }
}
