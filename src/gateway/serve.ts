import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import type { GatewayConfig } from '../config.ts';
import { Readers } from '../db/readers.ts';
import { Outage } from '../health/outage.ts';
import { DeviceVerifier } from '../keys/device_verifier.ts';
import { KeyVerifier } from '../keys/key_verifier.ts';
import { Stream } from '../stream/stream.ts';
import { DAY_MS } from '../values/time.ts';
import { Batcher } from './batcher.ts';
import { buildIngestServer } from './http.ts';
import { gatewayMetrics } from './metrics.ts';
import { listenForMqtt } from './mqtt.ts';
import { ReadingQuota } from './reading_quota.ts';

export interface RunningGateway {
  mqttPort: number;
  /** Base URL of the HTTP server on this machine. */
  httpUrl: string;
  notReadyReasons(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** An ingest key can only add readings, so trusting it during a database outage risks less than refusing all readings. */
const KEYS_TRUSTED_WITHOUT_DATABASE_MS = DAY_MS;

/** After a failed publish, the gateway is not ready for this time. */
const FAILURE_REPORTED_MS = 30_000;

/** Starts the gateway role: first the connections to the stream and the database, then the listeners. */
export async function serveGateway(
  config: GatewayConfig,
  logger: FastifyBaseLogger,
  registry: Registry,
): Promise<RunningGateway> {
  const metrics = gatewayMetrics(registry);
  const stream = await Stream.connect({
    ...config.stream,
    clientName: 'tankwatch gateway',
    logger,
  });
  const readers = await Readers.open({
    url: config.databaseUrl,
    applicationName: 'tankwatch gateway',
    connections: 1,
    statementTimeoutMs: 10_000,
    logger,
  });
  const devices = new DeviceVerifier(readers, {
    ...config.devices,
    outage: new Outage(logger, 'following changes to devices'),
  });
  const keys = new KeyVerifier(readers, {
    preloadedScope: 'ingest',
    trustedWithoutDatabaseMs: KEYS_TRUSTED_WITHOUT_DATABASE_MS,
    outage: new Outage(logger, 'following changes to keys'),
  });
  let lastFailure = { reason: '', atMs: 0 };
  const batcher = new Batcher(async (id, payload) => {
    const observe = metrics.publishSeconds.startTimer();
    try {
      await stream.publish(id, payload);
      observe();
      lastFailure.atMs = 0;
    } catch (error) {
      lastFailure = { reason: error instanceof Error ? error.message : 'unknown error', atMs: Date.now() };
      throw error;
    }
  });
  const quota = new ReadingQuota(readers, config, new Outage(logger, 'following changes to quotas'));
  await Promise.all([devices.start(), keys.start(), quota.start()]);

  const notReadyReasons = async (): Promise<string[]> => [
    ...(stream.isConnected ? [] : ['nats-server cannot be reached']),
    ...(Date.now() - lastFailure.atMs < FAILURE_REPORTED_MS ? [`readings were refused: ${lastFailure.reason}`] : []),
    ...(devices.isReady
      ? []
      : ['revoked devices are not loaded yet: the database could not be reached since the start']),
  ];
  const { trustedProxies } = config;
  const http = buildIngestServer({ keys, batcher, quota, metrics, logger, notReadyReasons, trustedProxies });
  const mqtt = await listenForMqtt({ config, devices, batcher, quota, metrics, logger });
  const httpUrl = await http.listen({ host: config.host, port: config.httpPort });
  logger.info({ mqttPort: mqtt.port, httpUrl, tls: config.tls !== undefined }, 'gateway started');

  return {
    mqttPort: mqtt.port,
    httpUrl,
    notReadyReasons,
    async close() {
      // Listeners first: readings that are not acknowledged by then are sent again by their senders.
      await Promise.all([mqtt.close(), http.close()]);
      devices.close();
      keys.close();
      quota.close();
      await readers.close();
      await stream.close();
      logger.info('gateway stopped');
    },
  };
}
