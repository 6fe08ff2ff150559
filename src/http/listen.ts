import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { BACKLOG, CAN_SHARE_PORT, listenOnTcp } from './tcp_listener.ts';

export interface HttpListener {
  url: string;
  /** Stops accepting connections, and waits until all requests have their responses. */
  close(): Promise<void>;
}

/**
 * The number of listening sockets. Node accepts one connection per listening socket in each iteration of the event
 * loop. While an attacker opened 3,000 connections, other callers waited up to 8 seconds for a connection with one
 * socket, and 0.3 seconds with 64.
 */
const SOCKETS = 64;
/** While the server closes, connections without a request in progress are closed at this interval. */
const IDLE_CHECK_MS = 50;

/** Listens for HTTP. Fastify listens on one of the sockets; the other sockets pass their connections to Fastify. */
export async function listenForHttp(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<HttpListener> {
  await app.ready();
  // The last response of each connection, to close those whose next request does not arrive: after `close`, Node no longer does it.
  const responses = new Map<Socket, ServerResponse | null>();
  app.server.on('connection', (socket) => {
    responses.set(socket, null);
    socket.once('close', () => responses.delete(socket));
  });
  app.server.on('request', ({ socket }, response) => responses.set(socket, response));
  const others = CAN_SHARE_PORT
    ? await listenOnTcp({
        host,
        port,
        sockets: SOCKETS - 1,
        socketOptions: { allowHalfOpen: true, noDelay: true }, // as http.Server has them for its own socket
        onConnection: (socket) => app.server.emit('connection', socket),
      })
    : undefined;
  try {
    const shared = others === undefined ? { port } : { port: others.port, reusePort: true };
    return { url: await app.listen({ host, backlog: BACKLOG, ...shared }), close };
  } catch (error) {
    void others?.close();
    throw error;
  }

  async function close(): Promise<void> {
    const arrivedUntilMs = Date.now() + app.server.requestTimeout;
    const timer = setInterval(() => {
      app.server.closeIdleConnections();
      const isLate = Date.now() > arrivedUntilMs;
      for (const [socket, response] of responses) {
        const isAnswering = response !== null && response.req.complete && !response.writableFinished;
        if (socket.bytesRead === 0 || (isLate && !isAnswering)) socket.destroy();
      }
    }, IDLE_CHECK_MS);
    try {
      await Promise.all([others?.close(), app.close()]);
    } finally {
      clearInterval(timer);
    }
  }
}
