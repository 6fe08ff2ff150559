import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import type { GatewayConfig } from '../config.ts';
import { Readers } from '../db/readers.ts';
import { DeviceVerifier } from '../keys/device_verifier.ts';
import { KeyVerifier } from '../keys/key_verifier.ts';
import { Stream } from '../stream/stream.ts';
import { Batcher } from './batcher.ts';
import { buildIngestServer } from './http.ts';
import { gatewayMetrics } from './metrics.ts';
import { listenForMqtt } from './mqtt.ts';

export interface RunningGateway {
  mqttPort: number;
  /** Base URL of the HTTP server on this machine. */
  httpUrl: string;
  notReadyReasons(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** An ingest key can only add readings, so trusting it during a database outage risks less than refusing all readings. */
const KEYS_TRUSTED_WITHOUT_DATABASE_MS = 24 * 3_600_000;

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
    onEvent: (level, event, detail) => logger[level]({ detail }, event),
  });
  const readers = await Readers.open({
    url: config.databaseUrl,
    applicationName: 'tankwatch gateway',
    connections: 1,
    statementTimeoutMs: 10_000,
    onError: (error) => logger.error({ err: error }, 'a database connection was lost; reconnecting'),
  });
  const devices = new DeviceVerifier(readers, config.deviceSecret, {
    onLost: (error) =>
      logger.warn(
        { err: error },
        'cannot receive changes of devices; revocations take effect when the database is back',
      ),
    onFound: () => logger.info('receiving changes of devices again'),
  });
  const keys = new KeyVerifier(readers, {
    preloadedScope: 'ingest',
    trustedWithoutDatabaseMs: KEYS_TRUSTED_WITHOUT_DATABASE_MS,
    onLost: (error) =>
      logger.warn({ err: error }, 'cannot receive changes of keys; revocations take effect when the database is back'),
    onFound: () => logger.info('receiving changes of keys again'),
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
  await Promise.all([devices.start(), keys.start()]);

  const notReadyReasons = async (): Promise<string[]> => [
    ...(stream.isConnected ? [] : ['nats-server cannot be reached']),
    ...(Date.now() - lastFailure.atMs < FAILURE_REPORTED_MS ? [`readings were refused: ${lastFailure.reason}`] : []),
    ...(devices.isReady
      ? []
      : ['revoked devices are not loaded yet: the database could not be reached since the start']),
  ];
  const http = buildIngestServer({ keys, batcher, metrics, logger, notReadyReasons });
  const mqtt = await listenForMqtt({ config, devices, batcher, metrics, logger });
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
      await readers.close();
      await stream.close();
      logger.info('gateway stopped');
    },
  };
}
