import { setTimeout as sleep } from 'node:timers/promises';
import type { EvaluationFailureReport } from '../evaluation/evaluation_failures.ts';
import { Outage, type StatusLogger } from '../health/outage.ts';
import type { BatchIngester } from '../ingest/batch_ingester.ts';
import type { BatchResult, ReceivedBatch } from '../ingest/ingest_batch.ts';
import type { Lane } from './lane.ts';
import type { WriterMetrics } from './metrics.ts';
import { mergeShares } from './shares.ts';

/**
 * A batch takes about 0.3 s. A batch that is not committed after this time is overdue: the database hangs, refuses it, or cannot be reached
 * from here. Another writer may reach the database, so this writer returns its messages and reports that it is not ready.
 */
const OVERDUE_AFTER_MS = 7_000;
/** An overdue batch is tried again with this many readings, which are enough to see whether the database works. */
const PROBE_READINGS = 100;

export interface BatchCommitterOptions {
  ingester: BatchIngester;
  metrics: WriterMetrics;
  failures: EvaluationFailureReport;
  logger: StatusLogger;
  closing: AbortSignal;
  /** Called when a batch is overdue and no other was. Nothing more is fetched until `onRecovered`. */
  onOverdue: () => void;
  /** Called when no batch is overdue any longer. */
  onRecovered: () => void;
}

/** Commits the batches of each lane one after another, and detects batches that take too long. */
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
    for (;;) {
      const shares = await lane.nextShares();
      if (shares.length === 0) return;
      const { isOverdue, result } = await this.#store(mergeShares(shares));
      // Without a result, the writer is closing. The stream redelivers unacknowledged messages.
      if (result === undefined) return;
      if (isOverdue) lane.limitBatches();
      else {
        lane.allowLargerBatches();
        for (const share of shares) share.settle();
      }
      this.#report(result);
    }
  }

  /** Retries until the batch is committed or, if it is overdue, a small part of it. The result is undefined if the writer closes. */
  async #store(batch: ReceivedBatch): Promise<{ isOverdue: boolean; result: BatchResult | undefined }> {
    const { ingester, metrics, closing } = this.#options;
    metrics.batchReadings.observe(batch.readings.length);
    let isOverdue = false;
    const timer = setTimeout(() => {
      isOverdue = true;
      this.#overdueBatches++;
      if (this.#overdueBatches === 1) this.#options.onOverdue();
    }, OVERDUE_AFTER_MS);
    try {
      while (!closing.aborted) {
        const attempt = isOverdue ? firstReadings(batch) : batch;
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
      clearTimeout(timer);
      if (isOverdue) {
        this.#overdueBatches--;
        if (this.#overdueBatches === 0) this.#options.onRecovered();
      }
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

/** The largest number of logged message ids. They are enough to find the readings in the logs of gateways. */
const MAX_LOGGED_MESSAGES = 10;

const messageIds = ({ readings, rejections }: ReceivedBatch): string[] =>
  [...new Set([...readings, ...rejections].map(({ messageId }) => messageId))].slice(0, MAX_LOGGED_MESSAGES);

const firstReadings = ({ readings, rejections }: ReceivedBatch): ReceivedBatch => ({
  readings: readings.slice(0, PROBE_READINGS),
  rejections,
});
