import type { Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket, type Server as TlsServer } from 'node:tls';
import type { StatusLogger } from '../health/outage.ts';
import { listenOnTcp, type TcpListener } from '../http/tcp_listener.ts';
import type { GatewayConfig, TlsConfig } from '../settings/gateway_settings.ts';
import { errorCode } from '../values/error_code.ts';
import { reloadCertificates } from './certificate_reload.ts';
import { waitForConnect } from './connect_packet.ts';
import type { ConnectionLimits } from './connection_limits.ts';
import { readProxyHeader } from './proxy_protocol.ts';

export interface DeviceListenerOptions {
  config: Pick<GatewayConfig, 'host' | 'mqttPort' | 'tls' | 'proxyProtocol'>;
  limits: ConnectionLimits;
  logger: StatusLogger;
  /** The timeout of each step: the PROXY header, the TLS handshake and the CONNECT. */
  timeoutMs: number;
  maxConnectBytes: number;
  isAddressAllowed: (address: string) => boolean;
  onRefused: () => void;
  /** Called with each certificate that is used from now on. */
  onCertificate: (cert: string) => void;
  /** Called with a connection that is within the limits and has sent a CONNECT. */
  onConnection: (socket: Socket) => void;
}

/**
 * The number of listening sockets. With more of them, so many TLS handshakes would begin in one turn of the event loop that connected
 * devices would wait.
 */
const LISTENING_SOCKETS = 16;

const LOOPBACK = /^(::1$|(::ffff:)?127\.)/;

/**
 * Listens for devices. Each connection passes these steps: the PROXY header if it is configured, the limits, TLS if it is configured,
 * and the CONNECT.
 */
export async function listenForDevices(options: DeviceListenerOptions): Promise<TcpListener> {
  const { config, limits, logger, timeoutMs, maxConnectBytes, isAddressAllowed } = options;
  const { onRefused, onCertificate, onConnection } = options;
  const refuse = (socket: Socket): void => {
    onRefused();
    // A reset ends at once; otherwise thousands of connections would be closing in a flood. A TLS socket cannot be reset.
    if (socket instanceof TLSSocket) socket.destroy();
    else socket.resetAndDestroy();
  };
  const awaitConnect = (socket: Socket): void => {
    // A reset by the client before the CONNECT is ignored.
    socket.on('error', () => {});
    waitForConnect(socket, maxConnectBytes, timeoutMs).then(
      () => onConnection(socket),
      () => refuse(socket),
    );
  };
  const tlsServer = config.tls
    ? createSecureServer(config.tls, timeoutMs, logger, onCertificate, awaitConnect)
    : undefined;
  // Node reports a handshake that takes too long, but leaves its connection open.
  tlsServer?.on('tlsClientError', (error, socket) => {
    if (errorCode(error) === 'ERR_TLS_HANDSHAKE_TIMEOUT') limits.endHalfOpen(socket);
    refuse(socket);
  });

  const begin = (socket: Socket, address: string): void => {
    if (!isAddressAllowed(address) || !limits.admit(socket, address)) refuse(socket);
    else if (tlsServer) tlsServer.emit('connection', socket);
    else awaitConnect(socket);
  };

  const onConnected = (socket: Socket): void => {
    socket.on('error', () => {});
    const ownAddress = socket.remoteAddress ?? '';
    const isOptional = config.proxyProtocol === 'auto';
    // An optional header counts only from this machine, because another machine could name any address in it.
    if (config.proxyProtocol === 'off' || (isOptional && !LOOPBACK.test(ownAddress))) return begin(socket, ownAddress);
    readProxyHeader(socket, timeoutMs, isOptional).then(
      (address) => begin(socket, address ?? ownAddress),
      () => refuse(socket),
    );
  };
  const listener = await listenOnTcp({
    host: config.host,
    port: config.mqttPort,
    sockets: LISTENING_SOCKETS,
    onConnection: onConnected,
  });
  return {
    ...listener,
    close() {
      // The event ends the reloading of the certificate.
      tlsServer?.emit('close');
      return listener.close();
    },
  };
}

/** Creates a server that does not listen: it takes over connections that were accepted already. */
function createSecureServer(
  tls: TlsConfig,
  handshakeTimeout: number,
  logger: StatusLogger,
  onCertificate: (cert: string) => void,
  onConnection: (socket: Socket) => void,
): TlsServer {
  const { cert, key } = tls;
  const server = createTlsServer({ cert, key, minVersion: 'TLSv1.2', handshakeTimeout }, onConnection);
  onCertificate(cert);
  reloadCertificates(server, tls, logger, onCertificate);
  return server;
}
