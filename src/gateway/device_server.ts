import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import type { GatewayConfig, TlsConfig } from '../config.ts';
import type { StatusLogger } from '../health/outage.ts';
import { reloadCertificates } from './certificate_reload.ts';
import type { ConnectionLimits } from './connection_limits.ts';
import { readProxyHeader } from './proxy_protocol.ts';

export interface DeviceServerOptions {
  config: Pick<GatewayConfig, 'tls' | 'hasProxyProtocol'>;
  limits: ConnectionLimits;
  logger: StatusLogger;
  /** For the PROXY header, and again for the TLS handshake. */
  timeoutMs: number;
  isAddressAllowed: (address: string) => boolean;
  onRefused: () => void;
  /** Called with a connection that is within the limits, after its TLS handshake. */
  onConnection: (socket: Socket) => void;
}

/** Accepts connections: PROXY header if configured, then the limits, then TLS if configured. */
export function createDeviceServer(options: DeviceServerOptions): Server {
  const { config, limits, timeoutMs, isAddressAllowed, onRefused, onConnection } = options;
  const tlsServer = config.tls ? createSecureServer(config.tls, options) : undefined;

  const begin = (socket: Socket, address: string): void => {
    if (!isAddressAllowed(address) || !limits.admit(socket, address)) {
      onRefused();
      socket.resetAndDestroy(); // a reset leaves nothing behind, in a flood thousands of closing connections
    } else if (tlsServer) tlsServer.emit('connection', socket);
    else onConnection(socket);
  };

  const server = createTcpServer((socket) => {
    socket.on('error', () => {}); // a reset before the CONNECT concerns nobody
    const ownAddress = socket.remoteAddress ?? '';
    if (!config.hasProxyProtocol) return begin(socket, ownAddress);
    readProxyHeader(socket, timeoutMs).then(
      (address) => begin(socket, address ?? ownAddress),
      () => {
        onRefused();
        socket.destroy();
      },
    );
  });
  server.once('close', () => tlsServer?.emit('close'));
  return server;
}

/** Does not listen: it takes over connections that were accepted already. */
function createSecureServer(tls: TlsConfig, { timeoutMs, onConnection, logger }: DeviceServerOptions): TlsServer {
  const { cert, key } = tls;
  const server = createTlsServer({ cert, key, minVersion: 'TLSv1.2', handshakeTimeout: timeoutMs }, onConnection);
  reloadCertificates(server, tls, logger);
  return server;
}
