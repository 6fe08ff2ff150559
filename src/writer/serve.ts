import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import type { WriterConfig } from '../config.ts';
import { openPool } from '../db/pool.ts';
import { Outage } from '../health/outage.ts';
import { BatchIngester } from '../ingest/batch_ingester.ts';
import type { BatchResult, ReceivedBatch } from '../ingest/ingest_batch.ts';
import { Stream, type StreamMessage } from '../stream/stream.ts';
import { decodeMessage, type StreamBatch } from '../telemetry/stream_message.ts';
import { runEvaluationLoops } from './evaluation_loops.ts';
import { Inbox } from './inbox.ts';
import { enqueueShares, Lane } from './lane.ts';
import { writerMetrics } from './metrics.ts';
import { mergeShares, splitIntoShares } from './shares.ts';
import { trimStream } from './trim.ts';

export interface RunningWriter {
  notReadyReasons(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const INBOX_MESSAGES_PER_LANE = 48;
const TRIM_INTERVAL_MS = 60_000;
const STATUS_INTERVAL_MS = 5_000;

/**
 * Starts the writer role: it moves readings from the stream into PostgreSQL and acknowledges a stream message after the
 * commit. Any number of writers may run.
 */
export async function serveWriter(
  config: WriterConfig,
  logger: FastifyBaseLogger,
  registry: Registry,
): Promise<RunningWriter> {
  const metrics = writerMetrics(registry);
  const stream = await Stream.connect({
    ...config.stream,
    clientName: 'tankwatch writer',
    logger,
  });
  const pool = openPool({
    url: config.databaseUrl,
    applicationName: 'tankwatch writer',
    maxConnections: config.lanes + 1,
    statementTimeoutMs: 60_000,
  });
  const ingester = new BatchIngester(pool, config);
  const closing = new AbortController();
  const outage = new Outage(logger, 'committing readings');

  const lanes = Array.from({ length: config.lanes }, () => new Lane());
  const inbox = new Inbox({
    stream,
    capacity: config.lanes * INBOX_MESSAGES_PER_LANE,
    deliver: (message) => {
      const shares = splitIntoShares(decodeOrReject(message), lanes.length);
      enqueueShares(lanes, shares, () => inbox.settle(message));
    },
    outage: new Outage(logger, 'reading the stream'),
  });

  async function runLane(lane: Lane): Promise<void> {
    for (let shares = await lane.nextShares(); shares.length > 0; shares = await lane.nextShares()) {
      const result = await ingestUntilCommitted(mergeShares(shares));
      if (result === undefined) return; // closing: the stream delivers unacknowledged messages again
      for (const share of shares) share.settle();
      report(result);
    }
  }

  async function ingestUntilCommitted(batch: ReceivedBatch): Promise<BatchResult | undefined> {
    metrics.batchReadings.observe(batch.readings.length);
    while (!closing.signal.aborted) {
      const observe = metrics.commitSeconds.startTimer();
      try {
        const result = await ingester.ingestBatch(batch);
        observe();
        outage.worked();
        return result;
      } catch (error) {
        metrics.failures.inc();
        outage.failed(error);
        await sleep(250 + Math.random() * 250);
      }
    }
    return undefined;
  }

  function report({ stored, duplicates, rejected, evaluationFailures }: BatchResult): void {
    metrics.readings.inc({ outcome: 'stored' }, stored);
    metrics.readings.inc({ outcome: 'duplicate' }, duplicates);
    for (const [code, n] of Object.entries(rejected)) {
      metrics.readings.inc({ outcome: 'rejected' }, n);
      metrics.rejected.inc({ code }, n);
    }
    // Once per tank: a marked tank is not evaluated with its next readings, so it cannot fail again before re-evaluation.
    for (const { tankNo, error } of evaluationFailures) {
      logger.error(
        { tankNo, err: error },
        'evaluating a tank failed; its readings are stored, re-evaluation will retry',
      );
    }
  }

  const every = (intervalMs: number, failureMessage: string, work: () => Promise<void>): NodeJS.Timeout =>
    setInterval(
      () => void work().catch((error: unknown) => logger.debug({ err: error }, failureMessage)),
      intervalMs,
    ).unref();
  let storedUpToMs = 0;
  const checkStream = async (): Promise<void> => {
    const nowMs = Date.now();
    const { waiting, bytes, maxBytes, committedSequence } = await stream.status();
    const oldestWaitingMs = waiting === 0 ? nowMs : await stream.storedAtMs(committedSequence + 1);
    if (oldestWaitingMs !== undefined) {
      storedUpToMs = oldestWaitingMs;
      metrics.lagSeconds.set((nowMs - oldestWaitingMs) / 1_000);
    }
    metrics.waitingMessages.set(waiting);
    metrics.streamBytes.set(bytes);
    metrics.streamMaxBytes.set(maxBytes);
  };
  const timers = [
    every(TRIM_INTERVAL_MS, 'trimming the stream failed', () => trimStream(stream, config.keepMs, Date.now())),
    every(STATUS_INTERVAL_MS, 'reading the status of the stream failed', checkStream),
  ];
  const evaluationLoops = config.isEvaluating
    ? runEvaluationLoops({ pool, storedUpToMs: () => storedUpToMs, closing: closing.signal, logger })
    : Promise.resolve();
  const running = lanes.map(runLane);
  logger.info({ lanes: config.lanes }, 'writer started');

  return {
    async notReadyReasons() {
      return [
        ...(stream.isConnected ? [] : ['nats-server cannot be reached']),
        ...(outage.isOn ? ['the database cannot be reached or rejects writes; readings wait in the stream'] : []),
      ];
    },
    async close() {
      closing.abort();
      for (const timer of timers) clearInterval(timer);
      inbox.close();
      for (const lane of lanes) lane.close();
      await Promise.all([...running, evaluationLoops]);
      await pool.end();
      await stream.close();
      logger.info('writer stopped');
    },
  };
}

/** A message that no gateway wrote becomes one rejected reading, so that an operator can see it. */
function decodeOrReject(message: StreamMessage): StreamBatch {
  const batch = decodeMessage(message.data);
  if (batch !== undefined) return batch;
  // The id is derived from the content, so that a second delivery is recorded once.
  const digest = hash('sha256', message.data, 'hex');
  return {
    id: `${digest.slice(0, 8)}-${digest.slice(8, 12)}-${digest.slice(12, 16)}-${digest.slice(16, 20)}-${digest.slice(20, 32)}`,
    receivedAtMs: message.time.getTime(),
    readings: [],
    rejections: [
      {
        organizationNo: null,
        deviceId: null,
        code: 'malformed',
        detail: `Message ${message.seq} of the stream was not written by a gateway.`,
        raw: Buffer.from(message.data.subarray(0, 4_096)),
        format: '',
      },
    ],
  };
}
