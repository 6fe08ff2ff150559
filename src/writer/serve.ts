import { hash } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import { closePool, openPool } from '../db/pool.ts';
import { cached } from '../health/cached.ts';
import { Outage } from '../health/outage.ts';
import { poolUse } from '../health/shared_metrics.ts';
import { BatchIngester } from '../ingest/batch_ingester.ts';
import type { WriterConfig } from '../settings/role_settings.ts';
import { Stream, type StreamMessage } from '../stream/stream.ts';
import { decodeMessage, type StreamBatch } from '../telemetry/stream_message.ts';
import { EvaluationFailureReport } from './evaluation_failures.ts';
import { EVALUATION_CONNECTIONS, runEvaluationLoops } from './evaluation_loops.ts';
import { Inbox } from './inbox.ts';
import { enqueueShares, Lane } from './lane.ts';
import { writerMetrics } from './metrics.ts';
import { splitIntoShares } from './shares.ts';
import { Storing } from './storing.ts';
import { StreamPosition } from './stream_position.ts';
import { StreamWatch } from './stream_watch.ts';

export interface RunningWriter {
  notReadyReasons(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const INBOX_MESSAGES_PER_LANE = 48;
/** A statement takes some 0.1 s. The server also ends a transaction whose writer is silent for this long. */
const STORING_TIMEOUT_MS = 10_000;
const EVALUATION_TIMEOUT_MS = 60_000;
/** A check of the database that takes longer has failed: probes of /readyz wait for some seconds only. */
const HEALTH_TIMEOUT_MS = 3_000;

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
  const storingPool = openPool({
    url: config.databaseUrl,
    applicationName: 'tankwatch writer',
    maxConnections: config.lanes,
    statementTimeoutMs: STORING_TIMEOUT_MS,
    idleInTransactionTimeoutMs: STORING_TIMEOUT_MS,
  });
  // Apart, so that evaluation never takes a connection that storing needs. Its transactions may take longer.
  const evaluationPool = openPool({
    url: config.databaseUrl,
    applicationName: 'tankwatch writer evaluation',
    maxConnections: EVALUATION_CONNECTIONS + 2,
    statementTimeoutMs: EVALUATION_TIMEOUT_MS,
    idleInTransactionTimeoutMs: EVALUATION_TIMEOUT_MS,
  });
  metrics.watchPool('writer', () => poolUse(storingPool));
  metrics.watchPool('writer_evaluation', () => poolUse(evaluationPool));
  // Without readings nothing else uses the database, and a wrong password would stay unnoticed.
  const healthPool = openPool({
    url: config.databaseUrl,
    applicationName: 'tankwatch writer health',
    maxConnections: 1,
    statementTimeoutMs: HEALTH_TIMEOUT_MS,
  });
  const isDatabaseReachable = cached(() =>
    healthPool.query('select').then(
      () => true,
      () => false,
    ),
  );
  const closing = new AbortController();
  const failures = new EvaluationFailureReport(logger, metrics);
  const reading = new Outage(logger, 'reading the stream');
  const position = new StreamPosition({ pool: evaluationPool, stream, logger });
  const watch = new StreamWatch({ stream, position, keepMs: config.keepMs, metrics, logger });
  const lanes = Array.from({ length: config.lanes }, () => new Lane());
  const inbox = new Inbox({
    stream,
    capacity: config.lanes * INBOX_MESSAGES_PER_LANE,
    deliver: (message) => {
      const batch = decodeOrReject(message);
      enqueueShares(lanes, splitIntoShares(batch, lanes.length), () => {
        inbox.settle(message);
        const { id, readings, rejections } = batch;
        const counts = { readings: readings.length, rejections: rejections.length };
        logger.debug({ message: id, sequence: message.seq, ...counts }, 'committed a message');
      });
    },
    outage: reading,
  });
  const storing = new Storing({
    ingester: new BatchIngester(storingPool, config),
    metrics,
    failures,
    logger,
    closing: closing.signal,
    onOverdue() {
      const messages = inbox.pause();
      for (const lane of lanes) lane.clear();
      metrics.returnedMessages.inc(messages);
      logger.warn({ messages }, 'a batch takes too long; returned all messages to the stream for other writers');
    },
    onRecovered() {
      inbox.resume();
      logger.info('batches are committed again; fetching messages');
    },
  });
  // Not before it is known up to when all readings are stored: evaluation would see no time pass, and retract events.
  const evaluationLoops = config.isEvaluating
    ? Promise.race([watch.checked, aborted(closing.signal)]).then(() =>
        runEvaluationLoops({
          pool: evaluationPool,
          storedUpToMs: () => watch.storedUpToMs,
          closing: closing.signal,
          logger,
          metrics,
          failures,
        }),
      )
    : Promise.resolve();
  const running = lanes.map((lane) => storing.run(lane));
  logger.info({ lanes: config.lanes }, 'writer started');

  return {
    async notReadyReasons() {
      return [
        ...(stream.isConnected ? [] : ['nats-server cannot be reached']),
        ...(watch.isFailing || reading.isOn ? ['the stream cannot be read'] : []),
        ...(storing.isWorking && (await isDatabaseReachable())
          ? []
          : ['the database hangs, cannot be reached or rejects writes; readings wait in the stream']),
      ];
    },
    async close() {
      closing.abort();
      watch.close();
      inbox.close();
      for (const lane of lanes) lane.close();
      await Promise.all([...running, evaluationLoops]);
      await Promise.all([closePool(storingPool), closePool(evaluationPool), closePool(healthPool)]);
      await stream.close();
      logger.info('writer stopped');
    },
  };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

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
