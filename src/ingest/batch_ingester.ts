import type { Pool } from 'pg';
import { isDataRefused } from '../db/permanent_failures.ts';
import { type Tx, transaction } from '../db/pool.ts';
import { storeHealth } from '../gauges/health/store_health.ts';
import { DailyAllowance } from '../telemetry/daily_allowance.ts';
import type { RejectionCode, TankReading } from '../telemetry/reading.ts';
import type { OrganizationHealth } from '../telemetry/stream_message.ts';
import {
  type BatchResult,
  type IngestOptions,
  type IngestResult,
  ingestBatch,
  ingestReadings,
  type ReceivedBatch,
  type ReceivedReading,
  rejectionOf,
  unstorableError,
} from './ingest_batch.ts';
import { MonthPartitions } from './month_partitions.ts';

/**
 * The largest number of rejected readings that are recorded for an organization in a day, about 2.5 GB. 100,000 unregistered devices
 * that report every hour send half of it.
 */
const MAX_REJECTED_PER_DAY = 5_000_000;

/** Runs each batch in a transaction of its own. When a method returns, the transaction is committed. */
export class BatchIngester {
  readonly #pool: Pool;
  readonly #isEvaluating: boolean;
  readonly #partitions = new MonthPartitions();
  readonly #allowance = new DailyAllowance(MAX_REJECTED_PER_DAY);

  constructor(pool: Pool, { isEvaluating = true }: Pick<IngestOptions, 'isEvaluating'> = {}) {
    this.#pool = pool;
    this.#isEvaluating = isEvaluating;
  }

  /** Throws if the database rejects one of the readings; then none of them is stored. */
  async ingestReadings(readings: readonly TankReading[]): Promise<IngestResult> {
    return this.#inTransaction(readings, (tx) => ingestReadings(tx, readings, { isEvaluating: this.#isEvaluating }));
  }

  /** Throws only if the database is unavailable: a reading that the database rejects becomes a rejected reading. */
  async ingestBatch(batch: ReceivedBatch): Promise<BatchResult> {
    try {
      return await this.#ingestTogether(batch);
    } catch (error) {
      if (!isDataRefused(error)) throw error;
      const { readings, rejections, health = [] } = batch;
      if (health.length === 0) return this.#ingestInHalves(batch, error);
      const result = await this.ingestBatch({ readings, rejections });
      await this.#storeHealth(health);
      return result;
    }
  }

  /** Stores the reports of devices about themselves without the readings, and drops reports that the database rejects. */
  async #storeHealth(reports: readonly OrganizationHealth[]): Promise<void> {
    try {
      await transaction(this.#pool, (tx) => storeHealth(tx, reports));
    } catch (error) {
      if (!isDataRefused(error)) throw error;
      if (reports.length === 1) return;
      const middle = Math.ceil(reports.length / 2);
      await this.#storeHealth(reports.slice(0, middle));
      await this.#storeHealth(reports.slice(middle));
    }
  }

  async #ingestTogether(batch: ReceivedBatch, evaluationError?: Error): Promise<BatchResult> {
    const options = {
      isEvaluating: this.#isEvaluating,
      allowance: this.#allowance,
      ...(evaluationError && { evaluationError }),
    };
    return this.#inTransaction(
      batch.readings.map(({ reading }) => reading),
      (tx) => ingestBatch(tx, batch, options),
    );
  }

  #inTransaction<T>(readings: readonly { atMs: number }[], work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#partitions.withPartitions(
      this.#pool,
      readings.map(({ atMs }) => atMs),
      () => transaction(this.#pool, work),
    );
  }

  /** Halves the batch until the reading that the database rejects is alone, so that the other readings are stored. */
  async #ingestInHalves({ readings, rejections }: ReceivedBatch, error: Error): Promise<BatchResult> {
    const [first] = readings;
    if (first === undefined) throw error;
    if (readings.length === 1) return this.#ingestAlone(first, rejections, error);
    const middle = Math.ceil(readings.length / 2);
    return addResults(
      await this.ingestBatch({ readings: readings.slice(0, middle), rejections }),
      await this.ingestBatch({ readings: readings.slice(middle), rejections: [] }),
    );
  }

  /** Stores the reading without its evaluation, because the database may have rejected only the result of the evaluation. */
  async #ingestAlone(
    reading: ReceivedReading,
    rejections: ReceivedBatch['rejections'],
    error: Error,
  ): Promise<BatchResult> {
    try {
      return await this.#ingestTogether({ readings: [reading], rejections }, error);
    } catch (errorOfReading) {
      if (!isDataRefused(errorOfReading)) throw errorOfReading;
      const rejection = rejectionOf(reading, unstorableError(errorOfReading));
      return this.#ingestTogether({ readings: [], rejections: [...rejections, rejection] });
    }
  }
}

function addResults(a: BatchResult, b: BatchResult): BatchResult {
  const rejected = { ...a.rejected };
  for (const [code, n] of Object.entries(b.rejected)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- keys of the same type
    rejected[code as RejectionCode] = (rejected[code as RejectionCode] ?? 0) + n;
  }
  return {
    stored: a.stored + b.stored,
    duplicates: a.duplicates + b.duplicates,
    rejected,
    evaluationFailures: [...a.evaluationFailures, ...b.evaluationFailures],
  };
}
