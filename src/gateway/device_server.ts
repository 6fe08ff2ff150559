import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { GatewayConfig } from '../config.ts';
import type { ConnectionLimits } from './connection_limits.ts';
import { readProxyHeader } from './proxy_protocol.ts';

export interface DeviceServerOptions {
  config: Pick<GatewayConfig, 'tls' | 'hasProxyProtocol'>;
  limits: ConnectionLimits;
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
  const tlsServer = config.tls
    ? createTlsServer({ ...config.tls, minVersion: 'TLSv1.2', handshakeTimeout: timeoutMs }, onConnection)
    : undefined;

  const begin = (socket: Socket, address: string): void => {
    if (!isAddressAllowed(address) || !limits.admit(socket, address)) {
      onRefused();
      socket.resetAndDestroy(); // a reset leaves nothing behind, in a flood thousands of closing connections
    } else if (tlsServer) tlsServer.emit('connection', socket);
    else onConnection(socket);
  };

  return createTcpServer((socket) => {
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
}
