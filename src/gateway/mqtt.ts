import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { callbackify } from 'node:util';
import { Aedes, type Client, type PublishPacket } from 'aedes';
import type { FastifyBaseLogger } from 'fastify';
import type { GatewayConfig } from '../config.ts';
import { TokenBucket } from '../http/token_bucket.ts';
import { deviceUserName } from '../keys/device_password.ts';
import type { Device, DeviceVerifier } from '../keys/device_verifier.ts';
import { MAX_DEVICE_PAYLOAD_BYTES, parseDevicePayload } from '../telemetry/payload_formats.ts';
import type { Batcher } from './batcher.ts';
import type { GatewayMetrics } from './metrics.ts';
import { PacketLimit } from './packet_limit.ts';

export interface MqttOptions {
  config: GatewayConfig;
  devices: DeviceVerifier;
  batcher: Batcher;
  metrics: GatewayMetrics;
  logger: FastifyBaseLogger;
}

export interface MqttListener {
  port: number;
  close(): Promise<void>;
}

interface Connection {
  device: Device;
  userName: string;
  publishes: TokenBucket;
}

const MAX_KEEP_ALIVE_SECONDS = 3_600;
/** A device may publish as much at once as in this time. */
const BURST_SECONDS = 10;
/** For the TLS handshake, and again for MQTT's CONNECT. */
const CONNECT_TIMEOUT_MS = 10_000;
/** A payload that is too large is recorded as rejected. A packet above this size closes the connection instead. */
const MAX_PACKET_BYTES = 4 * MAX_DEVICE_PAYLOAD_BYTES;
/** After an outage all devices reconnect at once. A device that the backlog has no room for loses some seconds. */
const LISTEN_BACKLOG = 4_096;
/** Limits the log lines about wrong passwords, so that an attacker cannot fill the log. */
const REFUSAL_LOG_INTERVAL_MS = 100;
/** Return codes of CONNACK in MQTT 3.1.1. */
const [SERVER_UNAVAILABLE, NOT_AUTHORIZED] = [3, 5];

/**
 * Listens for devices over MQTT 3.1.1. A device may only publish readings to its own topic. It gets a PUBACK when the
 * stream has stored the readings on disk. If that fails, the connection is closed and the device sends them again.
 */
export async function listenForMqtt({ config, devices, batcher, metrics, logger }: MqttOptions): Promise<MqttListener> {
  const connections = new Map<Client, Connection>();
  const clients = new Map<string, Client>();
  const packetLimits = new WeakMap<object, PacketLimit>();
  const publishRate = {
    perSecond: config.devicePublishesPerSecond,
    burst: config.devicePublishesPerSecond * BURST_SECONDS,
  };

  async function authenticate(client: Client, givenUserName: string, password: Buffer): Promise<void> {
    const device = await devices.verify(givenUserName, password);
    if (device === undefined) throw new WrongCredentials('unknown user name or wrong password');
    const userName = deviceUserName(device.organizationCode, device.deviceId);
    connections.set(client, { device, userName, publishes: new TokenBucket(publishRate, Date.now()) });
    clients.set(userName, client);
    metrics.connections.set(connections.size);
  }

  async function ingest(client: Client | null, packet: PublishPacket): Promise<void> {
    if (client === null) return; // a packet of the broker itself
    const connection = connections.get(client);
    if (connection === undefined) throw new Error('not authenticated');
    packetLimits.get(client.conn)?.packetEnded();
    const receivedAtMs = Date.now();
    const { device, userName, publishes } = connection;
    if (packet.topic !== `readings/${userName}`) throw new Error(`the topic must be readings/${userName}`);
    if (packet.qos === 2) throw new Error('QoS 2 is not supported; use QoS 1');
    packet.retain = false;
    // A device that publishes too fast is slowed down: nothing is read from its connection during the delay.
    const delayMs = publishes.takeWithDelayMs(receivedAtMs);
    if (delayMs > 0) await sleep(delayMs);

    const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
    const { deviceId, organizationNo } = device;
    const { readings, rejections } = parseDevicePayload(deviceId, payload, receivedAtMs);
    await batcher.submit(
      readings.map((reading) => ({ ...reading, organizationNo })),
      rejections.map((rejection) => ({ ...rejection, organizationNo })),
    );
    metrics.acknowledged.inc({ source: 'mqtt' }, readings.length);
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

  function removeConnection(client: Client): void {
    const userName = connections.get(client)?.userName ?? '';
    connections.delete(client);
    if (clients.get(userName) === client) clients.delete(userName);
    metrics.connections.set(connections.size);
  }
  broker.on('ping', (_packet, client) => packetLimits.get(client.conn)?.packetEnded());
  broker.on('clientDisconnect', removeConnection);
  broker.on('clientError', (client, error) => {
    const device = connections.get(client)?.userName;
    if (device !== undefined) logger.info({ device, reason: error.message }, 'closed the connection of a device');
    removeConnection(client);
  });
  broker.on('connectionError', (_client, error) => {
    metrics.refusedConnections.inc();
    logger.debug({ reason: error.message }, 'refused a connection');
  });
  devices.onCredentialChanged = (userName) => {
    const client = clients.get(userName);
    if (client === undefined) return;
    logger.info({ device: userName }, 'closed the connection of a device that was rotated or revoked');
    client.close();
  };

  await broker.listen();
  const accept = (socket: Socket): void => {
    packetLimits.set(socket, new PacketLimit(socket, MAX_PACKET_BYTES));
    broker.handle(socket);
  };
  const { tls } = config;
  const server = tls
    ? createTlsServer({ ...tls, minVersion: 'TLSv1.2', handshakeTimeout: CONNECT_TIMEOUT_MS }, accept)
    : createTcpServer(accept);
  server.maxConnections = config.maxConnections;
  const port = await listen(server, config.mqttPort, config.host);

  return {
    port,
    async close() {
      server.close();
      await new Promise<void>((resolve) => broker.close(() => resolve()));
    },
  };
}

class WrongCredentials extends Error {}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: LISTEN_BACKLOG }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
