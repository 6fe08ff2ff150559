import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { Registry } from 'prom-client';
import { AccessWriters } from '../db/access_writers.ts';
import { ReadSources, type SourceReaders } from '../db/read_sources.ts';
import { Readers } from '../db/readers.ts';
import type { PoolUse } from '../health/shared_metrics.ts';
import { listenForHttp } from '../http/listen.ts';
import { closeAfterResponses } from '../http/server.ts';
import type { ApiConfig } from '../settings/api_settings.ts';
import { SET_API_SECRETS_KEY } from '../values/api_secrets_key.ts';
import { buildApi } from './app.ts';
import { apiMetrics } from './health/metrics.ts';
import { ManageTransactions } from './manage/transactions.ts';

export interface RunningApi {
  /** The local address of the server. */
  url: string;
  notReadyReasons(): Promise<readonly string[]>;
  /** Reports "not ready" and resolves when a load balancer had time to notice it. `close` calls it first. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** The number of connections for slow reads. One organization uses at most three of them at the same time. */
const FLEET_CONNECTIONS = 4;

/** Starts the api role: opens the database connections, then the socket. */
export async function serveApi(
  config: ApiConfig,
  logger: FastifyBaseLogger,
  registry: Registry = new Registry(),
): Promise<RunningApi> {
  const metrics = apiMetrics(registry);
  const primaryAddress = { url: config.databaseUrl, setting: config.databaseSetting };
  const openSource = async (address: { url: string; setting: string }): Promise<SourceReaders> => {
    const connection = { ...address, applicationName: 'tankwatch api', logger };
    const [readers, fleetReaders] = await Promise.all([
      Readers.open({ ...connection, connections: config.databaseConnections, statementTimeoutMs: 10_000 }),
      Readers.open({ ...connection, connections: FLEET_CONNECTIONS, areSlow: true, statementTimeoutMs: 5_000 }),
    ]);
    return { readers, fleetReaders };
  };
  const [writers, primary, ...replicas] = await Promise.all([
    AccessWriters.open({ ...primaryAddress, applicationName: 'tankwatch api', logger, statementTimeoutMs: 5_000 }),
    openSource(primaryAddress),
    ...config.replicaUrls.map((url) => openSource({ url, setting: 'DATABASE_REPLICA_URLS' })),
  ]);
  const servers = [primary, ...replicas];
  metrics.watchPool('api', () => sumOfUses(servers.map(({ readers }) => readers.use())));
  metrics.watchPool('api_writes', () => writers.use());
  metrics.watchPool('api_fleet', () => sumOfUses(servers.map(({ fleetReaders }) => fleetReaders.use())));
  const manage = config.manage && { ...config.manage, transactions: new ManageTransactions(config.manage) };
  if (manage !== null && config.apiSecretsKeys.length === 0)
    logger.warn(`nothing can be changed over HTTP yet: API_SECRETS_KEY is missing. ${SET_API_SECRETS_KEY}`);
  if (manage !== null) metrics.watchPool('api_manage', () => manage.transactions.use());
  const sources = new ReadSources({
    primary,
    replicas,
    maxLagMs: config.replicaMaxLagMs,
    report: metrics.sourceReport,
    logger,
  });
  const { app, health } = await buildApi({
    ...config,
    manage,
    primary,
    writers,
    sources,
    logger,
    requests: metrics.requests,
  });
  const closeReaders = async (): Promise<void> => {
    await Promise.all(servers.flatMap(({ readers, fleetReaders }) => [readers.close(), fleetReaders.close()]));
    await writers.close();
    await manage?.transactions.close();
  };
  const listener = await listenForHttp(app, config).catch(async (error: unknown) => {
    await app.close();
    await closeReaders();
    throw error;
  });

  // Report "not ready", wait until the proxy has noticed it, then close, so that a rolling restart loses no request.
  let draining: Promise<void> | undefined;
  const drain = (): Promise<void> => {
    health.isDraining = true;
    if (draining === undefined) {
      closeAfterResponses(app);
      logger.info({ drainMs: config.drainMs }, 'draining');
      draining = sleep(config.drainMs);
    }
    return draining;
  };

  return {
    url: listener.url,
    notReadyReasons: () => health.notReadyReasons(),
    drain,
    async close() {
      await drain();
      await listener.close();
      await closeReaders();
      logger.info('stopped');
    },
  };
}

const sumOfUses = (uses: readonly PoolUse[]): PoolUse =>
  uses.reduce((sum, { inUse, idle, waiting }) => ({
    inUse: sum.inUse + inUse,
    idle: sum.idle + idle,
    waiting: sum.waiting + waiting,
  }));
