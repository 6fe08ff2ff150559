import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { Aedes, type AedesOptions, type AuthenticateError } from 'aedes';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '../../src/setup/servers/free_port.ts';

export interface Published {
  clientId: string;
  topic: string;
  payload: string;
  isDuplicate: boolean;
  connection: Socket;
  /** Sends the PUBACK; with an error, closes the connection instead. */
  answer(error?: Error): void;
}

export interface TestBroker {
  url: string;
  port: number;
  /** All publishes, in the order in which they arrived. */
  published: Published[];
  connections: Set<Socket>;
  stop(): Promise<void>;
}

/** Polls until the assertion holds, which can take seconds on a busy machine. */
export const eventually = <T>(look: () => T) => expect.poll(look);

/** A real broker on a real socket. `onPublish` decides about each PUBACK. By default all are acknowledged at once. */
export async function startBroker({
  onPublish = (publish: Published) => publish.answer(),
  port,
  tls,
  passwords,
}: {
  onPublish?: (publish: Published) => void;
  port?: number;
  tls?: TlsOptions;
  /** By user name. If missing, every password is accepted. */
  passwords?: ReadonlyMap<string, string>;
} = {}): Promise<TestBroker> {
  const published: Published[] = [];
  const options: AedesOptions = {
    authenticate(_client, username, password, done) {
      const isRight = passwords === undefined || passwords.get(username ?? '') === password?.toString();
      const refusal: AuthenticateError = Object.assign(new Error('refused'), { returnCode: 4 });
      done(isRight ? null : refusal, isRight);
    },
    authorizePublish(client, packet, callback) {
      if (client === null) return callback();
      const publish = {
        clientId: client.id,
        topic: packet.topic,
        payload: packet.payload.toString(),
        isDuplicate: packet.dup,
        connection: client.conn as Socket,
        answer: callback,
      };
      published.push(publish);
      onPublish(publish);
    },
  };
  const broker = await Aedes.createBroker(options);
  const connections = new Set<Socket>();
  const handleConnection = (socket: Socket): void => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    broker.handle(socket);
  };
  const server = tls === undefined ? createServer(handleConnection) : createTlsServer(tls, handleConnection);
  // A connection could take a port that the system chooses, before the broker starts again with the same port.
  server.listen(port ?? (await freePort()), '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of connections) socket.destroy();
    await Promise.all([closed, new Promise<void>((resolve) => broker.close(resolve))]);
  };
  onTestFinished(stop);
  const scheme = tls === undefined ? 'mqtt' : 'mqtts';
  return { url: `${scheme}://127.0.0.1:${address.port}`, port: address.port, published, connections, stop };
}
