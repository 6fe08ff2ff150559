import { X509Certificate } from 'node:crypto';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { callbackify } from 'node:util';
import { Aedes, type Client, type PublishPacket } from 'aedes';
import type { FastifyBaseLogger } from 'fastify';
import type { GatewayConfig } from '../config.ts';
import { FailedLogins } from '../http/failed_logins.ts';
import type { DeviceVerifier } from '../keys/device_verifier.ts';
import { parseDevicePayload } from '../telemetry/payload_formats.ts';
import type { Batcher } from './batcher.ts';
import { ConnectionLimits } from './connection_limits.ts';
import { DeviceConnections } from './device_connections.ts';
import { listenForDevices } from './device_listener.ts';
import type { FairTurns } from './fair_turns.ts';
import type { GatewayMetrics } from './metrics.ts';
import { closePaced } from './paced_disconnects.ts';
import type { ReadingQuota } from './reading_quota.ts';
import type { RejectedPayloads } from './rejected_payloads.ts';
import { UnfinishedPackets } from './unfinished_packets.ts';

export interface MqttOptions {
  config: GatewayConfig;
  devices: DeviceVerifier;
  batcher: Batcher;
  quota: ReadingQuota;
  turns: FairTurns;
  rejectedPayloads: RejectedPayloads;
  metrics: GatewayMetrics;
  logger: FastifyBaseLogger;
}

export interface MqttListener {
  port: number;
  /** Accepts no more devices, and disconnects those that are connected, evenly over the given time. */
  disconnectDevices(overMs: number): Promise<void>;
  close(): Promise<void>;
}

const MAX_KEEP_ALIVE_SECONDS = 3_600;
/** For the TLS handshake, and again for MQTT's CONNECT. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Before a device is authenticated: its CONNECT, and a few small packets behind it. */
const MAX_UNAUTHENTICATED_BYTES = 8_192;
/** A device that must wait longer for its quota is disconnected. It reconnects later and sends the payload again. */
const MAX_QUOTA_DELAY_MS = 10_000;
/** An address may fail this much at once, as in a network with many devices that were revoked. */
const FAILED_LOGINS_BURST_SECONDS = 10;
/** Limits the log lines about wrong passwords, so that an attacker cannot fill the log. */
const REFUSAL_LOG_INTERVAL_MS = 100;
/** Return codes of CONNACK in MQTT 3.1.1. */
const [SERVER_UNAVAILABLE, NOT_AUTHORIZED] = [3, 5];

/**
 * Listens for devices over MQTT 3.1.1. A device may only publish readings to its own topic. It gets a PUBACK when the
 * stream has stored the readings on disk. If that fails, the connection is closed and the device sends them again.
 */
