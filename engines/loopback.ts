import type { Server as HttpServer } from 'node:http';
import type { Server } from 'node:net';

/** Lets a server listen on 127.0.0.1. Returns its port, which is a free one unless given. */
export async function listenOnLoopback(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the operating system assigned no port');
  return address.port;
}

/** Closes a server and all its connections, including those with unanswered requests. */
export const closeServer = (server: HttpServer): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
