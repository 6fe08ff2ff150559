import { setTimeout as sleep } from 'node:timers/promises';
import type { EvaluationFailureReport } from '../evaluation/evaluation_failures.ts';
import { Outage, type StatusLogger } from '../health/outage.ts';
import type { BatchIngester } from '../ingest/batch_ingester.ts';
import type { BatchResult, ReceivedBatch } from '../ingest/ingest_batch.ts';
import type { Lane } from './lane.ts';
import type { WriterMetrics } from './metrics.ts';
import { mergeShares } from './shares.ts';

/**
 * A batch takes about 0.3 s. One that is not committed after this time is overdue: the database hangs, refuses, or
 * cannot be reached from here. Another writer may reach it, so this one returns its messages and reports that it is not
 * ready.
 */
const OVERDUE_AFTER_MS = 7_000;
/** An overdue batch is tried again with this many readings: enough to see that the database works. */
const PROBE_READINGS = 100;

export interface BatchCommitterOptions {
  ingester: BatchIngester;
  metrics: WriterMetrics;
  failures: EvaluationFailureReport;
  logger: StatusLogger;
  closing: AbortSignal;
  /** The first batch is overdue: nothing more is fetched until `onRecovered`. */
  onOverdue: () => void;
  onRecovered: () => void;
}

/** Commits the batches of the lanes one after another, and detects batches that take too long. */
export class BatchCommitter {
  readonly #options: BatchCommitterOptions;
  readonly #outage: Outage;
  #overdueBatches = 0;

  constructor(options: BatchCommitterOptions) {
    this.#options = options;
    this.#outage = new Outage(options.logger, 'committing readings');
  }

  /** False from the first failure, or when a batch is overdue, until a batch is committed. */
  get isWorking(): boolean {
    return !this.#outage.isOn && this.#overdueBatches === 0;
  }

  /** Runs until the lane is closed. */
  async run(lane: Lane): Promise<void> {
    for (let shares = await lane.nextShares(); shares.length > 0; shares = await lane.nextShares()) {
      const batch = mergeShares(shares);
      const { isOverdue, result } = await this.#store(batch);
      if (result === undefined) return; // closing: the stream delivers unacknowledged messages again
      if (isOverdue) lane.limitBatches();
      else {
        lane.allowLargerBatches();
        for (const share of shares) share.settle();
      }
      this.#report(result);
    }
  }

  /** Retries until something is committed: the batch, or a small part of it once it is overdue. */
  async #store(batch: ReceivedBatch): Promise<{ isOverdue: boolean; result: BatchResult | undefined }> {
    const { ingester, metrics, closing } = this.#options;
    metrics.batchReadings.observe(batch.readings.length);
    let isOverdue = false;
    const overdue = setTimeout(() => {
      isOverdue = true;
      if (this.#overdueBatches++ === 0) this.#options.onOverdue();
    }, OVERDUE_AFTER_MS);
    try {
      for (let attempt = batch; !closing.aborted; attempt = isOverdue ? firstReadings(batch) : batch) {
        const observe = metrics.commitSeconds.startTimer();
        try {
          const result = await ingester.ingestBatch(attempt);
          observe();
          this.#outage.worked();
          return { isOverdue, result };
        } catch (error) {
          metrics.failures.inc();
          this.#outage.failed(error, { messages: messageIds(attempt), readings: attempt.readings.length });
          await sleep(250 + Math.random() * 250);
        }
      }
      return { isOverdue, result: undefined };
    } finally {
      clearTimeout(overdue);
      if (isOverdue && --this.#overdueBatches === 0) this.#options.onRecovered();
    }
  }

  #report({ stored, duplicates, rejected, evaluationFailures }: BatchResult): void {
    const { metrics, failures } = this.#options;
    metrics.readings.inc({ outcome: 'stored' }, stored);
    metrics.readings.inc({ outcome: 'duplicate' }, duplicates);
    for (const [code, n] of Object.entries(rejected)) {
      metrics.readings.inc({ outcome: 'rejected' }, n);
      metrics.rejected.inc({ code }, n);
    }
    failures.addStored(evaluationFailures);
  }
}

/** Enough to find the readings in the logs of gateways. */
const MAX_LOGGED_MESSAGES = 10;

const messageIds = ({ readings, rejections }: ReceivedBatch): string[] =>
  [...new Set([...readings, ...rejections].map(({ messageId }) => messageId))].slice(0, MAX_LOGGED_MESSAGES);

const firstReadings = ({ readings, rejections }: ReceivedBatch): ReceivedBatch => ({
  readings: readings.slice(0, PROBE_READINGS),
  rejections,
});