export async function listenForMqtt(options: MqttOptions): Promise<MqttListener> {
  const { config, devices, batcher, quota, turns, rejectedPayloads, metrics, logger } = options;
  const connections = new DeviceConnections((count) => metrics.connections.set(count));
  const { failedLoginsPerSecond: perSecond } = config;
  const failedLogins = new FailedLogins({ perSecond, burst: perSecond * FAILED_LOGINS_BURST_SECONDS });
  const limits = new ConnectionLimits({
    ...config,
    maxPerAddress: config.maxConnectionsPerAddress,
    onFailedLogin: (address) => failedLogins.count(address),
  });
  const unfinishedPackets = new UnfinishedPackets();
  /** Sockets whose devices are authenticated. */
  const authenticated = new WeakSet<object>();

  async function authenticate(client: Client, givenUserName: string, password: Buffer): Promise<void> {
    const device = await devices.verify(givenUserName, password);
    if (device === undefined) throw new WrongCredentials('unknown user name or wrong password');
    connections.verified(client, device);
  }

  async function ingest(client: Client | null, packet: PublishPacket): Promise<void> {
    if (client === null) return; // a packet of the broker itself
    const connection = connections.get(client);
    if (connection === undefined) throw new Error('not authenticated');
    const receivedAtMs = Date.now();
    const { device, userName } = connection;
    if (!devices.isCurrent(device)) throw new Error('the device was rotated or revoked');
    if (packet.topic !== `readings/${userName}`) throw new Error(`the topic must be readings/${userName}`);
    if (packet.qos === 2) throw new Error('QoS 2 is not supported; use QoS 1');
    packet.retain = false;
    checkQuota(userName, device.organizationNo, receivedAtMs);

    const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
    const turn = turns.take(device.organizationNo, payload.length);
    if (turn) await turn;
    const { deviceId, organizationNo } = device;
    const { readings, rejections } = parseDevicePayload(deviceId, payload, receivedAtMs);
    const size = { readings: readings.length + rejections.length, bytes: payload.length };
    // A device that publishes too fast is slowed down: its PUBACK comes late.
    const deviceDelayMs = quota.chargeDevice(userName, size, receivedAtMs);
    const organizationDelayMs = quota.chargeOrganization(organizationNo, size, receivedAtMs);
    if (deviceDelayMs > 0) metrics.quotaExceeded.inc({ source: 'mqtt', limit: 'device' });
    if (organizationDelayMs > 0) metrics.quotaExceeded.inc({ source: 'mqtt', limit: 'organization' });
    const delayMs = Math.max(deviceDelayMs, organizationDelayMs);
    if (delayMs > 0) await sleep(delayMs);
    const messages = await batcher.submit(
      readings.map((reading) => ({ ...reading, organizationNo })),
      rejectedPayloads
        .toStore('mqtt', organizationNo, rejections)
        .map((rejection) => ({ ...rejection, organizationNo })),
    );
    metrics.acknowledged.inc({ source: 'mqtt' }, readings.length);
    logger.debug({ device: userName, readings: readings.length, messages }, 'acknowledged a payload');
  }

  /** MQTT 3.1.1 has no negative acknowledgement, so a payload far beyond the quota ends the connection. */
  function checkQuota(userName: string, organizationNo: number, nowMs: number): void {
    const isDeviceOver = quota.deviceDelayMs(userName, nowMs) > MAX_QUOTA_DELAY_MS;
    if (!isDeviceOver && quota.organizationDelayMs(organizationNo, nowMs) <= MAX_QUOTA_DELAY_MS) return;
    metrics.quotaExceeded.inc({ source: 'mqtt', limit: isDeviceOver ? 'device' : 'organization' });
    throw new Error(`the ${isDeviceOver ? 'device' : 'organization'} sends more readings than its quota allows`);
  }

  let refusalLoggedAtMs = 0;
  const broker = new Aedes({
    connectTimeout: CONNECT_TIMEOUT_MS,
    drainTimeout: 10_000,
    maxClientsIdLength: 128, // user names are longer than the 23 characters of MQTT 3.1
    heartbeatInterval: 3_600_000,
    preConnect(_client, packet, done) {
      // The user name replaces the client id, so that no device can end the session of another by using its client id.
      // Nothing is kept between connections. A device without a keep-alive is disconnected after 90 minutes of silence.
      const keepalive = Math.min(packet.keepalive || MAX_KEEP_ALIVE_SECONDS, MAX_KEEP_ALIVE_SECONDS);
      Object.assign(packet, { clientId: packet.username ?? '', clean: true, will: undefined, keepalive });
      done(null, true);
    },
    authenticate(client, userName = '', password = Buffer.alloc(0), done) {
      callbackify(authenticate)(client, userName, password, (error) => {
        if (error === null || error === undefined) return done(null, true);
        const hasWrongCredentials = error instanceof WrongCredentials;
        metrics.refusedConnections.inc();
        if (!hasWrongCredentials) logger.error({ err: error }, 'verifying a device failed');
        else if (Date.now() - refusalLoggedAtMs > REFUSAL_LOG_INTERVAL_MS) {
          refusalLoggedAtMs = Date.now();
          logger.info({ device: userName.slice(0, 100) }, 'refused a connection: unknown user name or wrong password');
        }
        done(Object.assign(error, { returnCode: hasWrongCredentials ? NOT_AUTHORIZED : SERVER_UNAVAILABLE }), null);
      });
    },
    authorizePublish(client, packet, done) {
      callbackify(ingest)(client, packet, (error) => {
        if (error) metrics.refused.inc({ source: 'mqtt' });
        done(error);
      });
    },
    authorizeSubscribe: (_client, _subscription, done) => done(new Error('devices may only publish')),
    authorizeForward: () => null,
  });

  broker.on('client', (client) => {
    connections.registered(client);
    authenticated.add(client.conn);
    if (client.conn instanceof Socket) limits.authenticated(client.conn);
  });
  broker.on('clientError', (client, error) => {
    const device = connections.get(client)?.userName;
    if (device !== undefined) logger.info({ device, reason: error.message }, 'closed the connection of a device');
  });
  broker.on('connectionError', (_client, error) => {
    metrics.refusedConnections.inc();
    logger.debug({ reason: error.message }, 'refused a connection');
  });
  devices.onCredentialChanged = (userName) => {
    for (const client of connections.clientsOf(userName)) {
      logger.info({ device: userName }, 'closed the connection of a device that was rotated or revoked');
      client.close();
    }
  };

  await broker.listen();
  const listener = await listenForDevices({
    config,
    limits,
    logger,
    timeoutMs: CONNECT_TIMEOUT_MS,
    maxConnectBytes: MAX_UNAUTHENTICATED_BYTES,
    isAddressAllowed: (address) => failedLogins.isAllowed(address),
    onRefused: () => metrics.refusedConnections.inc(),
    onCertificate: (cert) => metrics.certificateEnd.set(Date.parse(new X509Certificate(cert).validTo) / 1_000),
    onConnection(socket) {
      unfinishedPackets.watch(socket);
      socket.on('readable', () => {
        if (!authenticated.has(socket) && socket.bytesRead > MAX_UNAUTHENTICATED_BYTES) socket.destroy();
      });
      broker.handle(socket);
    },
  });

  return {
    port: listener.port,
    async disconnectDevices(overMs) {
      void listener.close();
      await closePaced(connections.all(), overMs);
    },
    async close() {
      void listener.close();
      await new Promise<void>((resolve) => broker.close(() => resolve()));
      unfinishedPackets.close();
    },
  };
}

class WrongCredentials extends Error {}
