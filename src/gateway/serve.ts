import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import { closePool, openPool } from '../db/pool.ts';
import { Readers } from '../db/readers.ts';
import { GaugeProfileCache } from '../gauges/gauge_profile_cache.ts';
import { Outage } from '../health/outage.ts';
import { listenForHttp } from '../http/listen.ts';
import { closeAfterResponses } from '../http/server.ts';
import { DeviceVerifier } from '../keys/device_verifier.ts';
import { KeyActivity, RECORD_KEY_ACTIVITY } from '../keys/key_activity.ts';
import { KeyVerifier } from '../keys/key_verifier.ts';
import type { GatewayConfig } from '../settings/gateway_settings.ts';
import { Stream } from '../stream/stream.ts';
import { Batcher } from '../telemetry/batcher.ts';
import { RejectedPayloads } from '../telemetry/rejected_payloads.ts';
import { DAY_MS } from '../values/time.ts';
import { FairParsing } from './fair_parsing.ts';
import { buildIngestServer } from './http.ts';
import { gatewayMetrics } from './metrics.ts';
import { listenForMqtt } from './mqtt.ts';
import { ReadingQuota } from './reading_quota.ts';
import { StreamHealth } from './stream_health.ts';

export interface RunningGateway {
  mqttPort: number;
  /** Base URL of the HTTP server on this machine. */
  httpUrl: string;
  notReadyReasons(): Promise<readonly string[]>;
  /** Reports "not ready", and waits until a load balancer has noticed. `close` does this too. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** An ingest key can only add readings, so trusting it during a database outage risks less than refusing all readings. */
const KEYS_TRUSTED_WITHOUT_DATABASE_MS = DAY_MS;

/** A gateway that stops disconnects its devices over this time, so that they do not all return in the same second. */
const DISCONNECT_MS = 10_000;

/** A gateway that stops waits for this time until the stream has confirmed the readings. */
const CONFIRM_TIMEOUT_MS = 3_000;

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
    changesSettings: false,
    logger,
  });
  const database = { url: config.databaseUrl, setting: config.databaseSetting, statementTimeoutMs: 10_000 };
  const readers = await Readers.open({ ...database, applicationName: 'tankwatch gateway', connections: 1, logger });
  // A separate connection for writing, because the sessions of the readers are read-only. It is opened when weather arrives or a key is used.
  const writingPool = openPool({ ...database, applicationName: 'tankwatch gateway writes', maxConnections: 1 });
  const following = new Outage(logger, 'following changes to devices');
  const devices = new DeviceVerifier(readers, { ...config.devices, outage: following });
  devices.onUnopenedSecret = (organization, error) =>
    logger.error(
      { err: error, organization },
      'the devices of an organization are refused: run tankwatch secrets reseal',
    );
  const keys = new KeyVerifier(readers, {
    preloadedScope: 'ingest',
    trustedWithoutDatabaseMs: KEYS_TRUSTED_WITHOUT_DATABASE_MS,
    outage: new Outage(logger, 'following changes to keys'),
  });
  metrics.watchPool('gateway', () => readers.use());
  metrics.streamReplicas.set(config.stream.replicas);
  const streamHealth = new StreamHealth(stream, (size) => {
    // The size is undefined if no server responds, for example without a quorum.
    metrics.streamCurrentReplicas.set(size?.currentReplicas ?? 0);
    if (size === undefined) return;
    metrics.streamBytes.set(size.bytes);
    metrics.streamMaxBytes.set(size.maxBytes);
    metrics.streamReplicas.set(size.replicas);
  });
  const batcher = new Batcher(async (id, payload) => {
    const observe = metrics.publishSeconds.startTimer();
    await streamHealth.publish(id, payload);
    observe();
  });
  const quota = new ReadingQuota(readers, config, new Outage(logger, 'following changes to quotas'));
  const gauges = new GaugeProfileCache(readers, new Outage(logger, 'following changes to gauges'));
  await Promise.all([devices.start(), keys.start(), quota.start(), gauges.start()]);

  let draining: Promise<void> | undefined;
  const notReadyReasons = async (): Promise<string[]> => [
    ...(draining === undefined ? [] : ['shutting down']),
    ...(stream.notConnectedReason === undefined ? [] : [stream.notConnectedReason]),
    ...(streamHealth.failure === undefined ? [] : [`readings are refused: ${streamHealth.failure}`]),
    ...(gauges.isReady || !devices.isReady ? [] : ['the profiles of gauges are not loaded yet']),
    ...(devices.isReady
      ? []
      : [
          `revoked devices are not loaded yet: ${following.reason ?? 'the database could not be reached since the start'}`,
        ]),
  ];
  const activity =
    config.addresses === 'off'
      ? undefined
      : new KeyActivity((values) => writingPool.query(RECORD_KEY_ACTIVITY.text, values), logger);
  const parsing = new FairParsing();
  const rejectedPayloads = new RejectedPayloads(
    config.rejectedBytesPerDay,
    (source) => metrics.rejectedNotStored.inc({ source }),
    logger,
  );
  const shared = { batcher, quota, gauges, parsing, rejectedPayloads, metrics, logger };
  const http = buildIngestServer({
    ...shared,
    keys,
    weatherPool: writingPool,
    notReadyReasons,
    trustedProxies: config.trustedProxies,
    activity,
    logsAddresses: config.addresses === 'on',
  });
  // Without TLS, the metric has no value, because 0 would mean 1970.
  if (config.tls === undefined) metrics.certificateEnd.remove();
  const mqtt = await listenForMqtt({ ...shared, config, devices });
  const httpListener = await listenForHttp(http, { host: config.host, port: config.httpPort });
  const httpUrl = httpListener.url;
  logger.info({ mqttPort: mqtt.port, httpUrl, tls: config.tls !== undefined }, 'gateway started');

  // The gateway reports "not ready" and waits until the load balancer has noticed, so that no request fails in a rolling restart.
  const drain = (): Promise<void> => {
    if (draining === undefined) {
      closeAfterResponses(http);
      logger.info({ drainMs: config.drainMs }, 'draining');
      draining = sleep(config.drainMs);
    }
    return draining;
  };

  return {
    mqttPort: mqtt.port,
    httpUrl,
    notReadyReasons,
    drain,
    async close() {
      await drain();
      await mqtt.disconnectDevices(DISCONNECT_MS);
      // Readings that are not acknowledged when the listeners close are sent again by their senders.
      await batcher.untilEmpty(CONFIRM_TIMEOUT_MS);
      await Promise.all([mqtt.close(), httpListener.close()]);
      streamHealth.close();
      devices.close();
      keys.close();
      quota.close();
      gauges.close();
      await readers.close();
      await activity?.close();
      await closePool(writingPool);
      await stream.close();
      logger.info('gateway stopped');
    },
  };
}
