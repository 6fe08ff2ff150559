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
import { buildIngest } from './http.ts';
import { gatewayMetrics } from './metrics.ts';
import { listenForMqtt } from './mqtt.ts';

export interface RunningGateway {
  mqttPort: number;
  /** Where it listens for HTTP on this machine. */
  httpUrl: string;
  notReadyReasons(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** An ingest key can only add readings; refusing everybody's because the database is away would lose more. */
const KEYS_TRUSTED_WITHOUT_DATABASE_MS = DAY_MS;

const REFUSAL_REMEMBERED_MS = 30_000;

/** Starts the gateway role: who may send, where it goes, then the sockets. */
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
  const following = new Outage(logger, 'following changes to devices');
  const guard = new DeviceVerifier(readers, config.deviceSecret, following);
  const keys = new KeyVerifier(readers, {
    preloadedScope: 'ingest',
    trustedWithoutDatabaseMs: KEYS_TRUSTED_WITHOUT_DATABASE_MS,
    outage: new Outage(logger, 'following changes to keys'),
  });
  let refused = { because: '', atMs: 0 };
  const gatherer = new Batcher(async (id, payload) => {
    const observe = metrics.publishSeconds.startTimer();
    try {
      await stream.publish(id, payload);
      observe();
      refused.atMs = 0;
    } catch (error) {
      refused = { because: error instanceof Error ? error.message : 'unknown', atMs: Date.now() };
      throw error;
    }
  });
  await Promise.all([guard.start(), keys.start()]);

  const notReadyReasons = async (): Promise<string[]> => [
    ...(stream.isConnected ? [] : ['nats-server cannot be reached']),
    ...(Date.now() - refused.atMs < REFUSAL_REMEMBERED_MS ? [`readings were refused: ${refused.because}`] : []),
    ...(guard.isReady ? [] : ['revoked devices are not known yet: the database could not be read since the start']),
  ];
  const http = buildIngest({ keys, gatherer, metrics, logger, notReadyReasons });
  const mqtt = await listenForMqtt({ config, guard, gatherer, metrics, logger });
  const httpUrl = await http.listen({ host: config.host, port: config.httpPort });
  logger.info({ mqttPort: mqtt.port, httpUrl, tls: config.tls !== undefined }, 'gateway listens');

  return {
    mqttPort: mqtt.port,
    httpUrl,
    notReadyReasons,
    async close() {
      // Senders first: what they were told is stored is stored, the rest they send again.
      await Promise.all([mqtt.close(), http.close()]);
      guard.close();
      keys.close();
      await readers.close();
      await stream.close();
      logger.info('stopped');
    },
  };
}
