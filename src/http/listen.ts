import type { FastifyInstance } from 'fastify';
import { BACKLOG, CAN_SHARE_PORT, listenOnTcp } from '../network/tcp_listener.ts';

export interface HttpListener {
  url: string;
  /** Accepts no more connections, and waits until all requests have their responses. */
  close(): Promise<void>;
}

/** With 16, a caller still waited for up to 2.5 seconds in one run of two; with 64 it did not. */
const LISTENING_SOCKETS = 64;
/** Between two looks for connections that have become idle since the server closed. */
const IDLE_CHECK_MS = 50;

/**
 * Listens for HTTP on several sockets. With one, strangers who opened 3,000 connections made other callers wait for theirs
 * for up to 19 seconds. Fastify has one of the sockets; the others pass their connections to it.
 */
export async function listenForHttp(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<HttpListener> {
  if (!CAN_SHARE_PORT) return { url: await app.listen({ host, port, backlog: BACKLOG }), close: () => app.close() };
  await app.ready();
  const listener = await listenOnTcp({
    host,
    port,
    sockets: LISTENING_SOCKETS,
    socketOptions: { allowHalfOpen: true, noDelay: true }, // as http.Server has them for its own socket
    onConnection: (socket) => app.server.emit('connection', socket),
  });
  const sharedPort = { host, port: listener.port, backlog: BACKLOG, reusePort: true };
  try {
    return { url: await app.listen(sharedPort), close };
  } catch (error) {
    void listener.close();
    throw error;
  }

  async function close(): Promise<void> {
    const timer = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
    await Promise.all([listener.close(), app.close()]);
    clearInterval(timer);
  }
}
