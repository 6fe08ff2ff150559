import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { callbackify } from 'node:util';
import { Aedes, type Client, type PublishPacket } from 'aedes';
import type { FastifyBaseLogger } from 'fastify';
import type { GatewayConfig } from '../config.ts';
import { deviceUserName } from '../keys/device_password.ts';
import type { Device, DeviceVerifier } from '../keys/device_verifier.ts';
import { MAX_DEVICE_PAYLOAD_BYTES, parseDevicePayload } from '../telemetry/payload_formats.ts';
import type { Batcher } from './batcher.ts';
import type { GatewayMetrics } from './metrics.ts';
import { PacketLimit, PublishRate } from './packet_limit.ts';

export interface MqttOptions {
  config: GatewayConfig;
  guard: DeviceVerifier;
  gatherer: Batcher;
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
  pace: PublishRate;
}

const MAX_KEEP_ALIVE_SECONDS = 3_600;
/** For the handshake of TLS, and for MQTT's CONNECT after it. */
const CONNECT_TIMEOUT_MS = 10_000;
/** A message that is only somewhat too large is acknowledged and listed; a longer one ends the connection. */
const MAX_UNPARSED_BYTES = 4 * MAX_DEVICE_PAYLOAD_BYTES;
/** After an outage all devices come back at once; whoever finds no room here is heard only some seconds later. */
const WAITING_CONNECTIONS = 4_096;
/** Who tries passwords must not fill the log. */
const REFUSAL_TOLD_EVERY_MS = 100;
/** Of MQTT's CONNACK. */
const [SERVER_UNAVAILABLE, NOT_AUTHORIZED] = [3, 5];

/**
 * Devices over MQTT 3.1.1: each publishes readings to its own topic and does nothing else. A PUBACK says that the
 * stream has the reading on disk; where that cannot be said, the connection is closed and the device sends it again.
 */
export async function listenForMqtt({ config, guard, gatherer, metrics, logger }: MqttOptions): Promise<MqttListener> {
  const connections = new Map<Client, Connection>();
  const clients = new Map<string, Client>();
  const limits = new WeakMap<object, PacketLimit>();

  async function admit(client: Client, given: string, password: Buffer): Promise<void> {
    const device = await guard.verify(given, password);
    if (device === undefined) throw new WrongCredentials('unknown user name or wrong password');
    const userName = deviceUserName(device.organizationCode, device.deviceId);
    connections.set(client, { device, userName, pace: new PublishRate(config.devicePublishesPerSecond) });
    clients.set(userName, client);
    metrics.connections.set(connections.size);
  }

  async function takeIn(client: Client | null, packet: PublishPacket): Promise<void> {
    if (client === null) return; // the broker's own
    const connection = connections.get(client);
    if (connection === undefined) throw new Error('not authenticated');
    limits.get(client.conn)?.packetEnded();
    const receivedAtMs = Date.now();
    const { device, userName, pace } = connection;
    if (packet.topic !== `readings/${userName}`)
      throw new Error(`${userName} published to a topic that is not its own`);
    if (packet.qos === 2) throw new Error('QoS 2 is not offered');
    packet.retain = false;
    // Slower instead of refused: nothing more is read from this connection meanwhile.
    const delayMs = pace.takeMs(receivedAtMs);
    if (delayMs > 0) await sleep(delayMs);

    const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
    const { deviceId, organizationNo } = device;
    const { readings, rejections } = parseDevicePayload(deviceId, payload, receivedAtMs);
    await gatherer.submit(
      readings.map((reading) => ({ ...reading, organizationNo })),
      rejections.map((rejection) => ({ ...rejection, organizationNo })),
    );
    metrics.taken.inc({ source: 'mqtt' }, readings.length);
  }

  let refusalToldAtMs = 0;
  const broker = new Aedes({
    connectTimeout: CONNECT_TIMEOUT_MS,
    drainTimeout: 10_000,
    maxClientsIdLength: 128, // ours, and longer than the 23 characters of MQTT 3.1
    heartbeatInterval: 3_600_000,
    preConnect(_client, packet, done) {
      // A session belongs to a device, not to whatever it calls itself, so nobody can end another's by taking its
      // name; and nothing is kept for a device between connections. One that promises no sign of life is let go after
      // an hour and a half without.
      const keepalive = Math.min(packet.keepalive || MAX_KEEP_ALIVE_SECONDS, MAX_KEEP_ALIVE_SECONDS);
      Object.assign(packet, { clientId: packet.username ?? '', clean: true, will: undefined, keepalive });
      done(null, true);
    },
    authenticate(client, userName = '', password = Buffer.alloc(0), done) {
      callbackify(admit)(client, userName, password, (error) => {
        if (error === null || error === undefined) return done(null, true);
        const isWrong = error instanceof WrongCredentials;
        metrics.refusedConnections.inc();
        if (!isWrong) logger.error({ err: error }, 'a device could not be verified');
        else if (Date.now() - refusalToldAtMs > REFUSAL_TOLD_EVERY_MS) {
          refusalToldAtMs = Date.now();
          logger.info({ device: userName.slice(0, 100) }, 'refused a device: unknown user name or wrong password');
        }
        done(Object.assign(error, { returnCode: isWrong ? NOT_AUTHORIZED : SERVER_UNAVAILABLE }), null);
      });
    },
    authorizePublish(client, packet, done) {
      callbackify(takeIn)(client, packet, (error) => {
        if (error) metrics.refused.inc({ source: 'mqtt' });
        done(error);
      });
    },
    authorizeSubscribe: (_client, _subscription, done) => done(new Error('devices only publish')),
    authorizeForward: () => null,
  });

  function forget(client: Client): void {
    const userName = connections.get(client)?.userName ?? '';
    connections.delete(client);
    if (clients.get(userName) === client) clients.delete(userName);
    metrics.connections.set(connections.size);
  }
  broker.on('ping', (_packet, client) => limits.get(client.conn)?.packetEnded());
  broker.on('clientDisconnect', forget);
  broker.on('clientError', (client, error) => {
    const device = connections.get(client)?.userName;
    if (device !== undefined) logger.info({ device, reason: error.message }, 'closed the connection of a device');
    forget(client);
  });
  broker.on('connectionError', (_client, error) => {
    metrics.refusedConnections.inc();
    logger.debug({ reason: error.message }, 'refused a connection');
  });
  guard.onCredentialChanged = (userName) => {
    const client = clients.get(userName);
    if (client === undefined) return;
    logger.info({ device: userName }, 'closed the connection of a device that was rotated or revoked');
    client.close();
  };

  await broker.listen();
  const accept = (socket: Socket): void => {
    limits.set(socket, new PacketLimit(socket, MAX_UNPARSED_BYTES));
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
    server.listen({ port, host, backlog: WAITING_CONNECTIONS }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
