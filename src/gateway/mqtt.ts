import { X509Certificate } from 'node:crypto';
import { callbackify } from 'node:util';
import { Aedes, type AedesOptions, type Client, type ConnectPacket } from 'aedes';
import { AddressLimit } from '../http/address_limit.ts';
import type { GatewayConfig } from '../settings/gateway_settings.ts';
import { ConnectedDevices } from './connected_devices.ts';
import { ConnectionLimits, MAX_HALF_OPEN } from './connection_limits.ts';
import { listenForDevices } from './device_listener.ts';
import {
  DeviceSession,
  MAX_UNAUTHENTICATED_BYTES,
  type SessionServices,
  WrongCredentialsError,
} from './device_session.ts';
import { closePaced } from './paced_disconnects.ts';
import { UnfinishedPackets } from './unfinished_packets.ts';

export interface MqttOptions extends SessionServices {
  config: GatewayConfig;
}

export interface MqttListener {
  port: number;
  /** Accepts no more devices, and disconnects those that are connected, evenly over the given time. */
  disconnectDevices(overMs: number): Promise<void>;
  close(): Promise<void>;
}

const MAX_KEEP_ALIVE_SECONDS = 3_600;
/** The timeout of the TLS handshake, and of the CONNECT after it. */
const CONNECT_TIMEOUT_MS = 10_000;
/** An address may use the failed logins of this time at once, for example in a network with many revoked devices. */
const FAILED_LOGINS_BURST_SECONDS = 10;
/** Limits the log lines about wrong passwords, so that an attacker cannot fill the log. */
const REFUSAL_LOG_INTERVAL_MS = 100;
/** Return codes of CONNACK in MQTT 3.1.1. */
const SERVER_UNAVAILABLE = 3;
const NOT_AUTHORIZED = 5;

/** The sessions by connection. The map is weak, so that connections that the broker drops use no memory. */
type Sessions = WeakMap<object, DeviceSession>;

/**
 * Listens for devices over MQTT 3.1.1. A device may only publish readings to its own topic. It gets a PUBACK when the
 * stream has stored the readings on disk. If that fails, the connection is closed and the device sends them again.
 */
export async function listenForMqtt(options: MqttOptions): Promise<MqttListener> {
  const { config, devices, metrics, logger } = options;
  const sessions: Sessions = new WeakMap();
  const unfinishedPackets = new UnfinishedPackets();
  const connected = new ConnectedDevices((count) => metrics.connections.set(count));
  const { failedLoginsPerSecond: perSecond } = config;
  const failedLogins = new AddressLimit({ perSecond, burst: perSecond * FAILED_LOGINS_BURST_SECONDS });
  const limits = new ConnectionLimits({
    maxConnections: config.maxConnections,
    maxPerAddress: config.maxConnectionsPerAddress,
    maxHalfOpen: MAX_HALF_OPEN,
    maxHalfOpenPerAddress: MAX_HALF_OPEN,
    onFailedLogin: (addressGroup) => failedLogins.count(addressGroup),
  });
  const broker = new Aedes(brokerOptions(sessions, options));

  broker.on('client', (client) => {
    const session = sessions.get(client.conn);
    if (session?.userName === undefined) return;
    connected.add(session.userName, client);
    session.registered();
    limits.endHalfOpen(session.socket);
  });
  broker.on('clientError', (client, error) => {
    const device = sessions.get(client.conn)?.userName;
    if (device !== undefined) logger.info({ device, reason: error.message }, 'closed the connection of a device');
  });
  broker.on('connectionError', (_client, error) => {
    metrics.refusedConnections.inc();
    logger.debug({ reason: error.message }, 'refused a connection');
  });
  devices.onCredentialChanged = (userName) => {
    for (const client of connected.clientsOf(userName)) {
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
      sessions.set(socket, new DeviceSession(socket, options));
      broker.handle(socket);
    },
  });

  return {
    port: listener.port,
    async disconnectDevices(overMs) {
      void listener.close();
      await closePaced(connected.all(), overMs);
    },
    async close() {
      void listener.close();
      await new Promise<void>((resolve) => broker.close(() => resolve()));
      unfinishedPackets.close();
    },
  };
}

/** Connects the callbacks of the broker with the sessions, and disables the other features of the broker. */
function brokerOptions(sessions: Sessions, { metrics, logger }: MqttOptions): AedesOptions {
  const sessionOf = (client: Client): DeviceSession => {
    const session = sessions.get(client.conn);
    if (session === undefined) throw new Error('the connection did not pass the listener');
    return session;
  };
  let refusalLoggedAtMs = 0;
  const logRefusal = (userName: string): void => {
    if (Date.now() - refusalLoggedAtMs <= REFUSAL_LOG_INTERVAL_MS) return;
    refusalLoggedAtMs = Date.now();
    logger.info({ device: userName.slice(0, 100) }, 'refused a connection: unknown user name or wrong password');
  };
  return {
    connectTimeout: CONNECT_TIMEOUT_MS,
    drainTimeout: 10_000,
    // User names, which replace the client ids, are longer than the 23 characters of MQTT 3.1.
    maxClientsIdLength: 128,
    heartbeatInterval: 3_600_000,
    preConnect(_client, packet, done) {
      keepNothingBetweenConnections(packet);
      done(null, true);
    },
    authenticate(client, userName = '', password = Buffer.alloc(0), done) {
      const authenticate = async (): Promise<void> => sessionOf(client).authenticate(userName, password);
      callbackify(authenticate)((error) => {
        if (error === null || error === undefined) return done(null, true);
        const hasWrongCredentials = error instanceof WrongCredentialsError;
        metrics.refusedConnections.inc();
        if (hasWrongCredentials) logRefusal(userName);
        else logger.error({ err: error }, 'verifying a device failed');
        done(Object.assign(error, { returnCode: hasWrongCredentials ? NOT_AUTHORIZED : SERVER_UNAVAILABLE }), null);
      });
    },
    authorizePublish(client, packet, done) {
      // The broker itself published this packet.
      if (client === null) return done(null);
      const publish = async (): Promise<void> => sessionOf(client).publish(packet);
      callbackify(publish)((error) => {
        metrics.payloads.inc({ source: 'mqtt' });
        if (error) metrics.refused.inc({ source: 'mqtt' });
        done(error);
      });
    },
    authorizeSubscribe: (_client, _subscription, done) => done(new Error('devices may only publish')),
    authorizeForward: () => null,
  };
}

/**
 * Makes the broker store no session and no will. The user name replaces the client id, so that a device cannot end the session of another
 * device by using its client id. A device without a keep-alive is disconnected after 90 minutes of silence.
 */
function keepNothingBetweenConnections(packet: ConnectPacket): void {
  const keepalive = Math.min(packet.keepalive || MAX_KEEP_ALIVE_SECONDS, MAX_KEEP_ALIVE_SECONDS);
  Object.assign(packet, { clientId: packet.username ?? '', clean: true, will: undefined, keepalive });
}
