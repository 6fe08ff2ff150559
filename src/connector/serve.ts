import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import { sourceAgent } from '../connectors/source_client.ts';
import { closePool, openPool } from '../db/pool.ts';
import { Readers } from '../db/readers.ts';
import { GaugeProfileCache } from '../gauges/gauge_profile_cache.ts';
import { Outage } from '../health/outage.ts';
import { poolUse } from '../health/shared_metrics.ts';
import type { ConnectorConfig } from '../settings/connector_settings.ts';
import { Stream } from '../stream/stream.ts';
import { Batcher } from '../telemetry/batcher.ts';
import { RejectedPayloads } from '../telemetry/rejected_payloads.ts';
import { ConnectorRunner } from './connector_runner.ts';
import { connectorMetrics } from './metrics.ts';
import { Sink } from './sink.ts';

/** Starts the connector role: it asks sources for readings and publishes them to the stream, as a gateway does. */
export async function serveConnector(config: ConnectorConfig, logger: FastifyBaseLogger, registry: Registry) {
  const metrics = connectorMetrics(registry);
  const stream = await Stream.connect({
    ...config.stream,
    // The last word names the inbox. It is `gateway`, because the connector uses the gateway's login.
    clientName: 'tankwatch connector as gateway',
    changesSettings: false,
    logger,
  });
  const database = { url: config.databaseUrl, setting: config.databaseSetting, statementTimeoutMs: 10_000 };
  const readers = await Readers.open({ ...database, applicationName: 'tankwatch connector', connections: 1, logger });
  const pool = openPool({ ...database, applicationName: 'tankwatch connector state', maxConnections: 4 });
  metrics.watchPool('connector', () => poolUse(pool));
  const following = new Outage(logger, 'following changes to gauges of connectors');
  const gauges = new GaugeProfileCache(readers, following);
  await gauges.start();
  const agent = sourceAgent(config.addresses);
  const batcher = new Batcher((id, payload) => stream.publish(id, payload));
  const rejectedPayloads = new RejectedPayloads(
    config.rejectedBytesPerDay,
    () => metrics.rejectedNotStored.inc(),
    logger,
  );
  const sink = new Sink({
    pool,
    batcher,
    rejectedPayloads,
    readingsPerSecond: config.readingsPerSecond,
    onStored: (readings) => metrics.readings.inc(readings),
  });
  const { addresses, secretsKeys } = config;
  const runner = new ConnectorRunner({ pool, gauges, sink, agent, addresses, secretsKeys, metrics, logger });
  logger.info('connector started');

  return {
    notReadyReasons: async (): Promise<string[]> => [
      ...(stream.notConnectedReason === undefined ? [] : [stream.notConnectedReason]),
      ...(runner.isFailing ? ['the database cannot be reached'] : []),
      ...(gauges.isReady ? [] : ['the profiles of gauges are not loaded yet']),
    ],
    async close(): Promise<void> {
      await runner.close();
      await agent.destroy();
      gauges.close();
      await readers.close();
      await closePool(pool);
      await stream.close();
      logger.info('connector stopped');
    },
  };
}
