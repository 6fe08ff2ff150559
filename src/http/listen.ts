import type { FastifyInstance } from 'fastify';
import { BACKLOG, CAN_SHARE_PORT, listenOnTcp } from './tcp_listener.ts';

export interface HttpListener {
  url: string;
  /** Accepts no more connections, and waits until all requests have their responses. */
  close(): Promise<void>;
}

/**
 * Node accepts one connection of each socket in a turn of the event loop. With one socket, strangers who opened 3,000 connections made
 * other callers wait for theirs for up to 8 seconds; with 64 for 0.3.
 */
const SOCKETS = 64;
/** The interval at which connections that have become idle since the server closed are searched for. */
const IDLE_CHECK_MS = 50;

/**
 * Listens for HTTP. Fastify has one of the sockets; the others pass their connections to it.
 */
export async function listenForHttp(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<HttpListener> {
  await app.ready();
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
    const timer = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
    await Promise.all([others?.close(), app.close()]);
    clearInterval(timer);
  }
}
