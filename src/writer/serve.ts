import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import type { WriterConfig } from '../config.ts';
import { openPool } from '../db/pool.ts';
import { Outage } from '../health/outage.ts';
import { BatchIngester, type BatchResult, type BatchShare, shareOut } from '../ingest/ingest_batch.ts';
import { Stream, type StreamMessage } from '../stream/stream.ts';
import { decodeMessage, type StreamBatch } from '../telemetry/stream_message.ts';
import { runEvaluationLoops } from './evaluation_loops.ts';
import { Inbox } from './inbox.ts';
import { enqueueShares, Lane } from './lane.ts';
import { writerMetrics } from './metrics.ts';
import { trimStream } from './trim.ts';

export interface RunningWriter {
  notReadyReasons(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const HELD_MESSAGES_PER_LANE = 48;
const TRIM_EVERY_MS = 60_000;
const STATUS_EVERY_MS = 5_000;

/** Starts the writer role: from the stream into the database, acknowledged after the commit. Any number may run. */
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
  const intake = new BatchIngester(pool, config);
  const closing = new AbortController();
  const outage = new Outage(logger, 'committing readings');

  const lanes = Array.from({ length: config.lanes }, () => new Lane());
  const inbox = new Inbox({
    stream,
    capacity: config.lanes * HELD_MESSAGES_PER_LANE,
    deliver: (message) => {
      enqueueShares(lanes, shareOut(readMessage(message), lanes.length), () => inbox.settle(message));
    },
    outage: new Outage(logger, 'reading the stream'),
  });

  async function runLane(lane: Lane): Promise<void> {
    for (let shares = await lane.take(); shares.length > 0; shares = await lane.take()) {
      const taken = await takeUntilCommitted(shares);
      if (taken === undefined) return; // closing: what is not acknowledged comes again
      for (const share of shares) share.settle();
      count(taken);
    }
  }

  async function takeUntilCommitted(shares: readonly BatchShare[]): Promise<BatchResult | undefined> {
    metrics.batchReadings.observe(shares.reduce((sum, { arrived }) => sum + arrived.length, 0));
    while (!closing.signal.aborted) {
      const observe = metrics.commitSeconds.startTimer();
      try {
        const taken = await intake.takeIn(shares);
        observe();
        outage.worked();
        return taken;
      } catch (error) {
        metrics.failures.inc();
        outage.failed(error);
        await sleep(250 + Math.random() * 250);
      }
    }
    return undefined;
  }

  function count({ stored, known, rejected }: BatchResult): void {
    metrics.readings.inc({ outcome: 'stored' }, stored);
    metrics.readings.inc({ outcome: 'known' }, known);
    for (const [code, n] of Object.entries(rejected)) {
      metrics.readings.inc({ outcome: 'rejected' }, n);
      metrics.rejected.inc({ code }, n);
    }
  }

  const every = (ms: number, what: string, work: () => Promise<void>): NodeJS.Timeout =>
    setInterval(() => void work().catch((error: unknown) => logger.debug({ err: error }, what)), ms).unref();
  let heardUpToMs = 0;
  const lookAtStream = async (): Promise<void> => {
    const lookedAtMs = Date.now();
    const { waiting, bytes, maxBytes, committedSequence } = await stream.status();
    const oldestMs = waiting === 0 ? lookedAtMs : await stream.storedAtMs(committedSequence + 1);
    if (oldestMs !== undefined) {
      heardUpToMs = oldestMs;
      metrics.lagSeconds.set((lookedAtMs - oldestMs) / 1_000);
    }
    metrics.waitingMessages.set(waiting);
    metrics.streamBytes.set(bytes);
    metrics.streamMaxBytes.set(maxBytes);
  };
  const timers = [
    every(TRIM_EVERY_MS, 'the stream could not be trimmed', () => trimStream(stream, config.keepMs, Date.now())),
    every(STATUS_EVERY_MS, 'the stream does not tell its state', lookAtStream),
  ];
  const judging = config.isEvaluating
    ? runEvaluationLoops({ pool, heardUpToMs: () => heardUpToMs, closing: closing.signal, logger })
    : Promise.resolve();
  const running = lanes.map(runLane);
  logger.info({ lanes: config.lanes }, 'writer runs');

  return {
    async notReadyReasons() {
      return [
        ...(stream.isConnected ? [] : ['nats-server cannot be reached']),
        ...(outage.isOn ? ['the database refuses or cannot be reached; readings wait in the stream'] : []),
      ];
    },
    async close() {
      closing.abort();
      for (const timer of timers) clearInterval(timer);
      inbox.close();
      for (const lane of lanes) lane.close();
      await Promise.all([...running, judging]);
      await pool.end();
      await stream.close();
      logger.info('stopped');
    },
  };
}

/** What no gateway of ours wrote is kept as one rejected reading, so that somebody hears of it. */
function readMessage(message: StreamMessage): StreamBatch {
  const read = decodeMessage(message.data);
  if (read !== undefined) return read;
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
        detail: `Message ${message.seq} of the stream is not one of a gateway's.`,
        raw: Buffer.from(message.data.subarray(0, 4_096)),
        format: '',
      },
    ],
  };
}
