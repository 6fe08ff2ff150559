import type { FastifyInstance } from 'fastify';
import { BACKLOG, CAN_SHARE_PORT, listenOnTcp } from '../network/tcp_listener.ts';

export interface HttpListener {
  url: string;
  /** Accepts no more connections, and waits until all requests have their responses. */
  close(): Promise<void>;
}

/** Between two looks for connections that have become idle since the server closed. */
const IDLE_CHECK_MS = 50;

/**
 * Listens for HTTP. Behind a proxy, one socket is enough. Without one, strangers who opened 3,000 connections made other
 * callers wait for theirs for up to 8 seconds; with 64 sockets they waited for 0.3. Fastify has one of the sockets; the others
 * pass their connections to it.
 */
export async function listenForHttp(
  app: FastifyInstance,
  { host, port, sockets }: { host: string; port: number; sockets: number },
): Promise<HttpListener> {
  await app.ready();
  const others =
    sockets > 1 && CAN_SHARE_PORT
      ? await listenOnTcp({
          host,
          port,
          sockets: sockets - 1,
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
