import type { FastifyBaseLogger } from 'fastify';
import type { Pool } from 'pg';
import type { Registry } from 'prom-client';
import { notMigrated } from '../db/database_errors.ts';
import { readMigrations } from '../db/migrate.ts';
import { closePool, openPool } from '../db/pool.ts';
import { EvaluationFailureReport } from '../evaluation/evaluation_failures.ts';
import { EVALUATION_CONNECTIONS, repeat, runEvaluationLoops } from '../evaluation/evaluation_loops.ts';
import { Recomputer } from '../gauges/recomputation_loop.ts';
import { RECOMPUTATION_LIMITS } from '../gauges/recompute_levels.ts';
import { cached } from '../health/cached.ts';
import { Outage } from '../health/outage.ts';
import { poolUse } from '../health/shared_metrics.ts';
import { BatchIngester } from '../ingest/batch_ingester.ts';
import { replayMeasuresOfTank } from '../ingest/replay_rejected.ts';
import { DipStore } from '../ingest/store_dips.ts';
import type { WriterConfig } from '../settings/writer_settings.ts';
import { Stream } from '../stream/stream.ts';
import { explanationOf } from '../values/explanation.ts';
import { BatchCommitter } from './batch_committer.ts';
import { decodeOrReject } from './decode_or_reject.ts';
import { Inbox } from './inbox.ts';
import { enqueueShares, Lane } from './lane.ts';
import { type WriterMetrics, writerMetrics } from './metrics.ts';
import { splitIntoShares } from './shares.ts';
import { StreamPosition } from './stream_position.ts';
import { StreamWatch } from './stream_watch.ts';

export interface RunningWriter {
  notReadyReasons(): Promise<readonly string[]>;
  close(): Promise<void>;
}

type PoolName = 'storing' | 'evaluation' | 'health';

const INBOX_MESSAGES_PER_LANE = 48;
/** The timeout of a statement, which takes about 0.1 s. The server also ends a transaction that is idle for this time. */
const STORING_TIMEOUT_MS = 10_000;
const EVALUATION_TIMEOUT_MS = 60_000;
/** Dips are stored within a second, because a person who sends one opens the page of the tank right after that. */
const DIPS_INTERVAL_MS = 1_000;
/** Levels are recomputed within a second, because a person who corrects a gauge opens the page of the tank right after that. */
const RECOMPUTATION_INTERVAL_MS = 1_000;
/** The timeout of the check of the database. Probes of /readyz wait only for some seconds. */
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
  const stream = await Stream.connect({ ...config.stream, clientName: 'tankwatch writer', logger });
  const pools = openPools(config, metrics);
  const newest = (await readMigrations()).at(-1)?.name ?? '';
  const databaseProblem = cached(() => findDatabaseProblem(pools.health, config, newest));
  const closing = new AbortController();
  const failures = new EvaluationFailureReport(logger, metrics);
  const reading = new Outage(logger, 'reading the stream');
  const position = new StreamPosition({ pool: pools.evaluation, stream, logger });
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
  const committer = new BatchCommitter({
    ingester: new BatchIngester(pools.storing, config),
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
  // Starts after `storedUpToMs` is known. With the initial value, evaluation would assume that no time has passed and would retract events.
  const evaluationLoops = config.isEvaluating
    ? Promise.race([watch.checked, aborted(closing.signal)]).then(() =>
        runEvaluationLoops({
          pool: pools.evaluation,
          storedUpToMs: () => watch.storedUpToMs,
          closing: closing.signal,
          logger,
          metrics,
          failures,
        }),
      )
    : Promise.resolve();
  const loop = { closing: closing.signal, logger };
  const dips = new DipStore(pools.evaluation, config);
  const storingDips = repeat(loop, 'storing dips', DIPS_INTERVAL_MS, 0, () => dips.storeBatch());
  const recomputer = new Recomputer(pools.evaluation, RECOMPUTATION_LIMITS, (tankNo) =>
    replayMeasuresOfTank(pools.evaluation, tankNo, config),
  );
  const recomputingLevels = repeat(loop, 'computing levels again', RECOMPUTATION_INTERVAL_MS, 0, async () => {
    const { tanks, isMore, failures: failed } = await recomputer.recomputeBatch();
    metrics.recomputedTanks.inc(tanks);
    for (const { tankNo, error } of failed)
      logger.error({ tank_no: tankNo, err: error }, 'cannot compute the levels of a tank again; trying again later');
    return isMore;
  });
  const running = lanes.map((lane) => committer.run(lane));
  logger.info({ lanes: config.lanes }, 'writer started');

  return {
    async notReadyReasons() {
      return [
        ...(stream.notConnectedReason === undefined ? [] : [stream.notConnectedReason]),
        ...(watch.isFailing || reading.isOn ? ['the stream cannot be read'] : []),
        ...((await databaseProblem()) ?? (committer.isWorking ? [] : [NOT_STORING])),
      ];
    },
    async close() {
      closing.abort();
      watch.close();
      inbox.close();
      for (const lane of lanes) lane.close();
      await Promise.all([...running, evaluationLoops, storingDips, recomputingLevels]);
      await Promise.all(Object.values(pools).map(closePool));
      await stream.close();
      logger.info('writer stopped');
    },
  };
}

const NOT_STORING = 'the database hangs, cannot be reached or rejects writes; readings wait in the stream';

/** Returns why the writer is not ready; undefined if the database responds and has the schema of this release. */
async function findDatabaseProblem(
  pool: Pool,
  { databaseUrl, databaseSetting }: WriterConfig,
  newest: string,
): Promise<string[] | undefined> {
  try {
    const { rows } = await pool.query<{ name: string | null }>('select max(name) as name from schema_migrations');
    if ((rows[0]?.name ?? '') >= newest) return undefined;
    return [notMigrated({ url: databaseUrl, setting: databaseSetting }, `${newest} is pending`)];
  } catch (error) {
    const sentence = explanationOf(error)?.sentence;
    return [sentence === undefined ? NOT_STORING : `readings wait in the stream: ${sentence}`];
  }
}

/** Commits never wait for a connection that evaluation uses, and a health probe never waits for either of them. */
function openPools(
  { databaseUrl, databaseSetting, lanes }: WriterConfig,
  metrics: WriterMetrics,
): Record<PoolName, Pool> {
  const open = (purpose: string, maxConnections: number, timeoutMs: number): Pool =>
    openPool({
      url: databaseUrl,
      setting: databaseSetting,
      applicationName: `tankwatch writer${purpose}`,
      maxConnections,
      statementTimeoutMs: timeoutMs,
      idleInTransactionTimeoutMs: timeoutMs,
    });
  const pools = {
    storing: open('', lanes, STORING_TIMEOUT_MS),
    evaluation: open(' evaluation', EVALUATION_CONNECTIONS + 3, EVALUATION_TIMEOUT_MS),
    // This check detects, for example, a wrong password while no readings arrive.
    health: open(' health', 1, HEALTH_TIMEOUT_MS),
  };
  metrics.watchPool('writer', () => poolUse(pools.storing));
  metrics.watchPool('writer_evaluation', () => poolUse(pools.evaluation));
  return pools;
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
