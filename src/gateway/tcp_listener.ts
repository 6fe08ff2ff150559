import { createServer, type ListenOptions, type Server, type Socket } from 'node:net';

export interface TcpListener {
  port: number;
  /** Accepts no more connections. Open ones stay open. */
  close(): void;
}

export interface TcpListenerOptions {
  host: string;
  port: number;
  onConnection: (socket: Socket) => void;
}

/**
 * Node accepts one connection per listening socket in each turn of the event loop. After an outage, or in a flood of
 * strangers, a busy gateway would accept only some hundred a second. 16 sockets on the same port accept 16 in a turn:
 * 200 connections in 0.2 s instead of 2.5 s with turns of 5 ms. Only Linux distributes connections over them.
 */
const LISTENING_SOCKETS = process.platform === 'linux' ? 16 : 1;
/** After an outage all devices reconnect at once. A device that the backlog has no room for loses some seconds. */
const BACKLOG = 4_096;

export async function listenOnTcp({ host, port: wantedPort, onConnection }: TcpListenerOptions): Promise<TcpListener> {
  const servers: Server[] = [];
  const close = (): void => {
    for (const server of servers) server.close();
  };
  const open = async (port: number, reusePort: boolean): Promise<number> => {
    const server = createServer(onConnection);
    servers.push(server);
    return listen(server, { host, port, reusePort, backlog: BACKLOG });
  };
  if (LISTENING_SOCKETS === 1) return { port: await open(wantedPort, false), close };
  // Sockets that share a port do not notice that another process uses it as well. This one does.
  const probe = createServer();
  const port = await listen(probe, { host, port: wantedPort });
  await new Promise((resolve) => probe.close(resolve));
  try {
    for (let n = 0; n < LISTENING_SOCKETS; n++) await open(port, true);
  } catch (error) {
    close();
    throw error;
  }
  return { port, close };
}

function listen(server: Server, options: ListenOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      const address = server.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
      else reject(new Error('the server has no port'));
    });
  });
}
